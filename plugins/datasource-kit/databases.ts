/** Makes the databases of a datasource plugin and taps the hooks that they answer. */
import {
  AtlasError,
  type Awaitable,
  datasourceDescribe,
  datasourceExecute,
  datasourceList,
  healthCheck,
  messageOf,
  type PluginContext,
  type Scope,
} from '../../kernel/index.ts';
import { resultOf } from './cached-result.ts';
import type { DatasourceEngine, OpenDatabase, Reach } from './engines.ts';
import { datasourceEngines, datasourceEstimate, datasourceHealth, datasourceViews, resultMemory } from './hooks.ts';
import type { FileDatabase } from './process/file-database.ts';
import { ProcessWatcher } from './process/process-watcher.ts';
import { rowSinks } from './row-sink.ts';
import { ServerDatabase } from './server/server-database.ts';
import type { Driver } from './server/session.ts';
import type { PoolOptions } from './server/session-pool.ts';

export interface DatasourceApi {
  /**
   * What the logins may do beyond reading, one sentence each, with the commands that take it away. A connection that
   * cannot be asked is one sentence too.
   */
  warnings(): Promise<readonly string[]>;
}

/** Makes the database of each connection; an error names the connection. Rejects with `configuration_error`. */
async function databasesOf<O extends { readonly id: string }, D>(
  connections: readonly O[],
  make: (options: O) => Awaitable<D>,
): Promise<D[]> {
  const ids = new Set<string>();
  const databases: D[] = [];
  for (const connection of connections) {
    if (ids.has(connection.id)) {
      throw new AtlasError(`Two connections are named "${connection.id}".`, {
        code: 'configuration_error',
        reason: 'E_CONNECTION_DUPLICATE',
        hint: 'Give each connection a different id.',
      });
    }
    ids.add(connection.id);
    try {
      databases.push(await make(connection));
    } catch (error) {
      if (error instanceof AtlasError) error.message = `Connection "${connection.id}": ${error.message}`;
      throw error;
    }
  }
  return databases;
}

/** The label of who asks; what the server does by itself has a label too, and nobody asks for it. */
const userOf = ({ actor }: Scope) => (actor.id === null ? undefined : (actor.label ?? undefined));

/** Taps what one database answers, by its connection's key; the result takes the taps away again. */
export function tapDatabase(
  ctx: PluginContext,
  key: string,
  database: Pick<OpenDatabase, 'execute' | 'describe' | 'estimate' | 'views' | 'health'> & Pick<Driver, 'runsAsUser'>,
) {
  const taps = [
    ctx.tapKey(datasourceExecute, key, (statement, scope) => {
      const sink = rowSinks.get(scope);
      const memory = () => ctx.call(resultMemory, statement, scope);
      const read = () => database.execute(statement, scope.signal, memory, userOf(scope), sink);
      // Rows that depend on who asks, or that are handed on, are no result that others may have.
      return database.runsAsUser || sink !== undefined ? read() : resultOf(ctx, statement, scope, read);
    }),
    ctx.tapKey(datasourceDescribe, key, (request, scope) => database.describe(scope.signal, request)),
    ctx.tapKey(datasourceEstimate, key, (request, scope) => database.estimate(request, scope.signal, userOf(scope))),
    ctx.tapKey(datasourceViews, key, (_, scope) => database.views(scope.signal)),
    ctx.tapKey(datasourceHealth, key, () => database.health()),
  ];
  return () => {
    for (const untap of taps) untap();
  };
}

/** Taps what a datasource must answer, and closes the databases with the plugin. */
function tapDatabases(ctx: PluginContext, databases: readonly OpenDatabase[]): void {
  for (const database of databases) tapDatabase(ctx, database.info.id, database);
  ctx.tap(datasourceList, () => databases.map(({ info }) => info));
  ctx.tap(healthCheck, () => Promise.all(databases.map((database) => database.health())));
  ctx.onClose(async () => {
    await Promise.all(databases.map((database) => database.close()));
  });
}

/** What an engine says of itself, besides how it opens a database. */
type EngineInfo = Omit<DatasourceEngine, 'open'>;

/**
 * Databases in files, each asked in processes that end with the server. `setup` has to await or return it. `engine`: for
 * connections that are made later. Rejects with `configuration_error`.
 */
export async function tapFileDatabases<O extends { readonly id: string }>(
  ctx: PluginContext,
  connections: readonly O[],
  make: (options: O, watcher: ProcessWatcher, reach?: Reach) => Awaitable<FileDatabase>,
  engine?: EngineInfo,
): Promise<void> {
  const watcher = new ProcessWatcher();
  // Registered first, and so closed after the databases whose processes it watches.
  ctx.onClose(() => watcher.close());
  tapDatabases(ctx, await databasesOf(connections, (connection) => make(connection, watcher)));
  if (engine === undefined) return;
  ctx.tap(datasourceEngines, () => [{ ...engine, open: (options: O, reach) => make(options, watcher, reach) }]);
}

/**
 * Databases behind a login. `setup` has to await or return it. Logs at the start what the logins should not be able to do.
 * `make` can import the driver, so that only engines that are used are loaded. `engine`: for connections that are made later.
 * Rejects with `configuration_error`.
 */
export async function tapServerDatabases<O extends { readonly id: string } & Omit<PoolOptions, 'connection'>>(
  ctx: PluginContext,
  connections: readonly O[],
  make: (options: O, reach?: Reach) => Awaitable<Driver>,
  engine?: EngineInfo,
): Promise<DatasourceApi> {
  const open = async (connection: O, reach?: Reach) => new ServerDatabase(await make(connection, reach), connection);
  const databases = await databasesOf(connections, (connection) => open(connection));
  tapDatabases(ctx, databases);
  if (engine !== undefined) ctx.tap(datasourceEngines, () => [{ ...engine, open }]);
  const warnings = async () => {
    const found = databases.map((database) =>
      database.warnings().catch((error: unknown) => [`Connection "${database.info.id}": ${messageOf(error)}`]),
    );
    return (await Promise.all(found)).flat();
  };
  let closed = false;
  ctx.onReady(() => {
    // Not awaited: a database that is down must not keep this server from starting.
    void warnings().then((sentences) => {
      if (!closed) for (const warning of sentences) ctx.log.warn({}, warning);
    });
  });
  ctx.onClose(() => {
    closed = true;
  });
  return { warnings };
}
