/** Reads `.env` of a folder into an environment. What the environment has already wins. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { AtlasError, messageOf } from '../kernel/index.ts';

/** What Node's own parser takes for an assignment, values over several lines in quotes included. */
const ASSIGNMENT =
  /^[ \t]*(?:export[ \t]+)?[A-Za-z_][\w.-]*[ \t]*=[ \t]*(?:"[^"]*"|'[^']*'|`[^`]*`|(?!["'`])[^\n]*)[^\n]*$/gm;
const WHY: Readonly<Record<string, string>> = { EISDIR: 'it is a folder', EACCES: 'its permissions forbid it' };
const NOTHING = /^\s*(?:#.*)?$/;

const unusable = (what: string, hint: string) =>
  new AtlasError(what, { code: 'configuration_error', reason: 'E_ENV_FILE', hint });

/**
 * Adds the variables of `<folder>/.env` to `env`. Throws `configuration_error` for a file that cannot be read and for a
 * line that is no assignment, which is never shown: a key that is skipped in silence may be what protects the server.
 */
export function loadEnvFile(folder: string, env: Record<string, string | undefined>): void {
  const path = join(folder, '.env');
  let text: string;
  try {
    text = readFileSync(path, 'utf8')
      .replace(/^\uFEFF/, '')
      .replaceAll('\r\n', '\n');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return;
    const why = WHY[code ?? ''] ?? messageOf(error).replace(/,.*/s, '');
    throw unusable(`The file ${path} cannot be read: ${why}.`, 'Make it a readable file, or remove it.');
  }
  const rest = text.replace(ASSIGNMENT, (assignment) => '\n'.repeat(assignment.split('\n').length - 1));
  const line = rest.split('\n').findIndex((left) => !NOTHING.test(left));
  if (line >= 0) {
    throw unusable(
      `${path}, line ${line + 1} cannot be read.`,
      'Write NAME=value, close every quote, and begin a comment with #.',
    );
  }
  for (const [name, value] of Object.entries(parseEnv(text))) env[name] ??= value;
}
