/** Begins and ends a transaction; its settings hold for it and end with it. */

export const BEGIN = { text: 'BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY' };
export const ROLLBACK = { text: 'ROLLBACK' };
/** Is refused in a message of several statements, which would be one transaction. */
export const DISCARD = { text: 'DISCARD ALL' };

/** Longest wait for a table that another program locks. */
const LOCK_TIMEOUT_MS = 5_000;
/** For a server whose client has hung: nothing is held longer than this after a statement. */
const IDLE_TIMEOUT_MS = 60_000;

/** How values are printed and read, whatever the login or the database have as their defaults. */
const FIXED: Readonly<Record<string, string>> = {
  TimeZone: 'UTC',
  DateStyle: 'ISO, YMD',
  IntervalStyle: 'iso_8601',
  extra_float_digits: '1',
  bytea_output: 'hex',
  client_encoding: 'UTF8',
  standard_conforming_strings: 'on',
  default_transaction_read_only: 'on',
  idle_in_transaction_session_timeout: String(IDLE_TIMEOUT_MS),
};

const NAMES = [...Object.keys(FIXED), 'search_path', 'statement_timeout', 'lock_timeout'];
const SETTINGS_SQL = `SELECT ${NAMES.map((name, index) => `pg_catalog.set_config('${name}', $${index + 1}, true)`).join(', ')}`;

/** The statement that sets them, and its values. `schema`: of tables that are named without one. */
export function settingsFor(schema: string, timeoutMs: number): { text: string; values: string[] } {
  const lockTimeoutMs = Math.min(LOCK_TIMEOUT_MS, timeoutMs);
  return {
    text: SETTINGS_SQL,
    values: [...Object.values(FIXED), searchPathOf(schema), String(timeoutMs), String(lockTimeoutMs)],
  };
}

/** Catalogue first, temporary tables last: neither can stand in for a table of the schema. */
function searchPathOf(schema: string): string {
  return `pg_catalog, "${schema.replaceAll('"', '""')}", pg_temp`;
}
