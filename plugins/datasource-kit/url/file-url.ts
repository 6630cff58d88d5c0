/** Reads URLs of databases in files, such as `sqlite:./shop.db`. Errors never repeat them: folders are not shown. */
import { basename, resolve } from 'node:path';
import type { AtlasError } from '../../../kernel/index.ts';

export interface FileUrlFormat {
  /** The first is named in messages. With `file` the path is always part of a URL, where `%20` is a blank. */
  readonly schemes: readonly string[];
  /** Queries that change nothing for a file that is opened for reading only, in small letters. */
  readonly ignoredQueries: readonly string[];
  /** Why a database in memory cannot be used. */
  readonly memory: string;
  /** Makes the error; `why` completes "The URL cannot be used: …". */
  invalid(why: string): AtlasError;
}

/**
 * The absolute path of `scheme:PATH`, `scheme:///absolute` or `scheme://relative`. A relative path belongs to `cwd`.
 * Throws the format's error for anything else.
 */
export function parseFileUrl(text: string, cwd: string, format: FileUrlFormat): string {
  const { schemes, ignoredQueries, memory, invalid } = format;
  const [, given = '', rest = ''] = /^([a-z0-9]+):(.*)$/is.exec(text.trim()) ?? [];
  const scheme = given.toLowerCase();
  if (!schemes.includes(scheme)) throw invalid(`it does not begin with "${schemes[0]}:"`);
  const [location = '', query = ''] = rest.split('?', 2);
  if (query !== '' && !ignoredQueries.includes(query.toLowerCase())) throw invalid('it takes no parameters');
  const isUrl = location.startsWith('//') || scheme === 'file';
  const path = isUrl ? decoded(location.replace(/^\/\//, ''), invalid) : location;
  if (/^\/?:memory:/.test(path)) throw invalid(memory);
  if (/^(?:md:|[a-z][a-z0-9+.-]+:\/\/)/i.test(path)) throw invalid('it names no local file');
  if (path === '' || path.endsWith('/')) throw invalid('it names no file');
  if (path.includes('\0')) throw invalid('it holds a null byte');
  // `sqlite:///C:/data.db` names a drive.
  return resolve(cwd, process.platform === 'win32' ? path.replace(/^\/(?=[a-z]:)/i, '') : path);
}

function decoded(path: string, invalid: FileUrlFormat['invalid']): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw invalid('it holds a "%" that encodes nothing');
  }
}

/** Shows which file it is and not where it lies. */
export function maskFileUrl(scheme: string, path: string): string {
  return `${scheme}:${basename(path)}`;
}
