/** Opens connections, encrypted as the URL wants, and sends cancel requests the way the protocol does. */
import { EventEmitter } from 'node:events';
import pg from 'pg';
import type { PostgresTarget } from '../datasource-kit/index.ts';
import type { WireFilter } from './wire.ts';

/** Parts of the library's connection that its types leave out. */
interface OpenConnection extends EventEmitter {
  readonly stream: NodeJS.ReadWriteStream & { destroy(): void };
  attachListeners(stream: EventEmitter): void;
  connect(port: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
}

/** A cancel request that has not arrived by then will not. */
const CANCEL_TIMEOUT_MS = 3_000;
const NO_TLS = /does not support SSL/;

function connectionTo(target: PostgresTarget, tls: boolean): OpenConnection {
  const options = tls && target.tls !== undefined ? { ssl: target.tls } : {};
  return new pg.Connection({
    ...options,
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
    // The library's own spelling differs from its types'.
    ...{ sslNegotiation: target.directTls ? 'direct' : 'postgres' },
  }) as unknown as OpenConnection;
}

/** Lets the parser see only what the filter leaves. A message that no server sends ends the connection. */
function filtered(connection: OpenConnection, filter: WireFilter): OpenConnection {
  const attach = connection.attachListeners.bind(connection);
  connection.attachListeners = (stream) => {
    const shortened = new EventEmitter();
    stream.on('data', (chunk: Buffer) => {
      try {
        for (const part of filter.push(chunk)) shortened.emit('data', part);
      } catch (error) {
        (stream as unknown as { destroy(error: unknown): void }).destroy(error);
      }
    });
    stream.on('end', () => shortened.emit('end'));
    attach(shortened);
  };
  return connection;
}

export interface Opening {
  readonly connectTimeoutMs: number;
  /** Between the server and the parser. */
  readonly filter: WireFilter;
  /** Gives the attempt up. */
  readonly signal: AbortSignal;
}

export interface Opened {
  readonly client: pg.Client;
  readonly encrypted: boolean;
  /** What the server says of itself at the connect. */
  readonly parameters: ReadonlyMap<string, string>;
}

async function openWith(
  target: PostgresTarget,
  encrypted: boolean,
  { connectTimeoutMs, filter, signal }: Opening,
): Promise<Opened> {
  const config = {
    user: target.user,
    // A function keeps the library from looking for passwords elsewhere.
    password: () => target.password,
    host: target.host,
    port: target.port,
    database: target.database,
    ssl: encrypted && target.tls !== undefined ? target.tls : false,
    sslnegotiation: target.directTls ? ('direct' as const) : ('postgres' as const),
    application_name: target.applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    enableChannelBinding: target.channelBinding,
    connection: filtered(connectionTo(target, encrypted), filter),
  };
  const client = new pg.Client(config);
  const parameters = new Map<string, string>();
  const listen = ({ parameterName, parameterValue }: { parameterName: string; parameterValue: string }) =>
    parameters.set(parameterName, parameterValue);
  config.connection.on('parameterStatus', listen);
  // Until the session listens: an error after a failed attempt would end the process.
  client.on('error', () => {});
  const giveUp = () => destroyClient(client);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    signal.throwIfAborted();
    await client.connect();
    return { client, encrypted, parameters };
  } catch (error) {
    destroyClient(client);
    throw error;
  } finally {
    signal.removeEventListener('abort', giveUp);
    config.connection.off('parameterStatus', listen);
  }
}

export async function openClient(target: PostgresTarget, opening: Opening): Promise<Opened> {
  const encrypted = target.tls !== undefined;
  try {
    return await openWith(target, encrypted, opening);
  } catch (error) {
    const offersNone = error instanceof Error && NO_TLS.test(error.message);
    if (!encrypted || !target.plainAllowed || !offersNone) throw error;
    return openWith(target, false, opening);
  }
}

export function destroyClient(client: pg.Client): void {
  client.connection.stream.destroy();
}

/** Asks the server to end what `client` runs. Resolves when the server has acted on it, which may be too early. */
export function requestCancel(target: PostgresTarget, { client, encrypted }: Opened): Promise<void> {
  const { processID, secretKey } = client as unknown as { processID: number; secretKey: number };
  const connection = connectionTo(target, encrypted);
  return new Promise((resolve) => {
    const timer = setTimeout(() => connection.stream.destroy(), CANCEL_TIMEOUT_MS);
    // The server closes it once the signal is sent; a failure shows in the statement that goes on.
    connection.once('end', () => {
      clearTimeout(timer);
      resolve();
    });
    connection.on('error', () => connection.stream.destroy());
    connection.on('connect', () => {
      if (!encrypted) connection.cancel(processID, secretKey);
      else if (!target.directTls) connection.requestSsl();
    });
    connection.on('sslconnect', () => connection.cancel(processID, secretKey));
    if (target.host.startsWith('/')) connection.connect(`${target.host}/.s.PGSQL.${target.port}`);
    else connection.connect(target.port, target.host);
  });
}
