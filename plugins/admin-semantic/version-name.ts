/** Names versions of a file by its content, and checks what a client expects to be there. */
import { createHash } from 'node:crypto';
import { AtlasError } from '../../kernel/index.ts';

/** What has another version has another content. */
export const versionOf = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex').slice(0, 32);

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Whether a header such as `If-Match` names the version. What is marked as weak (`W/`) is no name of a content. */
function names(header: string | string[], version: string | undefined): boolean {
  const tags = String(header)
    .split(',')
    .map((tag) => tag.trim());
  return version !== undefined && tags.some((tag) => tag === '*' || tag === `"${version}"` || tag === version);
}

/**
 * Throws `conflict` unless the file is as the client says by `If-Match`, `If-None-Match` or the version. One that says
 * nothing takes any. `present`: the version that is there; `undefined`: no file.
 */
export function checkExpected(headers: Headers, version: string | undefined, present: string | undefined): void {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  const isExpected =
    (version === undefined || version === present) &&
    (match === undefined || names(match, present)) &&
    (noneMatch === undefined || !names(noneMatch, present));
  if (isExpected) return;
  const now = present === undefined ? 'it is not there' : `its version is ${present}`;
  throw new AtlasError(`The file is not as you know it: ${now}.`, {
    code: 'conflict',
    reason: 'E_SEMANTIC_VERSION',
    hint: 'Read it again, and repeat your change.',
  });
}
