import { definePlugin } from '../../kernel/index.ts';
import { tapServerDatabases } from '../datasource-kit/index.ts';
import { DatasourceBigqueryOptions } from './options.ts';
import { BIGQUERY_ENGINE } from './registration.ts';

export { BIGQUERY_SCHEMES } from './schemes.ts';

/** BigQuery over its REST API, each statement dry-run first: one that reads, and nothing but its tables. */
export const datasourceBigquery = definePlugin({
  name: 'datasource-bigquery',
  version: '1.0.0',
  type: 'datasource',
  description: 'Google BigQuery, read-only, over its REST API.',
  options: DatasourceBigqueryOptions,
  setup(ctx, { connections }) {
    return tapServerDatabases(
      ctx,
      connections,
      async (...given) => new (await import('./driver.ts')).BigqueryDriver(...given),
      BIGQUERY_ENGINE,
    );
  },
});
