import {
  AtlasError,
  datasourceDescribe,
  datasourceExecute,
  datasourceList,
  definePlugin,
  healthCheck,
} from '../../kernel/index.ts';
import { ProcessWatcher } from '../datasource/process-watcher.ts';
import { SqliteConnection } from './connection.ts';
import { DatasourceSqliteOptions } from './options.ts';

/** SQLite files, read-only, each asked in processes of its own so that a statement can be stopped. */
export const datasourceSqlite = definePlugin({
  name: 'datasource-sqlite',
  version: '1.0.0',
  type: 'datasource',
  description: 'SQLite files, read-only, in processes of their own.',
  options: DatasourceSqliteOptions,
  setup(ctx, options) {
    const watcher = new ProcessWatcher();
    const ids = new Set<string>();
    const connections = options.connections.map((connection) => {
      if (ids.has(connection.id)) {
        throw new AtlasError(`Two SQLite connections are named "${connection.id}".`, {
          code: 'configuration_error',
          reason: 'E_CONNECTION_DUPLICATE',
          hint: 'Give each connection an id of its own.',
        });
      }
      ids.add(connection.id);
      try {
        return new SqliteConnection(connection, process.cwd(), watcher);
      } catch (error) {
        if (error instanceof AtlasError) error.message = `Connection "${connection.id}": ${error.message}`;
        throw error;
      }
    });
    for (const connection of connections) {
      ctx.tapKey(datasourceExecute, connection.info.id, (statement, scope) =>
        connection.execute(statement, scope.signal),
      );
      ctx.tapKey(datasourceDescribe, connection.info.id, (_, scope) => connection.describe(scope.signal));
    }
    ctx.tap(datasourceList, () => connections.map((connection) => connection.info));
    ctx.tap(healthCheck, () => Promise.all(connections.map((connection) => connection.health())));
    ctx.onClose(async () => {
      await Promise.all(connections.map((connection) => connection.close()));
      watcher.close();
    });
  },
});
