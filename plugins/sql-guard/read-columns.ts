/** Collects the columns that a statement may read: where names alone do not tell whose column it is, those of every table that may have it. */
import { type ColumnRef, fold, type Join, type SqlDialect } from '../sql-kit/index.ts';
import type { AllowedTable } from './allowed-tables.ts';
import { hasColumn } from './column-access.ts';
import type { Relation, Scope } from './scope.ts';

/** All columns. */
const ALL = '*';

export class ReadColumns {
  readonly #columns = new Map<AllowedTable, Set<string>>();
  readonly #dialect: SqlDialect;

  constructor(dialect: SqlDialect) {
    this.#dialect = dialect;
  }

  /** `table.column` or `schema.table.column`, `*` for all columns; the table as `tableName` writes it. */
  list(): string[] {
    return Array.from(this.#columns, ([table, names]) =>
      Array.from(names, (name) => `${tableName(table)}.${name}`),
    ).flat();
  }

  /** Whether it reads a column of the table, in whatever case its name is written. */
  has(table: AllowedTable, name: string): boolean {
    const names = this.#columns.get(table);
    if (names === undefined) return false;
    const folded = fold(name);
    return names.has(ALL) || names.has(name) || [...names].some((read) => fold(read) === folded);
  }

  /** What a column's name reads. */
  name(ref: ColumnRef, scope: Scope): void {
    const { table, schema, name } = ref;
    if (table === undefined) {
      this.#unqualified(name, scope);
      return;
    }
    const isKnown = this.#qualified(table, name, scope);
    if (!this.#dialect.hasFields || isKnown) return;
    // `table.column.field`, or `column.field` with one name or two after it
    if (schema !== undefined && this.#qualified(schema, table, scope)) return;
    const first = schema ?? table;
    for (let around: Scope | undefined = scope; around !== undefined; around = around.outer) {
      for (const relation of around.relations)
        if (owns(relation, first) || mayOwn(relation)) this.#note(relation, first);
    }
  }

  /** What `*` or `relation.*` reads; of a table with a list of what may be seen, what is on it. */
  star(name: string | undefined, scope: Scope): void {
    const relations = name === undefined ? scope.relations : [scope.relation(name)];
    for (const table of relations.flatMap((relation) => relation?.table ?? [])) {
      for (const column of table.visible?.map((visible) => visible.name) ?? [ALL]) this.#add(table, column);
    }
  }

  /** What a join compares without an ON; both sides of it are in sight. */
  joined({ natural, using }: Join, scope: Scope): void {
    if (natural) this.star(undefined, scope);
    for (const name of using) {
      for (const relation of scope.relations) if (owns(relation, name) || mayOwn(relation)) this.#note(relation, name);
    }
  }

  /** Every column, as those of a table that gives them new names. */
  whole(table: AllowedTable): void {
    this.#add(table, ALL);
  }

  /** Of the relations of that name the nearest that is known to have it, and those before. Whether one is. */
  #qualified(relation: string, name: string, scope: Scope): boolean {
    for (const { table } of scope.named(relation)) {
      if (table === undefined) continue;
      this.#add(table, name);
      if (hasColumn(table, name)) return true;
    }
    return false;
  }

  /** Of the innermost SELECT that is known to have it; of those further in, every table that may have it. */
  #unqualified(name: string, start: Scope): void {
    const folded = fold(name);
    for (let scope: Scope | undefined = start; scope !== undefined; scope = scope.outer) {
      // The name of a relation stands for all of its row.
      for (const { name: relation, table } of scope.relations) {
        if (relation === folded && table !== undefined) this.whole(table);
      }
      const owners = scope.relations.filter((relation) => owns(relation, name));
      for (const relation of owners.length > 0 ? owners : scope.relations.filter(mayOwn)) this.#note(relation, name);
      if (owners.length > 0) return;
    }
  }

  #note({ table }: Relation, name: string): void {
    if (table !== undefined) this.#add(table, name);
  }

  #add(table: AllowedTable, name: string): void {
    const names = this.#columns.get(table) ?? new Set();
    this.#columns.set(table, names);
    // A number of the row may be one of its columns by another name.
    names.add(this.#dialect.rowNumbers?.has(fold(name)) === true ? ALL : name);
  }
}

const owns = ({ table }: Relation, name: string) => table !== undefined && hasColumn(table, name);
const mayOwn = ({ table }: Relation) => table?.visible === undefined;

/** As the semantic layer names it, with its schema where that gives one. */
export const tableName = ({ schema, name }: AllowedTable): string =>
  schema === undefined ? name : `${schema}.${name}`;
