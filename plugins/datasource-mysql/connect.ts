/** Opens connections, encrypted as the URL wants, and ends what others run. */
import { connect } from 'node:net';
import mysql, { type Connection, type ConnectionOptions } from 'mysql2';
import type { MysqlTarget } from './url.ts';
import { readValue } from './values.ts';

const KILL_TIMEOUT_MS = 3_000;
/** What a server may send before it accepts the login; a real one needs a few kilobytes. */
const GREETING_LIMIT_BYTES = 256 * 1024;

const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelay: 30_000, noDelay: true };

function optionsFor(target: MysqlTarget, encrypted: boolean, connectTimeout: number): ConnectionOptions {
  return {
    user: target.user,
    password: target.password,
    ...(target.socket === undefined ? { host: target.host, port: target.port } : { socketPath: target.socket }),
    // The name stays that of the host: its certificate is for it.
    ...(target.address !== undefined && {
      stream: () => connect({ host: target.address, port: target.port, ...KEEP_ALIVE }),
    }),
    ...(target.database === undefined ? {} : { database: target.database }),
    ...(encrypted && target.tls !== undefined ? { ssl: { ...target.tls } } : {}),
    connectTimeout,
    enableKeepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE.keepAliveInitialDelay,
    charset: 'utf8mb4',
    multipleStatements: false,
    // A server must not ask for files of this machine, nor read names another way than the guard does.
    flags: ['-LOCAL_FILES', '-IGNORE_SPACE', '-FOUND_ROWS', '-ODBC'],
    connectAttributes: { program_name: 'atlas' },
    rowsAsArray: true,
    // Values exactly as the server sends them; `values.ts` says what becomes of them.
    supportBigNumbers: true,
    bigNumberStrings: true,
    dateStrings: true,
    jsonStrings: true,
    timezone: 'Z',
    typeCast: readValue as NonNullable<ConnectionOptions['typeCast']>,
  };
}

/** What the library's types leave out. */
interface Inner {
  readonly stream: { readonly destroyed: boolean; destroy(): void };
  packetParser: { execute(chunk: Buffer): void };
  handlePacket(packet: unknown): void;
}

const innerOf = (connection: Connection) => connection as unknown as Inner;

/** Closes the connection at once. The library by itself goes on reading for as long as the server likes to send. */
export function destroyConnection(connection: Connection): void {
  connection.destroy();
  innerOf(connection).stream.destroy();
}

/**
 * Ends the connection to a server that sends too much before it accepts the login, and handles nothing that came before
 * the end. Returns what lifts the limit.
 */
function guard(connection: Connection, tooMuch: () => void): () => void {
  const inner = innerOf(connection);
  const { packetParser } = inner;
  const handle = inner.handlePacket.bind(connection);
  let left = GREETING_LIMIT_BYTES;
  // Stays: an error without a listener would end the process.
  connection.on('error', () => destroyConnection(connection));
  inner.packetParser = {
    execute(chunk) {
      left -= chunk.length;
      if (left >= 0) packetParser.execute(chunk);
      else tooMuch();
    },
  };
  // One chunk may hold thousands of packets.
  inner.handlePacket = (packet) => {
    if (!inner.stream.destroyed) handle(packet);
  };
  return () => {
    left = Number.POSITIVE_INFINITY;
  };
}

function openWith(options: ConnectionOptions, signal: AbortSignal): Promise<Connection> {
  const connection = mysql.createConnection(options);
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      destroyConnection(connection);
      reject(error);
    };
    const lift = guard(connection, () => fail(new Error('The server sent too much before it accepted the login.')));
    const giveUp = () => fail(signal.reason);
    connection.on('error', fail);
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
    connection.connect((error) => {
      signal.removeEventListener('abort', giveUp);
      if (error !== null) {
        fail(error);
        return;
      }
      connection.off('error', fail);
      lift();
      resolve(connection);
    });
  });
}

export async function openConnection(
  target: MysqlTarget,
  connectTimeoutMs: number,
  signal: AbortSignal,
): Promise<Connection> {
  const encrypted = target.tls !== undefined;
  try {
    return await openWith(optionsFor(target, encrypted, connectTimeoutMs), signal);
  } catch (error) {
    const offersNone = (error as { code?: unknown }).code === 'HANDSHAKE_NO_SSL_SUPPORT';
    if (!encrypted || !target.plainAllowed || !offersNone) throw error;
    return openWith(optionsFor(target, false, connectTimeoutMs), signal);
  }
}

/**
 * Ends a connection of this login on the server, whatever it runs. Unlike KILL QUERY it cannot come before the
 * statement that it is meant for. Rejects when the server cannot be told.
 */
export async function killConnection(target: MysqlTarget, threadId: number): Promise<void> {
  const connection = await openConnection(target, KILL_TIMEOUT_MS, AbortSignal.timeout(KILL_TIMEOUT_MS));
  try {
    await new Promise<void>((resolve, reject) => {
      connection.query(`KILL ${threadId}`, (error) => {
        // 1094: it has already ended.
        if (error === null || error.errno === 1094) resolve();
        else reject(error);
      });
    });
  } finally {
    destroyConnection(connection);
  }
}
