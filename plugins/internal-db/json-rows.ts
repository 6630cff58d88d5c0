/**
 * SQL that writes rows which are given as JSON: on PostgreSQL all of them by one statement, so that neither building nor
 * planning it has to be done again for each group; on SQLite one by one, with the columns as named parameters, as that is
 * where a prepared statement costs least.
 */
import type { InternalDb } from './api.ts';

type Dialect = InternalDb['dialect'];

/** `FROM …` for PostgreSQL: the rows under the name `given`. */
export const jsonRows = (table: string) => `json_populate_recordset(NULL::${table}, ?) AS given`;

const named = (columns: readonly string[], prefix: string) => columns.map((name) => `${prefix}${name}`).join(', ');

/** Inserts the rows. */
export function insertRows(dialect: Dialect, table: string, columns: readonly string[]): string {
  const insert = `INSERT INTO ${table} (${columns.join(', ')})`;
  if (dialect === 'sqlite') return `${insert} VALUES (${named(columns, '@')})`;
  return `${insert} SELECT ${named(columns, 'given.')} FROM ${jsonRows(table)}`;
}

/** Sets the columns of the rows with the same `id`, of which the list must hold no two. */
export function updateRows(dialect: Dialect, table: string, columns: readonly string[]): string {
  const set = (prefix: string) => columns.map((name) => `${name} = ${prefix}${name}`).join(', ');
  if (dialect === 'sqlite') return `UPDATE ${table} SET ${set('@')} WHERE id = @id`;
  return `UPDATE ${table} SET ${set('given.')} FROM ${jsonRows(table)} WHERE ${table}.id = given.id`;
}

/** NUL, or half of a character, as JSON writes them. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/;

/** The parameter. PostgreSQL has neither NUL nor halves of characters in its texts. */
export function jsonText(rows: readonly object[]): string {
  const text = JSON.stringify(rows);
  if (!UNSTORABLE.test(text)) return text;
  return JSON.stringify(rows, (_, value: unknown) =>
    typeof value === 'string' ? value.replaceAll('\0', '\u{fffd}').toWellFormed() : value,
  );
}
