/** Says how SQLite URLs of connections are read that are made while the service runs. */
import type { DatasourceEngine } from '../datasource-kit/index.ts';
import { SqliteConnectionOptions } from './options.ts';
import { SQLITE_SCHEMES } from './schemes.ts';
import { parseSqliteUrl } from './url.ts';

export const SQLITE_ENGINE: Omit<DatasourceEngine, 'open'> = {
  dbType: 'sqlite',
  schemes: SQLITE_SCHEMES,
  options: SqliteConnectionOptions,
  locate: (url, { folder }) => ({ path: parseSqliteUrl(url, folder) }),
};
