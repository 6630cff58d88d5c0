/** Says how ClickHouse URLs of connections are read that are made while the service runs. */
import type { DatasourceEngine } from '../datasource-kit/index.ts';
import { ClickhouseConnectionOptions } from './options.ts';
import { CLICKHOUSE_SCHEMES } from './schemes.ts';
import { assertRemoteClickhouseUrl, parseClickhouseUrl } from './url.ts';

export const CLICKHOUSE_ENGINE: Omit<DatasourceEngine, 'open'> = {
  dbType: 'clickhouse',
  schemes: CLICKHOUSE_SCHEMES,
  options: ClickhouseConnectionOptions,
  locate(url) {
    assertRemoteClickhouseUrl(url);
    const { replicas, user, password, database } = parseClickhouseUrl(url);
    const [{ host, port }, ...others] = replicas;
    return { host, port, user, password, database, ...(others.length > 0 && { others }) };
  },
};
