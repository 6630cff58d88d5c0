/**
 * SQL that takes any number of rows as one JSON text: the statement stays the same, so that neither building nor
 * planning it has to be done again for each group of rows.
 */
import type { InternalDb } from './api.ts';

type Dialect = InternalDb['dialect'];

/** `FROM …` and what to write there for a column; the statement's only parameter is the JSON list of rows. */
export function jsonRows(dialect: Dialect, table: string): { from: string; column(name: string): string } {
  if (dialect === 'sqlite') {
    return { from: 'json_each(?) AS given', column: (name) => `given.value ->> '${name}'` };
  }
  return { from: `json_populate_recordset(NULL::${table}, ?) AS given`, column: (name) => `given.${name}` };
}

/** Inserts the rows. */
export function insertRows(dialect: Dialect, table: string, columns: readonly string[]): string {
  const { from, column } = jsonRows(dialect, table);
  return `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${columns.map(column).join(', ')} FROM ${from}`;
}

/** Sets the columns of the rows with the same `id`, of which the list must hold no two. */
export function updateRows(dialect: Dialect, table: string, columns: readonly string[]): string {
  const { from, column } = jsonRows(dialect, table);
  const set = columns.map((name) => `${name} = ${column(name)}`).join(', ');
  return `UPDATE ${table} SET ${set} FROM ${from} WHERE ${table}.id = ${column('id')}`;
}

/** The parameter. PostgreSQL has neither NUL nor halves of characters in its texts. */
export const jsonText = (rows: readonly object[]) =>
  JSON.stringify(rows, (_, value: unknown) =>
    typeof value === 'string' ? value.replaceAll('\0', '\u{fffd}').toWellFormed() : value,
  );
