/** Gives columns of PostgreSQL its own types. SQLite has none of them, and keeps texts. */
import type { Knex } from 'knex';

/** `timestamptz(3)` holds what an ISO 8601 text with milliseconds says, so pages by time stay exact. */
export type PostgresType = 'timestamptz(3)' | 'uuid' | 'json' | 'jsonb';

/** What `jsonb` cannot hold of a JSON text: NUL, and halves of characters. */
const UNSTORABLE = String.raw`\\u(0000|d[89a-f][0-9a-f]{2})`;

function converted(column: string, type: PostgresType): string {
  const text = type === 'jsonb' ? `regexp_replace("${column}", '${UNSTORABLE}', U&'\\FFFD', 'gi')` : `"${column}"`;
  return `ALTER COLUMN "${column}" TYPE ${type} USING ${text}::${type}`;
}

/** Changes columns that hold texts, in one pass over the table. A text that does not fit fails the migration. */
export async function changeColumnTypes(
  trx: Knex.Transaction,
  table: string,
  columns: Readonly<Record<string, PostgresType>>,
): Promise<void> {
  const changes = Object.entries(columns).map(([column, type]) => converted(column, type));
  await trx.raw(`ALTER TABLE ${table} ${changes.join(', ')}`);
}
