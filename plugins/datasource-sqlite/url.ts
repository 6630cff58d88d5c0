/** SQLite's URLs: `sqlite:PATH`, `sqlite:///absolute`, `sqlite://relative` or `file:PATH`. */
import { AtlasError } from '../../kernel/index.ts';
import { type FileUrlFormat, maskFileUrl, parseFileUrl } from '../datasource-kit/index.ts';
import { SQLITE_SCHEMES } from './schemes.ts';

const FORMAT: FileUrlFormat = {
  schemes: [...SQLITE_SCHEMES, 'sqlite3', 'file'],
  // Every file is opened for reading only, so this one says nothing new.
  ignoredQueries: ['mode=ro'],
  memory: 'an in-memory database is empty and cannot be opened read-only',
  invalid: (why) =>
    new AtlasError(`The SQLite URL cannot be used: ${why}.`, {
      code: 'configuration_error',
      reason: 'E_SQLITE_URL',
      hint: 'Write "sqlite:./folder/file.db" for a path relative to the working directory, or "sqlite:/folder/file.db".',
    }),
};

/** The absolute path. Throws `configuration_error`, without repeating the URL. */
export const parseSqliteUrl = (url: string, cwd: string): string => parseFileUrl(url, cwd, FORMAT);

export const maskSqliteUrl = (path: string): string => maskFileUrl('sqlite', path);
