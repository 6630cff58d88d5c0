/** Declares the tables of a demo as data, from which the writers create the same tables in every engine. */

export type ColumnType = 'integer' | 'decimal' | 'real' | 'text' | 'boolean' | 'date' | 'timestamp' | 'json';

/** Dates are `YYYY-MM-DD`, timestamps `YYYY-MM-DD HH:MM:SS` in UTC, JSON a text. */
export type Value = number | string | boolean | null;
export type Row = Readonly<Record<string, Value>>;

export interface Column {
  /** `decimal` is money and other amounts with two decimal places. */
  readonly type: ColumnType;
  readonly nullable?: boolean;
  readonly unique?: boolean;
  /** Whether the column is in the primary key. */
  readonly key?: boolean;
  /** A foreign key, written `table.column`. */
  readonly references?: string;
  readonly comment?: string;
}

export interface Table {
  readonly name: string;
  readonly comment: string;
  readonly columns: Readonly<Record<string, Column>>;
  /** Groups of columns that are unique together. */
  readonly unique?: readonly (readonly string[])[];
  /** Indexes beside those of keys; a foreign key of one column has one without being listed. */
  readonly indexes?: readonly (readonly string[])[];
}

export interface Demo {
  readonly name: string;
  /** The folder of the demo's semantic layer. */
  readonly layer: string;
  /** In the order of creation: a table stands after those that it refers to. */
  readonly tables: readonly Table[];
  /** The rows of each table by its name, a referenced row of the same table before the row that refers to it. */
  rows(): Readonly<Record<string, readonly Row[]>>;
}

export const primaryKeyOf = ({ columns }: Table): string[] => Object.keys(columns).filter((name) => columns[name]?.key);

/** The table and the column that a foreign key refers to. */
export function targetOf({ references }: Column): { readonly table: string; readonly column: string } | undefined {
  const [table, column] = references?.split('.') ?? [];
  return table === undefined || column === undefined ? undefined : { table, column };
}
