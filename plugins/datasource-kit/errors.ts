/** What can go wrong with any database, in words for the person who asked. No host, no folder, no user. */
import { AtlasError, messageOf } from '../../kernel/index.ts';

/** Ends a server's message with a full stop and begins it with a capital letter. */
export const sentence = (text: string): string => {
  const whole = text.trim();
  return `${whole.charAt(0).toUpperCase()}${whole.slice(1)}${/[.!?]$/.test(whole) ? '' : '.'}`;
};

/**
 * A message of a statement that met data, without the values that it may quote: they may be of rows that the person
 * must not see. Values stand behind quotes of many languages, brackets, colons and arrows, or are numbers.
 */
export const withoutValues = (message: string): string =>
  message
    .replace(/(?:["'`«»„“”‘’「『:(<=]|[-+.]?(?<![\p{L}\p{N}_])\d)[\s\S]*$/u, '')
    .trimEnd()
    .slice(0, 200);

export function timedOut(timeoutMs: number): AtlasError {
  return new AtlasError(`The statement did not finish within ${timeoutMs} ms and was stopped.`, {
    code: 'sql_timeout',
    reason: 'E_SQL_TIMEOUT',
    hint: 'Ask for fewer rows, a shorter period or a simpler grouping.',
  });
}

/** What waiting code throws at an abort: the reason when it is one of ours. */
export function cancelled(reason?: unknown): AtlasError {
  if (reason instanceof AtlasError) return reason;
  return new AtlasError('The statement was cancelled.', {
    code: 'sql_cancelled',
    reason: 'E_SQL_CANCELLED',
    cause: reason,
  });
}

/** `expectedWaitMs`: when the statements that wait now will have run. */
export function tooBusy(connection: string, expectedWaitMs = 0): AtlasError {
  return new AtlasError(`The connection "${connection}" is busy: too many statements are waiting.`, {
    code: 'overloaded',
    reason: 'E_DATASOURCE_BUSY',
    hint: 'Ask again in a moment.',
    retryAfterSeconds: Math.min(60, Math.max(1, Math.ceil(expectedWaitMs / 1000))),
  });
}

export function closing(connection: string): AtlasError {
  return new AtlasError(`The connection "${connection}" is closed.`, {
    code: 'unavailable',
    reason: 'E_DATASOURCE_CLOSED',
    hint: 'Ask again once the server is up.',
    retryAfterSeconds: 5,
  });
}

/** A statement without `tables`: no guard has looked at it. */
export function unchecked(): AtlasError {
  return new AtlasError('The statement was not checked: the tables that it may read are missing.', {
    code: 'sql_refused',
    reason: 'E_SQL_UNCHECKED',
    hint: 'Add the plugin "sql-guard" to the composition.',
  });
}

export function notReading(): AtlasError {
  return new AtlasError('Only a statement that reads rows can be run.', {
    code: 'sql_refused',
    reason: 'E_SQL_NOT_READING',
    hint: 'Write one SELECT statement.',
  });
}

export function unbindable(value: unknown): AtlasError {
  return new AtlasError(`A value of type ${typeof value} cannot be bound to a statement.`, {
    code: 'sql_failed',
    reason: 'E_SQL_PARAMETER',
    hint: 'Bind text, finite numbers, booleans, dates, binary or null.',
  });
}

export function statementFailed(message: string, hint = 'Correct the statement and run it again.'): AtlasError {
  return new AtlasError(sentence(message), { code: 'sql_failed', reason: 'E_SQL_STATEMENT', hint });
}

/** The database cannot be reached or read at all, whatever the statement. */
export function datasourceUnavailable(
  message: string,
  init: { readonly reason: string; readonly hint: string; readonly cause?: unknown },
): AtlasError {
  return new AtlasError(message, { ...init, code: 'datasource_unavailable', retryAfterSeconds: 5 });
}

/** `why` completes "Connection failed: …". */
export function connectionFailed(why: string, hint: string, cause?: unknown): AtlasError {
  return datasourceUnavailable(sentence(`Connection failed: ${why}`), { reason: NO_DATABASE, hint, cause });
}

/** The same when a server of the engine has answered: it refuses the login, or its encryption is not as wanted. */
export function loginFailed(why: string, hint: string, cause?: unknown): AtlasError {
  return datasourceUnavailable(sentence(`Connection failed: ${why}`), { reason: 'E_DATASOURCE_LOGIN', hint, cause });
}

/** The reason of failures that tell whether something else listens where no database answers. */
const NO_DATABASE = 'E_DATASOURCE_CONNECTION';

/**
 * The error without what it tells of a host that has no database: for URLs of people who must not look around in the
 * server's network.
 */
export function discreet(error: unknown): unknown {
  if (!(error instanceof AtlasError) || error.reason !== NO_DATABASE) return error;
  return datasourceUnavailable('Connection failed: no database of this kind answers there.', {
    reason: NO_DATABASE,
    hint: 'Check host, port, firewall and that the server runs.',
    cause: error,
  });
}

export function noAnswer(cause?: unknown): AtlasError {
  return connectionFailed('the server does not answer', 'Check host, port and firewall.', cause);
}

/** The server was there and is gone in the middle of the work. */
export function connectionLost(cause?: unknown): AtlasError {
  return connectionFailed(
    'the database server ended it or cannot be reached any more',
    'Ask again; no restart is needed once the server is back.',
    cause,
  );
}

/** The database server itself takes no more sessions. */
export function serverFull(cause?: unknown): AtlasError {
  return new AtlasError('The database server has no connection left.', {
    code: 'overloaded',
    reason: 'E_DATASOURCE_FULL',
    hint: 'Ask again in a moment, or lower "maxConnections" of this connection.',
    retryAfterSeconds: 5,
    cause,
  });
}

/** Something else holds a lock that the statement needs. */
export function locked(cause?: unknown): AtlasError {
  return new AtlasError('A table is locked by a program that changes it.', {
    code: 'overloaded',
    reason: 'E_DATASOURCE_LOCKED',
    hint: 'Ask again in a moment.',
    retryAfterSeconds: 2,
    cause,
  });
}

/** Failures of sockets and TLS, by Node's codes. */
const NETWORK_FAULTS: Readonly<Record<string, readonly [why: string, hint: string]>> = {
  ECONNREFUSED: ['the server does not accept connections there', 'Check host and port, and that the server runs.'],
  ENOTFOUND: ['the host name is not known', 'Check the host name in the URL.'],
  EAI_AGAIN: ['the host name cannot be looked up now', 'Check the name service, then ask again.'],
  ETIMEDOUT: ['the server does not answer', 'Check host, port and firewall.'],
  EHOSTUNREACH: ['the server cannot be reached', 'Check host, route and firewall.'],
  ENETUNREACH: ['the server cannot be reached', 'Check host, route and firewall.'],
  ENOENT: ['there is no such socket', 'Check the folder of the socket and that the server runs.'],
  EACCES: ['the socket may not be opened', 'Give the server process the right to use the socket.'],
};

/** The error of a socket, or `undefined` when it is none. */
export function networkFailure(error: unknown): AtlasError | undefined {
  const { code = '', message = '' } = error as { code?: unknown; message?: string };
  const fault = NETWORK_FAULTS[String(code)];
  if (fault !== undefined) return connectionFailed(...fault, error);
  if (/^(?:CERT_|DEPTH_|UNABLE_TO_|SELF_SIGNED|ERR_TLS_CERT|HOSTNAME_MISMATCH)/.test(String(code))) {
    return loginFailed(
      "the server's certificate is not trusted",
      'Name the certificate of its authority in the URL, or choose a weaker mode of verification.',
      error,
    );
  }
  if (/^(?:ERR_SSL|ERR_TLS|EPROTO)/.test(String(code))) {
    return connectionFailed('the encrypted connection could not be set up', 'Check the TLS settings.', error);
  }
  return /^E[A-Z]+$/.test(String(code)) || /timeout|terminated|closed/i.test(message)
    ? connectionLost(error)
    : undefined;
}

/** What is wrong and what to do about it, for the health report. */
export function adviceOf(error: unknown): string {
  const hint = error instanceof AtlasError && error.hint !== undefined ? ` ${error.hint}` : '';
  return messageOf(error) + hint;
}
