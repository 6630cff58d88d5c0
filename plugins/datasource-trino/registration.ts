/** Says how Trino URLs of connections are read that are made while the service runs. */
import type { DatasourceEngine } from '../datasource-kit/index.ts';
import { TrinoConnectionOptions } from './options.ts';
import { TRINO_SCHEMES } from './schemes.ts';
import { parseTrinoUrl } from './url.ts';

export const TRINO_ENGINE: Omit<DatasourceEngine, 'open'> = {
  dbType: 'trino',
  schemes: TRINO_SCHEMES,
  options: TrinoConnectionOptions,
  locate(url) {
    const { host, port, user, password, catalog, schema } = parseTrinoUrl(url, true);
    return { host, port, user, password, database: `${catalog}/${schema}` };
  },
};
