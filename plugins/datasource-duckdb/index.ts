import { definePlugin } from '../../kernel/index.ts';
import { ProcessWatcher } from '../datasource/process-watcher.ts';
import { databasesOf, tapDatabases } from '../datasource/wiring.ts';
import { DuckdbConnection } from './connection.ts';
import { DatasourceDuckdbOptions } from './options.ts';

/** DuckDB files, read-only, each asked in processes of its own. */
export const datasourceDuckdb = definePlugin({
  name: 'datasource-duckdb',
  version: '1.0.0',
  type: 'datasource',
  description: 'DuckDB files, read-only, in processes of their own.',
  options: DatasourceDuckdbOptions,
  setup(ctx, options) {
    const watcher = new ProcessWatcher();
    // Registered first, and so closed after the databases whose processes it watches.
    ctx.onClose(() => watcher.close());
    const make = (connection: (typeof options.connections)[number]) =>
      new DuckdbConnection(connection, process.cwd(), watcher);
    tapDatabases(ctx, databasesOf(options.connections, make));
  },
});
