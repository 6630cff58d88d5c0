import { definePlugin } from '../../kernel/index.ts';
import { tapServerDatabases } from '../datasource-kit/index.ts';
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
    return tapServerDatabases(
      ctx,
      connections,
      async (...given) => new (await import('./driver.ts')).SnowflakeDriver(...given),
      SNOWFLAKE_ENGINE,
    );
  },
});
