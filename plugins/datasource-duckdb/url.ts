import { basename, resolve } from 'node:path';
import { AtlasError } from '../../kernel/index.ts';

function invalid(why: string): AtlasError {
  return new AtlasError(`The DuckDB URL cannot be used: ${why}.`, {
    code: 'configuration_error',
    reason: 'E_DUCKDB_URL',
    hint: 'Write "duckdb:./folder/file.duckdb" for a path relative to the working directory, or "duckdb:/folder/file.duckdb".',
  });
}

/**
 * The absolute path of `duckdb:PATH`, `duckdb:///absolute` or `duckdb://relative`. Throws `configuration_error` for
 * anything else, without repeating the URL.
 */
export function parseDuckdbUrl(url: string, cwd: string): string {
  const [, rest = ''] = /^duckdb:(.*)$/is.exec(url.trim()) ?? [];
  if (rest === '' && !/^duckdb:/i.test(url.trim())) throw invalid('it does not begin with "duckdb:"');
  const [location = '', query] = rest.split('?', 2);
  // Atlas opens every file read-only, so these parameters say nothing new.
  if (query !== undefined && !/^(?:|access_mode=read_only|mode=ro)$/i.test(query))
    throw invalid('it takes no parameters');
  const path = location.startsWith('//') ? decoded(location.slice(2)) : location;
  if (/^\/?:memory:/.test(path)) throw invalid('a database in memory is empty and cannot be opened read-only');
  if (/^md:/i.test(path) || /^[a-z][a-z0-9+.-]+:\/\//i.test(path)) throw invalid('it names no local file');
  if (path === '' || path.endsWith('/')) throw invalid('it names no file');
  if (path.includes('\0')) throw invalid('it holds a null byte');
  return resolve(cwd, process.platform === 'win32' ? path.replace(/^\/(?=[a-z]:)/i, '') : path);
}

/** In the forms with `//` the path is part of a URL, where `%20` is a blank. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw invalid('it holds a "%" that encodes nothing');
  }
}

/** Shows which file it is and not where it lies. */
export function maskDuckdbUrl(path: string): string {
  return `duckdb:${basename(path)}`;
}
