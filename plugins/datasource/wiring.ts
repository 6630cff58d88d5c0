/** Ties the databases of a datasource plugin to the hooks. */
import {
  AtlasError,
  datasourceDescribe,
  datasourceExecute,
  datasourceList,
  healthCheck,
  messageOf,
  type PluginContext,
} from '../../kernel/index.ts';
import type { Database } from './database.ts';

export interface DatasourceApi {
  /**
   * What the logins may do beyond reading, one sentence each, with the commands that take it away. A connection that
   * cannot be asked is one sentence too.
   */
  warnings(): Promise<readonly string[]>;
}

/** Makes the database of each connection; an error names the connection. Throws `configuration_error`. */
export function databasesOf<O extends { readonly id: string }, D>(
  connections: readonly O[],
  make: (options: O) => D,
): D[] {
  const ids = new Set<string>();
  return connections.map((connection) => {
    if (ids.has(connection.id)) {
      throw new AtlasError(`Two connections are named "${connection.id}".`, {
        code: 'configuration_error',
        reason: 'E_CONNECTION_DUPLICATE',
        hint: 'Give each connection an id of its own.',
      });
    }
    ids.add(connection.id);
    try {
      return make(connection);
    } catch (error) {
      if (error instanceof AtlasError) error.message = `Connection "${connection.id}": ${error.message}`;
      throw error;
    }
  });
}

/** What every engine's databases can do. */
type Answering = Pick<Database, 'info' | 'execute' | 'describe' | 'health' | 'close'>;

/** Taps what a datasource must answer, and closes the databases with the plugin. */
export function tapDatabases(ctx: PluginContext, databases: readonly Answering[]): void {
  for (const database of databases) {
    const { id } = database.info;
    ctx.tapKey(datasourceExecute, id, (statement, scope) => database.execute(statement, scope.signal));
    ctx.tapKey(datasourceDescribe, id, (request, scope) => database.describe(scope.signal, request?.schemas));
  }
  ctx.tap(datasourceList, () => databases.map(({ info }) => info));
  ctx.tap(healthCheck, () => Promise.all(databases.map((database) => database.health())));
  ctx.onClose(async () => {
    await Promise.all(databases.map((database) => database.close()));
  });
}

/** Databases behind a login: besides, logs at the start what the logins should not be able to do. */
export function tapLogins(ctx: PluginContext, databases: readonly Database[]): DatasourceApi {
  tapDatabases(ctx, databases);
  const warnings = async () => {
    const found = databases.map((database) =>
      database.warnings().catch((error: unknown) => [`Connection "${database.info.id}": ${messageOf(error)}`]),
    );
    return (await Promise.all(found)).flat();
  };
  let closed = false;
  ctx.onReady(() => {
    // Nobody waits for the databases: a server that is down must not keep this one from starting.
    void warnings().then((sentences) => {
      if (!closed) for (const warning of sentences) ctx.log.warn({}, warning);
    });
  });
  ctx.onClose(() => {
    closed = true;
  });
  return { warnings };
}
