/**
 * Declares the tables of a demo data set as data: columns with engine-neutral types, keys, comments and a row
 * generator. The writers create the same tables from it in every engine.
 */
import { Random } from './random.ts';

export type ColumnType = 'integer' | 'decimal' | 'real' | 'text' | 'boolean' | 'date' | 'timestamp' | 'json';

/** Dates are `YYYY-MM-DD`, timestamps `YYYY-MM-DD HH:MM:SS` in UTC, JSON a text. */
export type Value = number | string | boolean | null;
export type Row = Readonly<Record<string, Value>>;

/** `Held` is the TypeScript type of the column's values. */
export interface Column<Held extends Value = Value> {
  readonly type: ColumnType;
  readonly nullable: boolean;
  readonly unique: boolean;
  readonly primaryKey: boolean;
  readonly references?: { readonly table: string; readonly column: string };
  readonly comment?: string;
  /** Only a type; absent at run time. */
  readonly held?: Held;
}

export type Columns = Readonly<Record<string, Column>>;
export type RowOf<C extends Columns> = {
  readonly [Name in keyof C]: C[Name] extends Column<infer Held> ? Held : never;
};

export interface Table {
  readonly name: string;
  readonly comment: string;
  readonly columns: Columns;
  /** The columns of the primary key, in order. */
  readonly primaryKey: readonly string[];
  readonly unique: readonly (readonly string[])[];
  /** Indexes beside those of keys; a foreign key of one column has one without being listed. */
  readonly indexes: readonly (readonly string[])[];
  /** Yields the rows one by one, a referenced row of the same table before the row that refers to it. */
  rows(context: DemoContext): Iterable<Row>;
}

export interface Demo {
  readonly name: string;
  readonly description: string;
  readonly seed: number;
  /** In the order of creation: a table stands after those that it refers to. */
  readonly tables: readonly Table[];
  /** The folder of the demo's semantic layer. */
  readonly layer: string;
}

/** What a row generator works with. It keeps nothing, so that every table can be generated alone and again. */
export interface DemoContext {
  readonly seed: number;
  readonly scale: number;
  /** `base` rows at the present scale, at least one. */
  count(base: number): number;
  /** Random numbers that depend on the seed and the key only, so that two tables can derive the same facts. */
  random(...key: readonly (string | number)[]): Random;
}

function column<Held extends Value>(type: ColumnType) {
  return (comment?: string): Column<Held> => ({
    type,
    nullable: false,
    unique: false,
    primaryKey: false,
    ...(comment !== undefined && { comment }),
  });
}

export const integer = column<number>('integer');
/** Money and other amounts with two decimal places. */
export const decimal = column<number>('decimal');
export const real = column<number>('real');
export const text = column<string>('text');
export const boolean = column<boolean>('boolean');
export const date = column<string>('date');
export const timestamp = column<string>('timestamp');
export const json = column<string>('json');

export const nullable = <Held extends Value>(base: Column<Held>): Column<Held | null> => ({ ...base, nullable: true });
export const unique = <Held extends Value>(base: Column<Held>): Column<Held> => ({ ...base, unique: true });
/** A primary key of one column; an integer unless `base` says otherwise. */
export const key = <Held extends Value = number>(base = integer() as unknown as Column<Held>): Column<Held> => ({
  ...base,
  primaryKey: true,
});
/** A foreign key to `table.column`, to `table.id` without a column; an integer unless `base` says otherwise. */
export function ref<Held extends Value = number>(
  target: string,
  base = integer() as unknown as Column<Held>,
): Column<Held> {
  const [table = target, name = 'id'] = target.split('.');
  return { ...base, references: { table, column: name } };
}

/** Declares a table; the compiler checks that `rows` yields each column with a value of its type. */
export function defineTable<C extends Columns>(declared: {
  readonly name: string;
  readonly comment: string;
  readonly columns: C;
  /** Default: the columns declared with `key`. */
  readonly primaryKey?: readonly (keyof C & string)[];
  readonly unique?: readonly (readonly (keyof C & string)[])[];
  readonly indexes?: readonly (readonly (keyof C & string)[])[];
  rows(context: DemoContext): Iterable<RowOf<C>>;
}): Table {
  const keys = Object.keys(declared.columns).filter((name) => declared.columns[name]?.primaryKey);
  return { unique: [], indexes: [], primaryKey: keys, ...declared, rows: (context) => declared.rows(context) };
}

export function createContext(seed: number, scale: number): DemoContext {
  return {
    seed,
    scale,
    count: (base) => Math.max(1, Math.round(base * scale)),
    random: (...parts) => new Random(hash(`${seed}/${parts.join('/')}`)),
  };
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) state = Math.imul(state ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return state;
}
