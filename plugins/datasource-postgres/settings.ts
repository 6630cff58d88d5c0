/** Begins and ends a transaction; its settings hold for it and end with it. */
import type { PostgresCommand } from '../datasource-kit/index.ts';

export const BEGIN = { text: 'BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY' };
export const ROLLBACK = { text: 'ROLLBACK' };
/** Is refused in a message of several statements, which would be one transaction. */
export const DISCARD = { text: 'DISCARD ALL' };

/** Longest wait for a table that another program locks. */
const LOCK_TIMEOUT_MS = 5_000;
/** For a server whose client has hung: nothing is held longer than this after a statement. */
const IDLE_TIMEOUT_MS = 60_000;

type Settings = Readonly<Record<string, string>>;

/** How values are printed, whatever the login or the database have as their defaults. */
export const PRINTED: Settings = {
  TimeZone: 'UTC',
  DateStyle: 'ISO, YMD',
  IntervalStyle: 'iso_8601',
  extra_float_digits: '1',
  bytea_output: 'hex',
};

/** And how texts are read, and what else does not change. */
export const FIXED: Settings = {
  ...PRINTED,
  client_encoding: 'UTF8',
  standard_conforming_strings: 'on',
  default_transaction_read_only: 'on',
  idle_in_transaction_session_timeout: String(IDLE_TIMEOUT_MS),
};

/** Settings that are the same each time, and the times of one statement. */
export const timed = (settings: Settings, timeoutMs: number): Settings => ({
  ...settings,
  statement_timeout: String(timeoutMs),
  lock_timeout: String(Math.min(LOCK_TIMEOUT_MS, timeoutMs)),
});

/** Makes the one statement that sets all of `names`, and its values in their order. */
export function setByFunction(names: readonly string[]): (settings: Settings) => PostgresCommand {
  const calls = names.map((name, index) => `pg_catalog.set_config('${name}', $${index + 1}, true)`);
  const text = `SELECT ${calls.join(', ')}`;
  return (settings) => ({ text, values: names.map((name) => settings[name] ?? '') });
}

/** One statement for each, for engines without the function. */
export function setByCommand(settings: Settings): PostgresCommand[] {
  return Object.entries(settings).map(([name, value]) => ({
    // The search path is a list of names.
    text: `SET LOCAL ${name} = ${name === 'search_path' ? value : `'${value}'`}`,
  }));
}

/** Catalogue first, temporary tables last: neither can stand in for a table of the schema. */
export const searchPathOf = (schema: string, ...last: readonly string[]): string =>
  ['pg_catalog', `"${schema.replaceAll('"', '""')}"`, ...last].join(', ');

const setAll = setByFunction([...Object.keys(timed(FIXED, 0)), 'search_path']);

/** The statement that sets PostgreSQL's. `schema`: of tables that are named without one. */
export const settingsFor = (schema: string, timeoutMs: number): PostgresCommand =>
  setAll({ ...timed(FIXED, timeoutMs), search_path: searchPathOf(schema, 'pg_temp') });
