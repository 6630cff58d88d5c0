/** Gives columns of PostgreSQL its own types. SQLite has none of them, and keeps texts. */
import type { Knex } from 'knex';

/** `timestamptz(3)` holds what an ISO 8601 text with milliseconds says, so pages by time stay exact. */
export type PostgresType = 'timestamptz(3)' | 'uuid' | 'json' | 'jsonb';

/** What `jsonb` cannot hold of a JSON text: NUL, and halves of characters. Knex takes a bare `?` for a parameter. */
const UNSTORABLE = String.raw`(\?<!\\)((\?:\\\\)*)\\u(\?:0000|d[89a-f][0-9a-f]{2})`;

function converted(column: string, type: PostgresType): string {
  const text =
    type === 'jsonb' ? `regexp_replace("${column}", '${UNSTORABLE}', '\\1' || U&'\\FFFD', 'gi')` : `"${column}"`;
  return `ALTER COLUMN "${column}" TYPE ${type} USING ${text}::${type}`;
}

/** Servers of earlier versions still insert, but store the list as one JSON string: their insert has to fail. */
function checked(table: string, column: string, type: PostgresType): string[] {
  if (type !== 'json' && type !== 'jsonb') return [];
  return [`ADD CONSTRAINT "${table}_${column}_is_list" CHECK (${type}_typeof("${column}") = 'array')`];
}

/**
 * Changes columns that hold texts, those of JSON lists, in one pass over the table. A text that does not fit fails the
 * migration.
 */
export async function changeColumnTypes(
  trx: Knex.Transaction,
  table: string,
  columns: Readonly<Record<string, PostgresType>>,
): Promise<void> {
  const changes = Object.entries(columns).flatMap(([column, type]) => [
    converted(column, type),
    ...checked(table, column, type),
  ]);
  await trx.raw(`ALTER TABLE ${table} ${changes.join(', ')}`);
}
