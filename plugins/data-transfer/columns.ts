/** Reads from the database's catalogue what columns a table has, and what kinds of values they hold. */
import type { Knex } from 'knex';
import type { InternalDb } from '../internal-db/index.ts';

type Dialect = InternalDb['dialect'];

export type ValueKind = 'text' | 'boolean' | 'integer' | 'real' | 'json' | 'time' | 'bytes';

export interface Column {
  readonly name: string;
  readonly kind: ValueKind;
  /** Whether a row without a value for it cannot be stored. */
  readonly isNeeded: boolean;
  /** From 1, within the primary key; 0: no part of it. */
  readonly keyPosition: number;
  /** PostgreSQL: the sequence that numbers its rows. */
  readonly sequence: string | null;
}

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  /** Columns of the primary key in its order. */
  readonly key: readonly Column[];
}

/** The kind by words of the type's name; PostgreSQL's own names first. */
const KINDS: readonly (readonly [RegExp, ValueKind])[] = [
  [/^jsonb$/i, 'json'],
  [/^timestamp.*with time zone$/i, 'time'],
  [/bool/i, 'boolean'],
  [/^(?!interval|point).*int/i, 'integer'],
  [/real|floa|doub/i, 'real'],
  [/blob|bytea/i, 'bytes'],
];

const kindOf = (type: string): ValueKind => KINDS.find(([pattern]) => pattern.test(type))?.[1] ?? 'text';

const QUERIES: Readonly<Record<Dialect, string>> = {
  sqlite: `SELECT name, type, "notnull" = 1 AND dflt_value IS NULL AND NOT (pk = 1 AND upper(type) = 'INTEGER') AS needed,
      pk AS key_position, NULL AS sequence
    FROM pragma_table_info(?) ORDER BY cid`,
  postgres: `SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
      a.attnotnull AND NOT a.atthasdef AND a.attidentity = '' AS needed,
      coalesce(array_position(i.indkey::int2[], a.attnum) + 1, 0) AS key_position,
      pg_get_serial_sequence(format('%I.%I', n.nspname, c.relname), a.attname) AS sequence
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
      LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
    WHERE c.oid = to_regclass(quote_ident(?)) AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
    ORDER BY a.attnum`,
};

interface CatalogueRow {
  readonly name: string;
  readonly type: string;
  readonly needed: boolean | number;
  readonly key_position: number;
  readonly sequence: string | null;
}

/** What the drivers take. */
export type StoredValue = string | number | boolean | null | Buffer;

/** The rows of a statement, as both engines answer it. */
export async function rowsOf<Row>(trx: Knex, sql: string, bindings: readonly StoredValue[] = []): Promise<Row[]> {
  const answer: unknown = await (bindings.length === 0 ? trx.raw(sql) : trx.raw(sql, bindings as Knex.RawBinding[]));
  return Array.isArray(answer) ? answer : (answer as { rows: Row[] }).rows;
}

/** `undefined`: the database has no such table. */
export async function readTable(trx: Knex, dialect: Dialect, name: string): Promise<Table | undefined> {
  const found = await rowsOf<CatalogueRow>(trx, QUERIES[dialect], [name]);
  if (found.length === 0) return undefined;
  const columns = found.map(({ name: column, type, needed, key_position, sequence }) => ({
    name: column,
    kind: kindOf(type),
    isNeeded: Boolean(needed),
    keyPosition: Number(key_position),
    sequence,
  }));
  const key = columns.filter(({ keyPosition }) => keyPosition > 0).sort((a, b) => a.keyPosition - b.keyPosition);
  return { name, columns, key };
}

export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
