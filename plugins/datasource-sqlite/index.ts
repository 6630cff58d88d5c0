import { definePlugin } from '../../kernel/index.ts';
import { ProcessWatcher } from '../datasource/process-watcher.ts';
import { databasesOf, tapDatabases } from '../datasource/wiring.ts';
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
    // Registered first, and so closed after the databases whose processes it watches.
    ctx.onClose(() => watcher.close());
    const make = (connection: (typeof options.connections)[number]) =>
      new SqliteConnection(connection, process.cwd(), watcher);
    tapDatabases(ctx, databasesOf(options.connections, make));
  },
});
