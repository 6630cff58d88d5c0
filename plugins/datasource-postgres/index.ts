import { definePlugin } from '../../kernel/index.ts';
import { tapServerDatabases } from '../datasource-kit/index.ts';
import { PostgresDriver } from './driver.ts';
import { DatasourcePostgresOptions } from './options.ts';
import { POSTGRES_ENGINE } from './registration.ts';

/** @internal */
export { describeSchemas } from './describe.ts';
/** @internal */
/** @internal */
export { loadConnect, PostgresDriver } from './driver.ts';
/** @internal */
export { connectError } from './errors.ts';
export { POSTGRES_SCHEMES } from './schemes.ts';
/** @internal */
export { parameterText } from './types.ts';
/** @internal */
export { WireFilter } from './wire.ts';

/** PostgreSQL databases, each statement in a read-only transaction that is rolled back. */
export const datasourcePostgres = definePlugin({
  name: 'datasource-postgres',
  version: '1.0.0',
  type: 'datasource',
  description: 'PostgreSQL databases, read-only, over pools of connections.',
  options: DatasourcePostgresOptions,
  setup(ctx, { connections }) {
    return tapServerDatabases(ctx, connections, (...given) => new PostgresDriver(...given), POSTGRES_ENGINE);
  },
});
