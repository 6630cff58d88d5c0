/** ClickHouse's errors by number, as what the person who asked can do about them. */
import { AtlasError } from '../../kernel/index.ts';
import {
  connectionFailed,
  connectionLost,
  datasourceUnavailable,
  locked,
  loginFailed,
  networkFailure,
  notReading,
  serverFull,
  statementFailed,
  timedOut,
  withoutValues,
} from '../datasource-kit/index.ts';
import { NotClickhouse, OtherFormat, ServerFault } from './wire/fault.ts';
import { LINE_LIMIT_BYTES, LineTooLong } from './wire/lines.ts';

const NOT_LET_IN = [192, 193, 194, 195, 516, 731];
const UNKNOWN_DATABASE = 81;
const READONLY = 164;
/** A limit that the login's profile does not let anyone set. */
const CONSTRAINT = 452;
/** A setting or a format that an older server does not have. */
const TOO_OLD = [73, 115];
/** Too many statements or connections, and the login's quota. */
const FULL = [201, 202, 203];
const TIMED_OUT = [159, 160];
const KILLED = [394, 734];
const OUT_OF_MEMORY = [241, 173];
/** Limits of rows and bytes, of the server, the profile or the options of the connection. */
const TOO_MUCH = [158, 191, 307, 396];
const NO_RIGHT = [291, 497];
/** A shard or replica of a cluster does not answer. */
const NO_SHARD = [32, 198, 209, 210, 279, 425, 519, 999];
const LOCKED = [216, 473];
const SYNTAX = 62;
const THROWN = [395];
/**
 * Errors that name words of the statement and types alone. All others may hold values, with quotes or without: of rows,
 * and of subqueries that the server works out before it runs a statement.
 */
const OF_THE_TEXT = [42, 46, 47, 60, 63, 81, 206, 207, 215, 258, 352, 386, 456];
/** Errors that name types before anything else. */
const OF_TYPES = [43, 53, 125, 179, 184];

/** Behind the words that tell what is wrong, the server repeats the statement, with the conditions of policies. */
const REPEATED =
  /(?:[:.,] )?(?:\bin scope\b|\bin query\b|\bmaybe you meant\b|\bwhile (?:executing|processing|reading)\b|\bexpected one of\b|\(version )[\s\S]*$/i;

/** A server that is gone, that never was there, or that has closed what idled: another one may answer. */
const OF_A_SOCKET = /^(?:E[A-Z]+|ERR_SOCKET_CLOSED|ERR_STREAM_PREMATURE_CLOSE)$/;

export const isOfSocket = (error: unknown): boolean =>
  !(error instanceof AtlasError) &&
  (OF_A_SOCKET.test(String((error as { code?: unknown }).code)) || /socket hang up/.test((error as Error).message));

/** While a connection is set up. */
export function connectError(error: unknown): AtlasError {
  if (error instanceof AtlasError) return error;
  if (error instanceof ServerFault) {
    const { code } = error;
    if (NOT_LET_IN.includes(code)) {
      return loginFailed('the server does not accept user and password', 'Correct them in the URL.', error);
    }
    if (code === UNKNOWN_DATABASE) {
      return loginFailed('there is no such database', 'Correct its name in the URL.', error);
    }
    if (code === READONLY || code === CONSTRAINT) {
      return loginFailed(
        'the profile of the login does not let the limits of a statement be set',
        'Give the login a profile with "readonly = 2" in place of 1, and without constraints on limits.',
        error,
      );
    }
    if (TOO_OLD.includes(code)) {
      return loginFailed('the server is too old', 'Use ClickHouse 25.3 or newer.', error);
    }
    if (NO_RIGHT.includes(code)) {
      return loginFailed('the login may not read', 'GRANT SELECT on the tables to the login.', error);
    }
    if (FULL.includes(code)) return serverFull(error);
    return connectionFailed('the server refuses to work', 'Look into the log of the server.', error);
  }
  if (error instanceof NotClickhouse) {
    return connectionFailed(
      'the server does not answer as ClickHouse does over HTTP',
      'Check host and port in the URL: HTTP is usually at 8123, or with TLS at 8443, and not at 9000.',
      error,
    );
  }
  return networkFailure(error) ?? connectionLost(error);
}

/** While a statement runs. `timeoutMs`: what it had. */
export function statementError(error: unknown, timeoutMs: number): AtlasError {
  if (error instanceof AtlasError) return error;
  if (error instanceof LineTooLong) {
    return statementFailed(
      `A row of the result is larger than ${LINE_LIMIT_BYTES / 1024 / 1024} MB`,
      'Select fewer or shorter values, such as substring(column, 1, 1000).',
    );
  }
  if (error instanceof OtherFormat) {
    return statementFailed('ClickHouse: the answer is in another format than was asked for', 'Write no FORMAT.');
  }
  if (error instanceof NotClickhouse) return connectError(error);
  if (!(error instanceof ServerFault)) return networkFailure(error) ?? connectionLost(error);
  return faultError(error, timeoutMs);
}

function faultError(fault: ServerFault, timeoutMs: number): AtlasError {
  const { code, message } = fault;
  if (TIMED_OUT.includes(code)) return timedOut(timeoutMs);
  if (KILLED.includes(code)) return connectionLost(fault);
  if (code === READONLY) return notReading();
  if (FULL.includes(code)) return serverFull(fault);
  if (LOCKED.includes(code)) return locked(fault);
  if (NOT_LET_IN.includes(code) || code === CONSTRAINT || TOO_OLD.includes(code)) return connectError(fault);
  if (OUT_OF_MEMORY.includes(code)) {
    return statementFailed(
      'ClickHouse: the statement needs more memory than it may use',
      'Ask for fewer rows, a shorter period or a coarser grouping.',
    );
  }
  if (TOO_MUCH.includes(code)) {
    return statementFailed(
      'ClickHouse: the statement reads more than the limits of the server allow',
      'Ask for a shorter period, or for fewer rows and columns.',
    );
  }
  if (NO_RIGHT.includes(code)) {
    return statementFailed(
      'ClickHouse: the login of this connection has no right to it',
      'GRANT SELECT on it to the login.',
    );
  }
  if (NO_SHARD.includes(code)) {
    return datasourceUnavailable('ClickHouse: a server of the cluster does not answer.', {
      reason: 'E_DATASOURCE_SHARD',
      hint: 'Ask again once all shards of the cluster are up.',
      cause: fault,
    });
  }
  if (code === SYNTAX) return statementFailed(`ClickHouse: the syntax of the statement is wrong${nearOf(message)}`);
  if (THROWN.includes(code)) return statementFailed('ClickHouse: a function of the statement refused a value');
  const told = message.replace(REPEATED, '').trimEnd();
  if (OF_THE_TEXT.includes(code)) return statementFailed(`ClickHouse: ${told.slice(0, 300)}`);
  if (OF_TYPES.includes(code)) return statementFailed(`ClickHouse: ${withoutValues(told)}`);
  const kind = fault.kind === '' ? `error ${code}` : fault.kind.toLowerCase().replaceAll('_', ' ');
  return statementFailed(`ClickHouse: ${kind}`);
}

/** The word at which reading stopped, when it is one; a literal may belong to a policy. */
function nearOf(message: string): string {
  const [, word] = /failed at position \d+ \((\w{1,40})\)/.exec(message) ?? [];
  return word === undefined || /^\d/.test(word) ? '' : ` near "${word}"`;
}
