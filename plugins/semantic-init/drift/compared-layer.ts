/** Defines what `diff` compares and what it finds, and relates dimensions to columns. */
import type { TableColumn, TableDescription } from '../../../kernel/index.ts';
import type { DimensionType, EntityFile } from '../../semantic-layer/index.ts';
import type { WrittenRecord } from '../files/written-record.ts';

export type DriftKind =
  | 'table_added'
  | 'table_removed'
  | 'table_moved'
  | 'table_kind'
  | 'column_added'
  | 'column_removed'
  | 'column_type'
  | 'column_nullable'
  | 'primary_key'
  | 'foreign_key_added'
  | 'foreign_key_removed'
  | 'foreign_key_changed'
  | 'join_broken'
  | 'expression_broken';

export interface Drift {
  readonly kind: DriftKind;
  /** With its schema where it is not the connection's own. */
  readonly table: string;
  readonly column?: string;
  /** What the layer says, and what the database has. */
  readonly layer?: string;
  readonly database?: string;
  /** Path in the layer, relative to its folder. */
  readonly file?: string;
  /** Such as the column that looks like the new name of one that is gone. */
  readonly note?: string;
}

/** An entity as its file declares it. */
export interface LayerEntity {
  readonly name: string;
  readonly file: string;
  readonly table: string;
  /** `undefined`: the engine has no schemas. */
  readonly schema: string | undefined;
  readonly entity: EntityFile;
  /** What "atlas init" wrote into the file; empty: it is a person's. */
  readonly record: WrittenRecord;
}

/** SQL outside the entities that reads their columns: of metrics and glossary terms. */
export interface Condition {
  readonly label: string;
  readonly entity: string;
  readonly sql: string;
  readonly file: string;
}

export interface ComparedLayer {
  readonly entities: readonly LayerEntity[];
  readonly conditions: readonly Condition[];
}

export interface ComparedDatabase {
  /** All tables that the login sees. */
  readonly tables: readonly TableDescription[];
  /** Those of them that should have an entity. */
  readonly expected: readonly TableDescription[];
  readonly ownSchema: string | undefined;
  /** Whether names are distinguished by case. */
  readonly hasExactNames: boolean;
  /** The type that "atlas init" gives a dimension, as far as the declared type tells. */
  typeOf(column: TableColumn): DimensionType;
  /** The same by the values of tables that were read, by column, for engines without fixed types. */
  readonly typesByValues?: ReadonlyMap<TableDescription, ReadonlyMap<string, DimensionType>>;
}

export type Dimension = NonNullable<EntityFile['dimensions']>[number];

export const isSame = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/** The column that the dimension shows as it is; `undefined`: it computes something. */
export function plainColumn({ name, sql }: Dimension): string | undefined {
  if (sql === undefined) return name;
  const text = sql.trim();
  const quoted = /^"((?:[^"]|"")+)"$|^`((?:[^`]|``)+)`$/.exec(text);
  if (quoted !== null) return quoted[1]?.replaceAll('""', '"') ?? quoted[2]?.replaceAll('``', '`');
  return /^[\p{L}_][\p{L}\p{N}_$]*$/u.test(text) ? text : undefined;
}

export function columnNamed(name: string, { columns }: TableDescription, { hasExactNames }: ComparedDatabase) {
  const exact = columns.find((column) => column.name === name);
  return (
    exact ?? columns.find((column) => (hasExactNames ? column.name === name.toLowerCase() : isSame(column.name, name)))
  );
}
