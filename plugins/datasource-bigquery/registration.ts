/** Says how BigQuery URLs of connections are read that are made while the service runs. */
import type { DatasourceEngine } from '../datasource-kit/index.ts';
import { BigqueryConnectionOptions } from './options.ts';
import { BIGQUERY_SCHEMES } from './schemes.ts';
import { parseBigqueryUrl } from './url.ts';

export const BIGQUERY_ENGINE: Omit<DatasourceEngine, 'open'> = {
  dbType: 'bigquery',
  schemes: BIGQUERY_SCHEMES,
  options: BigqueryConnectionOptions,
  locate(url) {
    const { api, project, dataset, secret } = parseBigqueryUrl(url, true);
    return { host: api.hostname, port: 443, user: '', password: secret, database: `${project}/${dataset}` };
  },
};
