import { definePlugin } from '../../kernel/index.ts';
import { Database } from '../datasource/database.ts';
import { databasesOf, tapLogins } from '../datasource/wiring.ts';
import { PostgresDriver } from './driver.ts';
import { DatasourcePostgresOptions } from './options.ts';

/** PostgreSQL databases, each statement in a read-only transaction that is rolled back. */
export const datasourcePostgres = definePlugin({
  name: 'datasource-postgres',
  version: '1.0.0',
  type: 'datasource',
  description: 'PostgreSQL databases, read-only, over pools of connections.',
  options: DatasourcePostgresOptions,
  setup(ctx, options) {
    const databases = databasesOf(
      options.connections,
      (connection) => new Database(new PostgresDriver(connection), connection),
    );
    return tapLogins(ctx, databases);
  },
});
