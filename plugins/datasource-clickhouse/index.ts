import { definePlugin } from '../../kernel/index.ts';
import { tapServerDatabases } from '../datasource-kit/index.ts';
import { DatasourceClickhouseOptions } from './options.ts';
import { CLICKHOUSE_ENGINE } from './registration.ts';

export { CLICKHOUSE_SCHEMES } from './schemes.ts';

/** ClickHouse databases over HTTP, each statement read-only and checked a second time by the engine. */
export const datasourceClickhouse = definePlugin({
  name: 'datasource-clickhouse',
  version: '1.0.0',
  type: 'datasource',
  description: 'ClickHouse databases and clusters, read-only, over HTTP.',
  options: DatasourceClickhouseOptions,
  setup(ctx, { connections }) {
    return tapServerDatabases(
      ctx,
      connections,
      async (...given) => new (await import('./driver.ts')).ClickhouseDriver(...given),
      CLICKHOUSE_ENGINE,
    );
  },
});
