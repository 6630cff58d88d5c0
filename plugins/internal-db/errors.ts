/** Translates errors of the internal database into messages without host, folder, user or statement. */
import { AtlasError } from '../../kernel/index.ts';

const RETRY_SECONDS = 5;

export function notAvailable(): AtlasError {
  return new AtlasError('This needs the internal database, which is not configured.', {
    code: 'not_available',
    reason: 'E_INTERNAL_DB_MISSING',
    hint: 'Set DATABASE_URL to "postgres://…" or "sqlite:PATH" and start again.',
  });
}

export function unavailable(why: string, cause?: unknown): AtlasError {
  return new AtlasError(`The internal database is not available: ${why}.`, {
    code: 'unavailable',
    reason: 'E_INTERNAL_DB_UNAVAILABLE',
    hint: 'Try again shortly; if it stays so, the operator should look at the database and at DATABASE_URL.',
    retryAfterSeconds: RETRY_SECONDS,
    cause,
  });
}

/** The outer transaction holds the connection (the only one of a SQLite file) that the inner work would wait for. */
export function nestedUse(): AtlasError {
  return new AtlasError('The internal database was asked for a second connection inside a transaction.', {
    reason: 'E_INTERNAL_DB_NESTED',
    hint: 'Use the transaction that was handed in, or end it first.',
  });
}

/**
 * SQLSTATEs that speak of the statement, its values or its transaction; a whole class by its first two characters. Every
 * other one, known or not, says that the database does not serve us.
 */
const POSTGRES_STATEMENT = /^(?:0[39ABFLPZ]|2[01246789BDF]|22|23|25|3[489BF]|42|44|P0)/;

/** What the others say, among them a few of those classes that do not speak of the statement either. */
const POSTGRES_FAULTS: Readonly<Record<string, string>> = {
  '08': 'the connection was lost',
  '25006': 'the server takes no writes',
  '25P03': 'the server has ended a transaction that took too long',
  '25P04': 'the server has ended a transaction that took too long',
  '28': 'the server refuses the credentials',
  '40': 'another transaction was in the way',
  '3D': 'the server has no such database',
  '53': 'the server is short of connections, memory or disk space',
  '55000': 'the server does not let it be used now',
  '55P03': 'another server holds the lock',
  '57014': 'the server has stopped a statement that took too long',
  '57P': 'the server is starting or stopping',
  '58': 'the server has trouble with its storage',
  F0: 'the server is not set up correctly',
  XX: 'the server has an internal fault',
};

/** Primary codes of SQLite that speak of the statement or its values; extended ones (`SQLITE_CONSTRAINT_UNIQUE`) begin with them. */
const SQLITE_STATEMENT = /^SQLITE_(?:ERROR|CONSTRAINT|MISMATCH|MISUSE|RANGE|TOOBIG)/;

const SQLITE_FAULTS: Readonly<Record<string, string>> = {
  SQLITE_CANTOPEN: 'its file cannot be opened, or its folder not be written to',
  SQLITE_PERM: 'its file may not be used',
  SQLITE_READONLY: 'its file takes no writes',
  SQLITE_FULL: 'there is no disk space left',
  SQLITE_IOERR: 'its file cannot be read or written',
  SQLITE_CORRUPT: 'its file is damaged',
  SQLITE_NOTADB: 'its file is no SQLite database',
  SQLITE_BUSY: 'another process holds its file for too long',
  SQLITE_LOCKED: 'another process holds its file for too long',
  SQLITE_NOMEM: 'there is no memory left',
};

const NETWORK_FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the server does not accept connections there',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name cannot be looked up now',
  ETIMEDOUT: 'the server does not answer',
  EHOSTUNREACH: 'the server cannot be reached',
  ENETUNREACH: 'the server cannot be reached',
  EACCES: 'the permissions of its file, its folder or its socket forbid it',
  EPERM: 'the permissions of its file, its folder or its socket forbid it',
  ENOENT: 'its file or socket is not there',
  ENOTDIR: 'a part of its path is no folder',
  EEXIST: 'a part of its path is no folder',
  EISDIR: 'its path is a folder',
  EROFS: 'its file system takes no writes',
  ENOSPC: 'there is no disk space left',
};

/** What the code says; `undefined` for one of the statement. */
function byCode(code: string, faults: Readonly<Record<string, string>>, statement: RegExp): string | undefined {
  const known = Object.entries(faults).find(([prefix]) => code.startsWith(prefix))?.[1];
  if (known !== undefined || statement.test(code)) return known;
  return `it answers with the error ${code}`;
}

function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as { code?: unknown };
  if (error.name === 'KnexTimeoutError') return 'all connections to it are busy';
  if (typeof code === 'string' && code !== '') {
    if (code.startsWith('SQLITE_')) return byCode(code, SQLITE_FAULTS, SQLITE_STATEMENT);
    if (/^[0-9A-Z]{5}$/.test(code) && 'severity' in error) return byCode(code, POSTGRES_FAULTS, POSTGRES_STATEMENT);
    if (NETWORK_FAULTS[code] !== undefined) return NETWORK_FAULTS[code];
    if (/^(?:CERT_|DEPTH_|UNABLE_TO_|SELF_SIGNED|ERR_TLS|ERR_SSL|EPROTO)/.test(code)) {
      return 'an encrypted connection that can be trusted could not be set up';
    }
    if (/^(?:E[A-Z]+|ERR_WORKER_\w+)$/.test(code)) return 'the connection was lost';
  }
  if (/^The server does not support SSL/.test(error.message)) return 'the server offers no encryption';
  if (/^Cannot open database because the directory/.test(error.message)) return 'its folder is not there';
  if (/timeout expired/.test(error.message)) return 'the server does not answer';
  if (/Connection terminated|Connection ended|not queryable|Client was closed/i.test(error.message)) {
    return 'the connection was lost';
  }
  return /Unable to acquire a connection|^aborted$/.test(error.message) ? 'it is closed' : undefined;
}

/** Takes out of an error of PostgreSQL what holds, or may hold, values of rows and parameters. */
function removeValues(error: Error & { code?: unknown }): void {
  Object.assign(error, { detail: undefined, where: undefined, internalQuery: undefined });
  // The class of data exceptions, whose messages quote the value.
  if (!String(error.code).startsWith('22')) return;
  Object.assign(error, {
    hint: undefined,
    message: `a value is not what its column or expression takes (${error.code})`,
  });
  // The stack repeats the message.
  Error.captureStackTrace(error);
}

/** Failures of the database itself as `unavailable`; everything else, such as a broken constraint, as it is. */
export function translated(error: unknown): unknown {
  if (error instanceof AtlasError) return error;
  if (error instanceof Error && 'severity' in error) removeValues(error);
  const why = reasonOf(error);
  return why === undefined ? error : unavailable(why, error);
}
