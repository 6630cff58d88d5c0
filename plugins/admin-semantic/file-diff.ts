/** Writes what changed between two versions of a file as a unified diff. */
import type { StructuredPatch } from 'diff';

export interface FileDiff {
  /** As `diff -u` prints it; empty when the two are the same. */
  readonly diff: string;
  readonly added: number;
  readonly removed: number;
}

/** Finding the shortest diff of two texts that have little in common takes time that grows with its square. */
const TIMEOUT_MS = 2_000;

const linesOf = (text: string) => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

/** All lines removed and all added. */
function wholeFiles(before: string, after: string): StructuredPatch['hunks'] {
  const [old, now] = [linesOf(before), linesOf(after)];
  const lines = [...old.map((line) => `-${line}`), ...now.map((line) => `+${line}`)];
  return [{ oldStart: 1, oldLines: old.length, newStart: 1, newLines: now.length, lines }];
}

/** From `before` to `after`, which are named by their headers. Yields to other work. */
export async function fileDiff(
  path: string,
  before: { readonly text: string; readonly header: string },
  after: { readonly text: string; readonly header: string },
): Promise<FileDiff> {
  const { formatPatch, structuredPatch } = await import('diff');
  const found = await new Promise<StructuredPatch | undefined>((callback) => {
    const options = { context: 3, timeout: TIMEOUT_MS, callback };
    structuredPatch(path, path, before.text, after.text, before.header, after.header, options);
  });
  const patch = found ?? {
    ...{ oldFileName: path, newFileName: path, oldHeader: before.header, newHeader: after.header },
    hunks: wholeFiles(before.text, after.text),
  };
  const lines = patch.hunks.flatMap((hunk) => hunk.lines);
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  return { diff: lines.length === 0 ? '' : formatPatch(patch), added: count('+'), removed: count('-') };
}
