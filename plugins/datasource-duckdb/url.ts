/** DuckDB's URLs: `duckdb:PATH`, `duckdb:///absolute` or `duckdb://relative`. */
import { AtlasError } from '../../kernel/index.ts';
import { type FileUrlFormat, maskFileUrl, parseFileUrl } from '../datasource-kit/index.ts';
import { DUCKDB_SCHEMES } from './schemes.ts';

const FORMAT: FileUrlFormat = {
  schemes: DUCKDB_SCHEMES,
  // Every file is opened for reading only, so these say nothing new.
  ignoredQueries: ['access_mode=read_only', 'mode=ro'],
  memory: 'a database in memory is empty and cannot be opened read-only',
  invalid: (why) =>
    new AtlasError(`The DuckDB URL cannot be used: ${why}.`, {
      code: 'configuration_error',
      reason: 'E_DUCKDB_URL',
      hint: 'Write "duckdb:./folder/file.duckdb" for a path relative to the working directory, or "duckdb:/folder/file.duckdb".',
    }),
};

/** The absolute path. Throws `configuration_error`, without repeating the URL. */
export const parseDuckdbUrl = (url: string, cwd: string): string => parseFileUrl(url, cwd, FORMAT);

export const maskDuckdbUrl = (path: string): string => maskFileUrl('duckdb', path);
