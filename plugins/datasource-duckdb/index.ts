import { definePlugin } from '../../kernel/index.ts';
import { tapFileDatabases } from '../datasource-kit/index.ts';
import { duckdbConnection } from './connection.ts';
import { DatasourceDuckdbOptions } from './options.ts';
import { DUCKDB_ENGINE } from './registration.ts';

/** @internal */
export { bindAll } from './bind.ts';
/** @internal */
export { duckdbConnection } from './connection.ts';
/** @internal */
export { describeSchema } from './describe.ts';
export { DUCKDB_SCHEMES } from './schemes.ts';
/** @internal */
export { engineSettings, FINAL_SETTINGS } from './settings.ts';
/** @internal */
export { parseDuckdbUrl } from './url.ts';
/** @internal */
export { Verifier } from './verify.ts';

/** Queries DuckDB files, read-only, each in separate processes. */
export const datasourceDuckdb = definePlugin({
  name: 'datasource-duckdb',
  version: '1.0.0',
  type: 'datasource',
  description: 'DuckDB files, read-only, in processes of their own.',
  options: DatasourceDuckdbOptions,
  setup(ctx, { connections }) {
    return tapFileDatabases(
      ctx,
      connections,
      (options, watcher, reach) => duckdbConnection(options, reach?.folder ?? process.cwd(), watcher),
      DUCKDB_ENGINE,
    );
  },
});
