/** Opens connections to a PostgreSQL server as its URL asks for them: encrypted, or without where that is allowed. */
import type { Client, CustomTypesConfig } from 'pg';
import type { PostgresTarget } from '../datasource-kit/index.ts';

export interface ConnectOptions {
  readonly timeoutMs: number;
  /** Default: that of the URL. */
  readonly database?: string;
  readonly types?: CustomTypesConfig;
}

/** Rejects with the error of the library, or of the server. */
export async function connectPostgres(server: PostgresTarget, options: ConnectOptions): Promise<Client> {
  try {
    return await connect(server, server.tls, options);
  } catch (error) {
    const offersNone = error instanceof Error && /does not support SSL/.test(error.message);
    if (server.tls === undefined || !server.plainAllowed || !offersNone) throw error;
    return connect(server, undefined, options);
  }
}

async function connect(
  server: PostgresTarget,
  tls: PostgresTarget['tls'],
  { timeoutMs, database, types }: ConnectOptions,
): Promise<Client> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    user: server.user,
    // A function keeps the library from looking for passwords elsewhere.
    password: () => server.password,
    host: server.host,
    port: server.port,
    database: database ?? server.database,
    ssl: tls ?? false,
    sslnegotiation: server.directTls ? 'direct' : 'postgres',
    enableChannelBinding: server.channelBinding,
    application_name: server.applicationName,
    connectionTimeoutMillis: timeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
    ...(types !== undefined && { types }),
  });
  // Without a listener, a connection that breaks ends the process.
  client.on('error', () => {});
  await client.connect();
  return client;
}
