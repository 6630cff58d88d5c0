import { definePlugin } from '../../kernel/index.ts';
import { tapServerDatabases } from '../datasource-kit/index.ts';
import { SnowflakeDriver } from './driver.ts';
import { DatasourceSnowflakeOptions } from './options.ts';
import { SNOWFLAKE_ENGINE } from './registration.ts';

export { SNOWFLAKE_SCHEMES } from './schemes.ts';

/** Snowflake over its SQL REST API, each statement read-only and checked a second time by the engine. */
export const datasourceSnowflake = definePlugin({
  name: 'datasource-snowflake',
  version: '1.0.0',
  type: 'datasource',
  description: 'Snowflake accounts, read-only, over their SQL REST API.',
  options: DatasourceSnowflakeOptions,
  setup(ctx, { connections }) {
    return tapServerDatabases(ctx, connections, (...given) => new SnowflakeDriver(...given), SNOWFLAKE_ENGINE);
  },
});
