/** Says how DuckDB URLs of connections are read that are made while the service runs. */
import type { DatasourceEngine } from '../datasource-kit/index.ts';
import { DuckdbConnectionOptions } from './options.ts';
import { DUCKDB_SCHEMES } from './schemes.ts';
import { parseDuckdbUrl } from './url.ts';

export const DUCKDB_ENGINE: Omit<DatasourceEngine, 'open'> = {
  dbType: 'duckdb',
  schemes: DUCKDB_SCHEMES,
  options: DuckdbConnectionOptions,
  locate: (url, { folder }) => ({ path: parseDuckdbUrl(url, folder) }),
};
