import { definePlugin } from '../../kernel/index.ts';
import { tapFileDatabases } from '../datasource-kit/index.ts';
import { duckdbConnection } from './connection.ts';
import { DatasourceDuckdbOptions } from './options.ts';

export { bindAll } from './bind.ts';
export { duckdbConnection } from './connection.ts';
export { describeSchema } from './describe.ts';
export { DUCKDB_SCHEMES } from './schemes.ts';
export { engineSettings, FINAL_SETTINGS } from './settings.ts';
export { Verifier } from './verify.ts';

/** DuckDB files, read-only, each asked in processes of its own. */
export const datasourceDuckdb = definePlugin({
  name: 'datasource-duckdb',
  version: '1.0.0',
  type: 'datasource',
  description: 'DuckDB files, read-only, in processes of their own.',
  options: DatasourceDuckdbOptions,
  setup(ctx, { connections }) {
    tapFileDatabases(ctx, connections, (options, watcher) => duckdbConnection(options, process.cwd(), watcher));
  },
});
