/** MySQL's and MariaDB's errors by number, as what the person who asked can do about them. */
import { AtlasError } from '../../kernel/index.ts';
import {
  connectionFailed,
  connectionLost,
  locked,
  loginFailed,
  networkFailure,
  noAnswer,
  notReading,
  serverFull,
  statementFailed,
  timedOut,
  withoutValues,
} from '../datasource-kit/index.ts';

interface ServerError {
  readonly errno: number;
  readonly message: string;
}

function serverError(error: unknown): ServerError | undefined {
  const { errno, sqlState, message } = error as Record<string, unknown>;
  return typeof errno === 'number' && typeof sqlState === 'string' ? { errno, message: String(message) } : undefined;
}

/** Too many connections, of the server, of the user, or within the hour. */
const FULL = [1040, 1203, 1226];
const NOT_LET_IN = [1045, 1698, 1130, 1251, 3118, 4151];
/** The statement's or the query's own time; a statement that was killed from outside. */
const TIMED_OUT = [1969, 3024];
const KILLED = [1317, 1927];
const LOCKED = [1205, 1213, 3572];
const GONE = [1053, 1077, 1079, 1152, 1184, 2006, 2013, 4031];
/** Writing in a read-only transaction, or on a server that only reads. */
const WRITES = [1290, 1792, 1836];
/** A function's or trigger's own words. */
const SIGNALLED = 1644;
const NO_RIGHT = [1142, 1143, 1370, 1227, 1044];
/** Errors that speak of the statement's words rather than of the data that it met. */
const OF_THE_TEXT = [
  1046, 1049, 1051, 1052, 1054, 1055, 1056, 1060, 1064, 1066, 1109, 1111, 1140, 1146, 1149, 1210, 1221, 1222, 1235,
  1241, 1242, 1248, 1305, 1582, 3593, 4015,
];

/** While a connection is set up. */
export function connectError(error: unknown): AtlasError {
  if (error instanceof AtlasError) return error;
  const server = serverError(error);
  const { code = '', message = '' } = error as { code?: unknown; message?: string };
  if (server !== undefined) {
    if (NOT_LET_IN.includes(server.errno)) {
      return loginFailed('the server does not accept user and password', 'Correct them in the URL.', error);
    }
    if (server.errno === 1049) return loginFailed('there is no such database', 'Correct its name in the URL.');
    if (server.errno === 1044) {
      return loginFailed('the user may not use this database', 'GRANT SELECT on the database to the user.');
    }
    if (server.errno === 3159) {
      return loginFailed('the server wants encryption', 'Use "ssl-mode=REQUIRED" in the URL.', error);
    }
    if (FULL.includes(server.errno)) return serverFull(error);
    if (server.errno === 1129) {
      return loginFailed('the server has blocked this host', 'Run "mysqladmin flush-hosts" on the server.', error);
    }
  }
  if (code === 'HANDSHAKE_NO_SSL_SUPPORT') {
    return loginFailed('the server offers no encryption', 'Set it up, or use "ssl-mode=DISABLED" in the URL.');
  }
  if (code === 'ETIMEDOUT') return noAnswer(error);
  if (code === 'HANDSHAKE_SSL_ERROR' || /certificate/i.test(message)) {
    return loginFailed(
      "the server's certificate is not trusted",
      'Name the certificate of its authority with "ssl-ca" in the URL, or choose a weaker "ssl-mode".',
      error,
    );
  }
  return (
    networkFailure(error) ??
    connectionFailed('the server does not answer as MySQL does', 'Check host and port in the URL.', error)
  );
}

/** While a statement runs. `timeoutMs`: what it had. */
export function statementError(error: unknown, timeoutMs: number): AtlasError {
  if (error instanceof AtlasError) return error;
  const server = serverError(error);
  if (server === undefined) return columnNameError(error) ?? networkFailure(error) ?? connectionLost(error);
  const { errno, message } = server;
  if (TIMED_OUT.includes(errno)) return timedOut(timeoutMs);
  if (KILLED.includes(errno) || GONE.includes(errno)) return connectionLost(error);
  if (LOCKED.includes(errno)) return locked(error);
  if (WRITES.includes(errno)) return notReading();
  if (FULL.includes(errno)) return serverFull(error);
  if (NO_RIGHT.includes(errno)) {
    return statementFailed(
      'MySQL: the login of this connection has no right to it.',
      'GRANT SELECT on it to the login.',
    );
  }
  if (errno === SIGNALLED) return statementFailed('MySQL: a function of the database refused a value');
  return statementFailed(`MySQL: ${OF_THE_TEXT.includes(errno) ? message : withoutValues(message)}`);
}

/** The library reads no column that is named like an inner property of objects. */
function columnNameError(error: unknown): AtlasError | undefined {
  if (!/private property/.test((error as Error).message)) return undefined;
  return statementFailed(
    'A column of the result has a name that cannot be read',
    'Rename it with AS and run it again.',
  );
}
