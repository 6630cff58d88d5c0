import { definePlugin } from '../../kernel/index.ts';
import { Database } from '../datasource/database.ts';
import { databasesOf, tapLogins } from '../datasource/wiring.ts';
import { MysqlDriver } from './driver.ts';
import { DatasourceMysqlOptions } from './options.ts';

/** MySQL and MariaDB databases, each statement in a read-only transaction that is rolled back. */
export const datasourceMysql = definePlugin({
  name: 'datasource-mysql',
  version: '1.0.0',
  type: 'datasource',
  description: 'MySQL and MariaDB databases, read-only, over pools of connections.',
  options: DatasourceMysqlOptions,
  setup(ctx, options) {
    const databases = databasesOf(
      options.connections,
      (connection) => new Database(new MysqlDriver(connection), connection),
    );
    return tapLogins(ctx, databases);
  },
});
