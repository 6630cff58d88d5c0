/**
 * Builds SQL that writes rows given as JSON: on PostgreSQL all of them by one statement, so that neither building nor
 * planning it has to be done again for each group; on SQLite one by one, with the columns as named parameters, as that is
 * where a prepared statement costs least.
 */
import type { InternalDb } from './api.ts';

type Dialect = InternalDb['dialect'];

/** `FROM …` for PostgreSQL: the rows under the name `given`. */
export const jsonRows = (table: string) => `json_populate_recordset(NULL::${table}, ?) AS given`;

/** Columns of PostgreSQL's types `json` and `jsonb`; their values are given as texts. */
export type JsonColumns = Readonly<Record<string, 'json' | 'jsonb'>>;

/** A given value: the text of a JSON column comes as a JSON string, which is not yet what the text says. */
const given = (name: string, json: JsonColumns) =>
  json[name] === undefined ? `given.${name}` : `(given.${name} #>> '{}')::${json[name]}`;

/** Inserts the rows. */
export function insertRows(
  dialect: Dialect,
  table: string,
  columns: readonly string[],
  json: JsonColumns = {},
): string {
  const insert = `INSERT INTO ${table} (${columns.join(', ')})`;
  if (dialect === 'sqlite') return `${insert} VALUES (${columns.map((name) => `@${name}`).join(', ')})`;
  return `${insert} SELECT ${columns.map((name) => given(name, json)).join(', ')} FROM ${jsonRows(table)}`;
}

/** Sets the columns of the rows with the same `id`, of which the list must hold no two. */
export function updateRows(
  dialect: Dialect,
  table: string,
  columns: readonly string[],
  json: JsonColumns = {},
): string {
  const set = (value: (name: string) => string) => columns.map((name) => `${name} = ${value(name)}`).join(', ');
  if (dialect === 'sqlite') return `UPDATE ${table} SET ${set((name) => `@${name}`)} WHERE id = @id`;
  // Locked in the order of their ids, whatever plan the server chooses: two servers must not wait for each other.
  return `WITH given AS MATERIALIZED (SELECT * FROM ${jsonRows(table)}),
    locked AS MATERIALIZED (SELECT ${table}.id FROM ${table} JOIN given USING (id) ORDER BY id FOR NO KEY UPDATE OF ${table})
    UPDATE ${table} SET ${set((name) => given(name, json))} FROM given JOIN locked USING (id) WHERE ${table}.id = given.id`;
}

/** NUL, or half of a character, as JSON writes them. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/;

/** The rows as the parameter of such a statement. PostgreSQL has neither NUL nor halves of characters in its texts. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value);
  if (!UNSTORABLE.test(text)) return text;
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'string' ? item.replaceAll('\0', '\u{fffd}').toWellFormed() : item,
  );
}
