/** Says how PostgreSQL URLs of connections are read that are made while the service runs. */
import { assertRemotePostgresUrl, type DatasourceEngine, parsePostgresUrl } from '../datasource-kit/index.ts';
import { readFlavorUrl } from './flavor-url.ts';
import { PostgresConnectionOptions } from './options.ts';
import { POSTGRES_SCHEMES } from './schemes.ts';

export const POSTGRES_ENGINE: Omit<DatasourceEngine, 'open'> = {
  dbType: 'postgres',
  schemes: POSTGRES_SCHEMES,
  options: PostgresConnectionOptions,
  locate(url) {
    const read = readFlavorUrl(url);
    assertRemotePostgresUrl(read.url);
    return parsePostgresUrl(read.url, read.port);
  },
};
