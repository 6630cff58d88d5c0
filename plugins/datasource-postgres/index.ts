import { definePlugin } from '../../kernel/index.ts';
import { tapServerDatabases } from '../datasource-kit/index.ts';
import { sqlDialects } from '../sql-kit/index.ts';
import { PostgresDriver } from './driver.ts';
import { FLAVORS } from './flavors/flavors.ts';
import { DatasourcePostgresOptions } from './options.ts';
import { POSTGRES_ENGINE } from './registration.ts';

/** @internal */
export { describeSchemas } from './describe.ts';
/** @internal */
export { loadConnect, PostgresDriver } from './driver.ts';
/** @internal */
export { connectError } from './errors.ts';
export { POSTGRES_SCHEMES } from './schemes.ts';
/** @internal */
export { parameterText } from './types.ts';
/** @internal */
export { WireFilter } from './wire.ts';

const DIALECTS = FLAVORS.map(({ dialect }) => dialect);

/** PostgreSQL's databases and those of engines that speak its protocol; each statement is read-only and rolled back. */
export const datasourcePostgres = definePlugin({
  name: 'datasource-postgres',
  version: '1.0.0',
  type: 'datasource',
  description: 'PostgreSQL databases, read-only, over pools of connections.',
  options: DatasourcePostgresOptions,
  setup(ctx, { connections }) {
    ctx.tap(sqlDialects, () => DIALECTS);
    return tapServerDatabases(ctx, connections, (...given) => new PostgresDriver(...given), POSTGRES_ENGINE);
  },
});
