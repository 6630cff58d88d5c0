/** Finds the tables that a statement may read by the names it gives them. */
import { nearest, type SqlStatement } from '../../kernel/index.ts';
import {
  type BoundValue,
  fold,
  isOwnCatalog,
  type PrintedSelect,
  type ReadableTable,
  type ReadableTables,
  type Select,
  type SqlDialect,
} from '../sql-kit/index.ts';

/** What was done to a statement or its rows. */
export type SqlChange = NonNullable<SqlStatement['changes']>[number];

/** A condition on the rows of one table, over its own columns. */
export type RowFilter = (
  | /** The column equals one of the values, of which there is at least one; a text to the letter. */
  { readonly column: string; readonly isText: boolean; readonly values: readonly BoundValue[] }
  /** An SQL condition in which `{claim}` stands for the values, separated by commas. */
  | { readonly condition: string; readonly values: readonly BoundValue[] }
) & {
  /** What the caller is told of it. */
  readonly change?: SqlChange;
};

/** The subquery that takes a table's place. */
export interface VisiblePart {
  readonly select: Select;
  readonly printed: PrintedSelect;
  /** What masks and conditions call, in lower case. */
  readonly functions: readonly string[];
}

/** A table or view of the semantic layer that may be read. */
export interface AllowedTable extends ReadableTable {
  /** Names of the entities that describe it. */
  readonly entities: readonly string[];
  /** Conditions on its rows, which must all hold; missing = every row. */
  readonly rows?: readonly RowFilter[];
  /** Why it cannot be read after all. */
  readonly refusal?: { readonly what: string; readonly hint: string };
}

/** Whether something of the table may not be seen, so that a reference to it has to be replaced. */
export function isPart({ visible, rows }: AllowedTable): boolean {
  return visible !== undefined || (rows !== undefined && rows.length > 0);
}

/** Whether something stands in for the values of a column. */
export const isMasked = ({ visible }: AllowedTable) => visible?.some(({ mask }) => mask !== undefined) ?? false;

/** The tables that a statement may read, found by name as the engine finds them. */
export class AllowedTables implements ReadableTables {
  readonly tables: readonly AllowedTable[];
  readonly dialect: SqlDialect;
  /** Schemas that the tables name. */
  readonly schemas: readonly string[];
  /** What stands in the place of tables of which a part may be seen, as far as statements have asked for it. */
  readonly parts = new Map<AllowedTable, VisiblePart>();
  readonly #bySchema = new Map<string, Map<string, AllowedTable>>();

  constructor(tables: readonly AllowedTable[], dialect: SqlDialect) {
    this.tables = tables;
    this.dialect = dialect;
    this.schemas = [...new Set(tables.flatMap(({ schema }) => schema ?? []))].sort();
    for (const table of tables) {
      const schema = this.#key(table.schema ?? dialect.defaultSchema);
      const own = this.#bySchema.get(schema) ?? new Map<string, AllowedTable>();
      own.set(this.#key(table.name), table);
      this.#bySchema.set(schema, own);
    }
  }

  find(schema: string, name: string): AllowedTable | undefined {
    return this.#bySchema.get(this.#key(schema))?.get(this.#key(name));
  }

  /** As a statement names it: before a table the database's own name may stand alone, unless that would be a schema's. */
  mentioned(schema: string | undefined, name: string): AllowedTable | undefined {
    const { defaultSchema, hasCatalogs } = this.dialect;
    const found = this.find(schema ?? defaultSchema, name);
    if (found !== undefined || schema === undefined || hasCatalogs) return found;
    if (!isOwnCatalog(schema, this.dialect)) return undefined;
    return this.find(defaultSchema, name);
  }

  #key(name: string): string {
    return this.dialect.hasExactNames || this.dialect.hasExactTables ? name : fold(name);
  }

  /** By `name` or `schema.name`, as a configuration writes it. */
  named(written: string): AllowedTable | undefined {
    const dot = written.lastIndexOf('.');
    const qualified = dot === -1 ? undefined : this.find(written.slice(0, dot), written.slice(dot + 1));
    return qualified ?? this.find(this.dialect.defaultSchema, written);
  }
}

const MOST_NAMES = 20;

/** The first of the names, each once, separated by commas. */
export function listed(names: readonly string[], most = MOST_NAMES): string {
  const different = [...new Set(names)];
  return different.length > most ? `${different.slice(0, most).join(', ')}, …` : different.join(', ');
}

/** For a table that is not there: the one that was probably meant, and those there are. */
export function tableHint(name: string, { tables }: AllowedTables): { suffix: string; hint: string | undefined } {
  const entity = tables.find((table) => table.entities.some((entity) => fold(entity) === fold(name)));
  const meant =
    entity?.name ??
    nearest(
      name,
      tables.map((table) => table.name),
    );
  if (meant !== undefined) return { suffix: `; did you mean "${meant}"?`, hint: undefined };
  if (tables.length === 0) return { suffix: '', hint: 'The semantic layer has no table of this connection.' };
  return { suffix: '', hint: `Tables that can be read: ${listed(tables.map((table) => table.name))}.` };
}
