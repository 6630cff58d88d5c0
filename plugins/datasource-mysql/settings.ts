/** What holds in a session before each statement, whatever the server or the login have as their defaults. */

/** Longest wait for a table that another program changes, in seconds. */
const LOCK_TIMEOUT_S = 5;
/** The usual default cuts what GROUP_CONCAT gives after 1,024 bytes, silently. */
const GROUP_CONCAT_BYTES = 1024 * 1024;

/**
 * How many tables the planner looks ahead when it orders a join. The usual default tries all orders, which takes longer
 * than any timeout for a dozen subqueries with a limit, as row policies make them.
 */
const SEARCH_DEPTH = 5;

const NO_LIMIT = 2n ** 64n - 1n;

/** No ANSI_QUOTES, PIPES_AS_CONCAT or NO_BACKSLASH_ESCAPES: texts are read one way only. */
const SQL_MODE = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION';

/** MariaDB does not see that other columns depend on a key, so there the mode would refuse good statements. */
const sqlMode = (isMariaDb: boolean) => (isMariaDb ? SQL_MODE : `ONLY_FULL_GROUP_BY,${SQL_MODE}`);

/** One statement. Besides each transaction, the session itself is read-only. */
export function settingsSql(isMariaDb: boolean, timeoutMs: number): string {
  const settings = [
    'NAMES utf8mb4',
    `SESSION sql_mode = '${sqlMode(isMariaDb)}'`,
    `SESSION time_zone = '+00:00'`,
    `SESSION ${isMariaDb ? 'tx_read_only' : 'transaction_read_only'} = ON`,
    'SESSION autocommit = ON',
    `SESSION sql_select_limit = ${NO_LIMIT}`,
    `SESSION group_concat_max_len = ${GROUP_CONCAT_BYTES}`,
    `SESSION optimizer_search_depth = ${SEARCH_DEPTH}`,
    `SESSION lock_wait_timeout = ${LOCK_TIMEOUT_S}`,
    `SESSION innodb_lock_wait_timeout = ${LOCK_TIMEOUT_S}`,
    timeoutSetting(isMariaDb, timeoutMs),
  ];
  return `SET ${settings.join(', ')}`;
}

/** MariaDB counts in seconds and fractions of them. */
function timeoutSetting(isMariaDb: boolean, timeoutMs: number): string {
  return isMariaDb
    ? `SESSION max_statement_time = ${timeoutMs / 1000}`
    : `SESSION max_execution_time = ${Math.ceil(timeoutMs)}`;
}

export function timeoutSql(isMariaDb: boolean, timeoutMs: number): string {
  return `SET ${timeoutSetting(isMariaDb, timeoutMs)}`;
}
