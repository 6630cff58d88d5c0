import { basename, resolve } from 'node:path';
import { AtlasError } from '../../kernel/index.ts';

function invalid(why: string): AtlasError {
  return new AtlasError(`The SQLite URL cannot be used: ${why}.`, {
    code: 'configuration_error',
    reason: 'E_SQLITE_URL',
    hint: 'Write "sqlite:./folder/file.db" for a path relative to the working directory, or "sqlite:/folder/file.db".',
  });
}

/** In the forms with `//` and in `file:` the path is part of a URL, where `%20` is a blank. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw invalid('it holds a "%" that encodes nothing');
  }
}

/**
 * The absolute path of `sqlite:PATH`, `sqlite:///absolute`, `sqlite://relative` or `file:PATH`.
 * Throws `configuration_error` for anything else, without repeating the URL.
 */
export function parseSqliteUrl(url: string, cwd: string): string {
  const [, scheme, rest = ''] = /^(sqlite3?|file):(.*)$/is.exec(url.trim()) ?? [];
  if (scheme === undefined) throw invalid('it does not begin with "sqlite:"');
  const [location = '', query] = rest.split('?', 2);
  // Atlas opens every file read-only, so this one parameter says nothing new.
  if (query !== undefined && query !== '' && query !== 'mode=ro') throw invalid('it takes no parameters');
  const isUrl = location.startsWith('//') || scheme.toLowerCase() === 'file';
  const path = isUrl ? decoded(location.replace(/^\/\//, '')) : location;
  if (path === ':memory:' || path === '/:memory:') {
    throw invalid('an in-memory database is empty and cannot be opened read-only');
  }
  if (path === '' || path.endsWith('/')) throw invalid('it names no file');
  if (path.includes('\0')) throw invalid('it holds a null byte');
  // `sqlite:///C:/data.db` names a drive.
  return resolve(cwd, process.platform === 'win32' ? path.replace(/^\/(?=[a-z]:)/i, '') : path);
}

/** Shows which file it is and not where it lies. */
export function maskSqliteUrl(path: string): string {
  return `sqlite:${basename(path)}`;
}
