import { definePlugin } from '../../kernel/index.ts';
import { tapServerDatabases } from '../datasource-kit/index.ts';
import { DatasourceMysqlOptions } from './options.ts';
import { MYSQL_ENGINE } from './registration.ts';

/** @internal */
export { describeDatabases } from './describe.ts';
/** @internal */
export { typedParameters } from './parameters.ts';
export { MYSQL_SCHEMES } from './schemes.ts';
/** @internal */
export { settingsSql } from './settings.ts';

/** MySQL and MariaDB databases, each statement in a read-only transaction that is rolled back. */
export const datasourceMysql = definePlugin({
  name: 'datasource-mysql',
  version: '1.0.0',
  type: 'datasource',
  description: 'MySQL and MariaDB databases, read-only, over pools of connections.',
  options: DatasourceMysqlOptions,
  setup(ctx, { connections }) {
    return tapServerDatabases(
      ctx,
      connections,
      async (...given) => new (await import('./driver.ts')).MysqlDriver(...given),
      MYSQL_ENGINE,
    );
  },
});
