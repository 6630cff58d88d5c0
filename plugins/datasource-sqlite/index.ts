import { definePlugin } from '../../kernel/index.ts';
import { tapFileDatabases } from '../datasource-kit/index.ts';
import { sqliteConnection } from './connection.ts';
import { DatasourceSqliteOptions } from './options.ts';
import { SQLITE_ENGINE } from './registration.ts';

/** @internal */
export { bind } from './bind.ts';
/** @internal */
export { sqliteConnection } from './connection.ts';
/** @internal */
export { describeSchema } from './describe.ts';
/** @internal */
export { fromFailure } from './errors.ts';
export { SQLITE_SCHEMES } from './schemes.ts';
/** @internal */
export { parseSqliteUrl } from './url.ts';
/** @internal */
export { Schema } from './verify.ts';

/** Queries SQLite files, read-only, each in separate processes so that a statement can be stopped. */
export const datasourceSqlite = definePlugin({
  name: 'datasource-sqlite',
  version: '1.0.0',
  type: 'datasource',
  description: 'SQLite files, read-only, in processes of their own.',
  options: DatasourceSqliteOptions,
  setup(ctx, { connections }) {
    return tapFileDatabases(
      ctx,
      connections,
      (options, watcher, reach) => sqliteConnection(options, reach?.folder ?? process.cwd(), watcher),
      SQLITE_ENGINE,
    );
  },
});
