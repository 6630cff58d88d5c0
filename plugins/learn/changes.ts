/** Makes the changes of files from proposals, and shows them as unified diffs. */
import { editedText } from './layer-edits.ts';
import type { Proposal } from './proposal.ts';

export interface Change {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** `read`: what a file of the layer holds; `undefined` where it is gone. */
export async function changesOf(
  proposals: readonly Proposal[],
  read: (path: string) => Promise<string | undefined>,
): Promise<Change[]> {
  const byFile = [...Map.groupBy(proposals, ({ owner }) => owner.file)].sort(([a], [b]) => (a < b ? -1 : 1));
  const changes: Change[] = [];
  for (const [path, own] of byFile) {
    const before = await read(path);
    const after = before === undefined ? undefined : editedText(before, own);
    if (before !== undefined && after !== undefined && after !== before) changes.push({ path, before, after });
  }
  return changes;
}

/** For `patch -p1` and `git apply`. */
export async function unifiedDiff(path: string, { before, after }: Change): Promise<string> {
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import('diff');
  const options = { context: 3, headerOptions: FILE_HEADERS_ONLY };
  return createTwoFilesPatch(`a/${path}`, `b/${path}`, before, after, undefined, undefined, options);
}
