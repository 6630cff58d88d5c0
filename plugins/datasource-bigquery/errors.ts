/** BigQuery's errors by their reasons, as what the person who asked can do about them. */
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
} from '../datasource-kit/index.ts';
import { BigqueryFault, NoToken } from './wire/fault.ts';

const LOGIN_HINT =
  'Check the key in the URL, or the credentials of the place where this runs, and give the account the roles "BigQuery Job User" and "BigQuery Data Viewer".';

/** While a connection is set up. */
export function connectError(error: unknown): AtlasError {
  if (error instanceof AtlasError) return error;
  if (error instanceof NoToken) return tokenError(error);
  if (error instanceof BigqueryFault) return accessError(error);
  if (error instanceof HttpFault) {
    if (error.status === 401 || error.status === 403)
      return loginFailed('BigQuery does not let the account in', LOGIN_HINT, error);
    if (error.status === 429) return serverFull(error);
    if (error.status >= 500) return unavailable(error);
  }
  if (error instanceof HttpFault || error instanceof OtherServer) {
    const hint = 'Check "api_endpoint" in the URL, and whether a proxy stands between.';
    return connectionFailed('the server does not answer as BigQuery does', hint, error);
  }
  return networkFailure(error) ?? connectionLost(error);
}

function accessError(fault: BigqueryFault): AtlasError {
  const { reason, status } = fault;
  if (reason === 'notFound') {
    const hint = 'Check project, dataset and location in the URL.';
    return loginFailed('there is no such project or dataset, or no right to see it', hint, fault);
  }
  if (status === 401 || /^(?:accessDenied|authError|forbidden|invalidUser|required)$/.test(reason)) {
    return loginFailed('BigQuery does not let the account in', LOGIN_HINT, fault);
  }
  if (FULL.has(reason)) return serverFull(fault);
  if (BROKEN.has(reason) || status >= 500) return unavailable(fault);
  return loginFailed(`BigQuery refuses the project: ${wordsOf(reason)}`, LOGIN_HINT, fault);
}

const unavailable = (cause: Error) =>
  datasourceUnavailable('BigQuery does not answer at the moment.', {
    reason: 'E_DATASOURCE_CLUSTER',
    hint: 'Ask again in a moment.',
    cause,
  });

/** Of what the library says nothing is told: it may hold a part of the key. */
function tokenError(error: NoToken): AtlasError {
  const { cause } = error as { readonly cause?: unknown };
  const { code, message = '' } = (cause ?? {}) as { readonly code?: unknown; readonly message?: string };
  if (/default credentials/.test(message)) {
    const hint = 'Name the key of a service account by "key_file" in the URL, or set GOOGLE_APPLICATION_CREDENTIALS.';
    return loginFailed('there are no Google credentials here', hint, error);
  }
  const ofNetwork = /^E[A-Z]+$/.test(String(code)) ? networkFailure({ code }) : undefined;
  return ofNetwork ?? loginFailed('Google gives no access token for the key', LOGIN_HINT, error);
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const FULL = words('jobRateLimitExceeded quotaExceeded rateLimitExceeded resourceInUse');
const BROKEN = words('backendError internalError jobBackendError jobInternalError tableUnavailable');

/** While a statement runs. `timeoutMs`: what it had. */
export function statementError(error: unknown, timeoutMs: number): AtlasError {
  const known = answerError(error, 'SUBSTR(column, 1, 1000)');
  return known ?? (error instanceof BigqueryFault ? faultError(error, timeoutMs) : connectError(error));
}

/**
 * Errors that name words of the statement. All others may hold values, of rows and of policies: of these nothing but the
 * reason is told.
 */
const OF_THE_TEXT = [
  /^Unrecognized name: [\w.`]{1,120}/,
  /^Function not found: [\w.`]{1,120}/,
  /^Not found: (?:Table|Dataset|Project) [\w.:-]{1,200}/,
  /^Type not found: \w{1,60}/,
  /^Column name \w{1,120} is ambiguous/,
  /^Name \w{1,120} not found inside \w{1,120}/,
  /^Duplicate column names/,
  /^No matching signature for (?:aggregate |analytic )?(?:function|operator) (?:\w{1,60}|[-+*/=<>!|&^~]{1,3})/,
  /^(?:SELECT list|ORDER BY clause|HAVING clause) expression references (?:column )?\w{1,120}/,
  /^Cannot query over table '[\w.:-]{1,200}' without a filter over column\(s\) [\w', ]{1,200}/,
];

function faultError(fault: BigqueryFault, timeoutMs: number): AtlasError {
  const { reason, message, status } = fault;
  if (reason === 'timeout' || (reason === 'stopped' && /timeout|timed out/i.test(message))) return timedOut(timeoutMs);
  if (reason === 'stopped') return connectionLost(fault);
  if (reason === 'bytesBilledLimitExceeded') {
    return statementFailed(
      'BigQuery: the statement would read more bytes than "maxBytesBilled" of the connection allows',
      'Ask for a shorter period by the column that the table is partitioned by, or for fewer columns.',
    );
  }
  if (reason === 'resourcesExceeded' || reason === 'responseTooLarge' || reason === 'billingTierLimitExceeded') {
    return statementFailed(
      'BigQuery: the statement needs more than it may use',
      'Ask for fewer rows, a shorter period or a coarser grouping.',
    );
  }
  if (reason === 'accessDenied') {
    return statementFailed(
      'BigQuery: the account has no right to it',
      'Let the account read the table, and run jobs in the project.',
    );
  }
  if (reason === 'invalidQuery' || reason === 'invalid' || reason === 'notFound') return invalidQuery(message);
  if (status === 401 || FULL.has(reason) || BROKEN.has(reason) || status >= 500) return accessError(fault);
  return statementFailed(`BigQuery: ${wordsOf(reason)}`);
}

function invalidQuery(message: string): AtlasError {
  if (message.startsWith('Syntax error')) {
    // The word at which reading stopped, when it is one; a literal may belong to a policy.
    const [, word] = /Unexpected (?:keyword |identifier )"?([A-Za-z_]\w{0,39})"?/.exec(message) ?? [];
    return statementFailed(
      `BigQuery: the syntax of the statement is wrong${word === undefined ? '' : ` near "${word}"`}`,
    );
  }
  if (/^division by zero/i.test(message))
    return statementFailed('BigQuery: division by zero', 'Write SAFE_DIVIDE(a, b).');
  const told = OF_THE_TEXT.map((pattern) => pattern.exec(message)?.[0]).find((text) => text !== undefined);
  return statementFailed(`BigQuery: ${told ?? 'the statement fails, at its types or at a value that it meets'}`);
}

/** `jobRateLimitExceeded`: "job rate limit exceeded". */
const wordsOf = (reason: string) => reason.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
