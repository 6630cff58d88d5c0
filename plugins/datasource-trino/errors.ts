/** Trino's errors by name, as what the person who asked can do about them. The names are those of `StandardErrorCode`. */
import { AtlasError } from '../../kernel/index.ts';
import {
  answerError,
  connectionFailed,
  connectionLost,
  datasourceUnavailable,
  HttpFault,
  loginFailed,
  networkFailure,
  OtherServer,
  serverFull,
  statementFailed,
  timedOut,
  withoutValues,
} from '../datasource-kit/index.ts';
import { ForeignPage, TrinoFault } from './wire/fault.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

const ENDED = words('ABANDONED_QUERY ADMINISTRATIVELY_KILLED ADMINISTRATIVELY_PREEMPTED USER_CANCELED');
const OUT_OF_MEMORY = words(
  `CLUSTER_OUT_OF_MEMORY EXCEEDED_FUNCTION_MEMORY_LIMIT EXCEEDED_GLOBAL_MEMORY_LIMIT EXCEEDED_LOCAL_MEMORY_LIMIT
  EXCEEDED_SPILL_LIMIT OUT_OF_SPILL_SPACE`,
);
const TOO_MUCH = words('EXCEEDED_SCAN_LIMIT QUERY_HAS_TOO_MANY_STAGES QUERY_TEXT_TOO_LARGE TOO_MANY_GROUPING_SETS');
const FULL = words('QUERY_QUEUE_FULL QUERY_REJECTED');
const NO_CLUSTER = words(
  `NO_NODES_AVAILABLE PAGE_TRANSPORT_ERROR PAGE_TRANSPORT_TIMEOUT REMOTE_HOST_GONE REMOTE_TASK_ERROR SERVER_SHUTTING_DOWN
  SERVER_STARTING_UP TOO_MANY_REQUESTS_FAILED`,
);
/**
 * Errors that name words of the statement and types. All others may hold values, of rows and of subqueries that the engine
 * works out before it runs a statement: of these only the name is told.
 */
const OF_THE_TEXT = words(
  `AMBIGUOUS_NAME CATALOG_NOT_FOUND COLUMN_NOT_FOUND DUPLICATE_COLUMN_NAME DUPLICATE_NAMED_QUERY FUNCTION_NOT_FOUND
  FUNCTION_NOT_WINDOW MISMATCHED_COLUMN_ALIASES MISSING_COLUMN_ALIASES MISSING_COLUMN_NAME OPERATOR_NOT_FOUND
  SCHEMA_NOT_FOUND TABLE_NOT_FOUND TYPE_MISMATCH TYPE_NOT_FOUND`,
);

/** While a connection is set up. */
export function connectError(error: unknown): AtlasError {
  if (error instanceof AtlasError) return error;
  if (error instanceof HttpFault) {
    const { status } = error;
    if (status === 401) {
      return loginFailed('the server does not accept user and password', 'Correct them in the URL.', error);
    }
    if (status === 403) {
      const hint = 'Let the login run queries, and with "impersonate" act as the user who asks, in the access control.';
      return loginFailed('the server does not let the user in', hint, error);
    }
    if (status === 429) return serverFull(error);
    if (status >= 502) return unavailable('the cluster does not answer behind its gateway', error);
    if (status === 404 || status === 410) return connectionLost(error);
  }
  if (error instanceof TrinoFault && NO_CLUSTER.has(error.kind)) return unavailable('the cluster is not ready', error);
  if (error instanceof ForeignPage) {
    return connectionFailed(
      'the server sends us to another address for the rest of the answer',
      'Name the coordinator in the URL as it names itself; behind a proxy, set http-server.process-forwarded=true.',
      error,
    );
  }
  if (error instanceof HttpFault || error instanceof OtherServer) {
    return connectionFailed(
      'the server does not answer as Trino does',
      'Check host and port in the URL: HTTP is usually at 8080, or with TLS at 8443, and not the other way round.',
      error,
    );
  }
  return networkFailure(error) ?? connectionLost(error);
}

const unavailable = (why: string, cause: Error) =>
  datasourceUnavailable(`Trino: ${why}.`, { reason: 'E_DATASOURCE_CLUSTER', hint: 'Ask again in a moment.', cause });

/** While a statement runs. `timeoutMs`: what it had. */
export function statementError(error: unknown, timeoutMs: number): AtlasError {
  const known = answerError(error, 'substr(column, 1, 1000)');
  return known ?? (error instanceof TrinoFault ? faultError(error, timeoutMs) : connectError(error));
}

function faultError(fault: TrinoFault, timeoutMs: number): AtlasError {
  const { kind, message } = fault;
  if (kind === 'EXCEEDED_TIME_LIMIT' || kind === 'EXCEEDED_CPU_LIMIT') return timedOut(timeoutMs);
  if (ENDED.has(kind)) return connectionLost(fault);
  if (FULL.has(kind)) return serverFull(fault);
  if (NO_CLUSTER.has(kind)) return connectError(fault);
  if (OUT_OF_MEMORY.has(kind)) {
    return statementFailed(
      'Trino: the statement needs more memory than it may use',
      'Ask for fewer rows, a shorter period or a coarser grouping.',
    );
  }
  if (TOO_MUCH.has(kind)) {
    return statementFailed(
      'Trino: the statement reads or holds more than the limits of the cluster allow',
      'Ask for a shorter period, or for fewer rows and columns.',
    );
  }
  if (kind === 'PERMISSION_DENIED') {
    return statementFailed(
      'Trino: the user has no right to it, or may not set the time limits of a statement',
      'Let the user read the table, and set query_max_run_time and query_max_execution_time, in the access control.',
    );
  }
  if (kind === 'SYNTAX_ERROR') return statementFailed(`Trino: the syntax of the statement is wrong${nearOf(message)}`);
  if (OF_THE_TEXT.has(kind)) {
    // The text may go on with literals of policies.
    const told = message.replace(/^line \d+:\d+: /, '');
    const name =
      /^[A-Z][a-z]+ '([\w.$" ]{1,120})' (?:does not exist|cannot be resolved|not registered|is ambiguous)/.exec(told);
    return statementFailed(`Trino: ${name === null ? withoutValues(told) || wordsOf(kind) : name[0]}`);
  }
  return statementFailed(`Trino: ${wordsOf(kind)}`);
}

const wordsOf = (kind: string) => kind.toLowerCase().replaceAll('_', ' ');

/** The word at which reading stopped, when it is one; a literal may belong to a policy. */
function nearOf(message: string): string {
  const [, word] = /mismatched input '([A-Za-z_]\w{0,39})'/.exec(message) ?? [];
  return word === undefined ? '' : ` near "${word}"`;
}
