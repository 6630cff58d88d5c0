/** Snowflake's errors by their codes, as what the person who asked can do about them. */
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
import { SnowflakeFault, UnusableKey } from './wire/fault.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

const TOO_LONG = words('000630');
const ENDED = words('000604 000625');
/** No warehouse is named or may be used; one that has spent its credits; one that cannot be started. */
const NO_WAREHOUSE = words('000606 090073 090228 000608');
const NO_RIGHT = words('003001 003540 003041');
/** The first digits of the codes of logins. */
const OF_LOGIN = /^39\d{4}$/;

/**
 * Messages that name words of the statement, behind the same beginning. All others may hold values, of rows and of subqueries
 * that the engine works out before it runs a statement, and these may hold anything: of them only the code is told.
 */
const OF_THE_TEXT: readonly (readonly [RegExp, (name: string) => string])[] = [
  [/^invalid identifier '([\w.$]{1,120})'(?!')/i, (name) => `there is no column ${name}`],
  [/^ambiguous column name '([\w.$]{1,120})'(?!')/i, (name) => `the column ${name} could be that of several tables`],
  [
    /^(?:Object|Schema|Database|Table|View) '([\w.$]{1,200})' does not exist/i,
    (name) => `${name} does not exist, or the role may not see it`,
  ],
  [/^Unknown function ([\w.$]{1,120})/i, (name) => `there is no function ${name}`],
  [
    /^syntax error line \d+ at position \d+ unexpected '([A-Za-z_]\w{0,39})'/i,
    (word) => `the syntax of the statement is wrong near "${word}"`,
  ],
];
const BEGINNING = /^SQL compilation error:\s*(?:error line \d+ at position \d+:?\s*)?/i;

/** What the classes of SQL states are about. */
const STATES: readonly (readonly [RegExp, string])[] = [
  [/^22012$/, 'a number is divided by zero'],
  [/^22/, 'a value cannot be converted, or is out of range'],
  [/^42/, 'the statement cannot be compiled'],
];

const LOGIN_HINT =
  'Check user, token or key, role, and the network policy of the user; a token may have expired. Passwords are no tokens.';

/** While a connection is set up. */
export function connectError(error: unknown): AtlasError {
  if (error instanceof AtlasError) return error;
  if (error instanceof UnusableKey) {
    const hint =
      'Give an RSA key in PEM, of PKCS #8, and what opens it, if it is encrypted, in the place of a password.';
    return loginFailed('the private key cannot be read', hint, error);
  }
  if (error instanceof HttpFault) {
    const { status, code } = error;
    if (status === 401 || OF_LOGIN.test(code))
      return loginFailed('the account does not accept the login', LOGIN_HINT, error);
    if (status === 403) return loginFailed('the account does not let the login in', LOGIN_HINT, error);
    if (status === 429) return serverFull(error);
    if (status >= 500) {
      const hint = 'Ask again in a moment, and see status.snowflake.com.';
      return datasourceUnavailable('Snowflake: the service does not answer.', {
        reason: 'E_DATASOURCE_CLUSTER',
        hint,
        cause: error,
      });
    }
  }
  if (error instanceof SnowflakeFault) return faultError(error, 0);
  if (error instanceof HttpFault || error instanceof OtherServer) {
    return connectionFailed(
      'the server does not answer as Snowflake does',
      'Check the account in the URL: it is the part before ".snowflakecomputing.com".',
      error,
    );
  }
  return networkFailure(error) ?? connectionLost(error);
}

/** While a statement runs. `timeoutMs`: what it had. */
export function statementError(error: unknown, timeoutMs: number): AtlasError {
  const known = answerError(error, 'LEFT(column, 1000)');
  return known ?? (error instanceof SnowflakeFault ? faultError(error, timeoutMs) : connectError(error));
}

function faultError(fault: SnowflakeFault, timeoutMs: number): AtlasError {
  const { code, sqlState, message } = fault;
  if (TOO_LONG.has(code)) return timedOut(timeoutMs);
  if (ENDED.has(code)) return connectionLost(fault);
  if (OF_LOGIN.test(code)) return loginFailed('the account does not accept the login', LOGIN_HINT, fault);
  if (NO_WAREHOUSE.has(code)) {
    const hint = 'Name one in the URL, warehouse=NAME, that the role may use, and see its resource monitor.';
    return datasourceUnavailable('Snowflake: there is no warehouse that runs.', {
      reason: 'E_SNOWFLAKE_WAREHOUSE',
      hint,
      cause: fault,
    });
  }
  if (NO_RIGHT.has(code)) {
    return statementFailed(
      'Snowflake: the role has no right to it',
      'Grant the role SELECT on the table, and USAGE on its schema.',
    );
  }
  const text = BEGINNING.test(message) ? message.replace(BEGINNING, '') : '';
  for (const [pattern, told] of OF_THE_TEXT) {
    const [, name] = pattern.exec(text) ?? [];
    if (name !== undefined) return statementFailed(`Snowflake: ${told(name)}`);
  }
  const [, state] = STATES.find(([pattern]) => pattern.test(sqlState)) ?? [];
  return statementFailed(`Snowflake: ${state ?? 'the statement failed'}${code === '' ? '' : ` (error ${code})`}`);
}
