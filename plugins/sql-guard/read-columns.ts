/** Collects the columns that a statement may read: where names alone do not tell whose column it is, those of every table that may have it. */
import { type ColumnRef, fold, type Join, type SqlDialect } from '../sql-kit/index.ts';
import type { AllowedTable } from './allowed-tables.ts';
import { hasColumn } from './column-access.ts';
import type { Relation, Scope } from './scope.ts';

/** All columns. */
const ALL = '*';
/** Columns that are told apart in one statement; of a table that is met beyond it all count as read. */
const MOST_COLUMNS = 2000;
/** Names of one SELECT whose meaning is kept. */
const MOST_LOOKUPS = 1000;

/** What names meant while the same relations were in sight: whether one of these is known to have such a column. */
interface Lookups {
  readonly version: number;
  readonly found: Map<string | undefined, boolean>;
}

export class ReadColumns {
  readonly #columns = new Map<AllowedTable, Set<string>>();
  readonly #lookups = new Map<Scope, Lookups>();
  readonly #dialect: SqlDialect;
  /** Tables whose `*` is noted. */
  readonly #starred = new Set<AllowedTable>();
  /** Columns noted. */
  #count = 0;

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

  /** Notes what a column's name reads. Returns whether it is unqualified and a visible relation is known to have it. */
  name(ref: ColumnRef, scope: Scope): boolean {
    const { table, schema, name } = ref;
    if (table === undefined) return this.#unqualified(name, scope);
    const isKnown = this.#qualified(table, name, scope);
    if (!this.#dialect.hasFields || isKnown) return false;
    // `table.column.field`, or `column.field` with one name or two after it
    if (schema !== undefined && this.#qualified(schema, table, scope)) return false;
    const first = schema ?? table;
    for (let around: Scope | undefined = scope; around !== undefined; around = around.outer) {
      this.#every(around, first);
    }
    return false;
  }

  /** What `*` or `relation.*` reads; of a table with a list of what may be seen, what is on it. */
  star(name: string | undefined, scope: Scope): void {
    const relations = name === undefined ? scope.relations : [scope.relation(name)];
    for (const table of relations.flatMap((relation) => relation?.table ?? [])) {
      if (this.#starred.has(table)) continue;
      this.#starred.add(table);
      for (const column of table.visible?.map((visible) => visible.name) ?? [ALL]) this.#add(table, column);
    }
  }

  /** What a join compares without an ON; both sides of it are in sight. */
  joined({ natural, using }: Join, scope: Scope): void {
    if (natural) this.star(undefined, scope);
    for (const name of using) this.#every(scope, name);
  }

  /** Every column, as those of a table that gives them new names. */
  whole(table: AllowedTable): void {
    this.#add(table, ALL);
  }

  /** Reads the nearest relation of that name that is known to have it, and those before. Whether one is. */
  #qualified(relation: string, name: string, scope: Scope): boolean {
    for (const { table } of scope.named(relation)) {
      if (table === undefined) continue;
      this.#add(table, name);
      if (hasColumn(table, name)) return true;
    }
    return false;
  }

  /** Reads from the innermost SELECT that is known to have it, and from those further in every table that may have it. */
  #unqualified(name: string, start: Scope): boolean {
    for (let scope: Scope | undefined = start; scope !== undefined; scope = scope.outer) {
      if (this.#within(scope, name)) return true;
    }
    return false;
  }

  /** Notes what the name reads of the relations in sight. Whether one of them is known to have it. */
  #within(scope: Scope, name: string): boolean {
    const isFull = this.#count >= MOST_COLUMNS;
    const key = isFull ? undefined : name;
    const found = this.#found(scope);
    const before = found.get(key);
    if (before !== undefined) return before;
    const folded = fold(name);
    // The name of a relation stands for all of its row.
    for (const { name: relation, table } of scope.relations) {
      if (relation === folded && table !== undefined) this.whole(table);
    }
    const owners = isFull ? [] : scope.relations.filter((relation) => owns(relation, name));
    const others = isFull ? scope.relations : scope.relations.filter(mayOwn);
    for (const relation of owners.length > 0 ? owners : others) this.#note(relation, isFull ? ALL : name);
    if (isFull || found.size < MOST_LOOKUPS) found.set(key, owners.length > 0);
    return owners.length > 0;
  }

  /** Notes the column of all relations in sight that have or may have it. */
  #every(scope: Scope, name: string): void {
    if (this.#count >= MOST_COLUMNS) this.#within(scope, name);
    else
      for (const relation of scope.relations) if (owns(relation, name) || mayOwn(relation)) this.#note(relation, name);
  }

  #found(scope: Scope): Map<string | undefined, boolean> {
    const { version } = scope;
    const before = this.#lookups.get(scope);
    if (before?.version === version) return before.found;
    const found = new Map<string | undefined, boolean>();
    this.#lookups.set(scope, { version, found });
    return found;
  }

  #note({ table }: Relation, name: string): void {
    if (table !== undefined) this.#add(table, name);
  }

  #add(table: AllowedTable, name: string): void {
    const names = this.#columns.get(table) ?? new Set();
    this.#columns.set(table, names);
    // A number of the row may be one of its columns by another name.
    const read = this.#dialect.rowNumbers?.has(fold(name)) === true ? ALL : name;
    if (names.has(read)) return;
    names.add(this.#count < MOST_COLUMNS ? read : ALL);
    this.#count += 1;
  }
}

const owns = ({ table }: Relation, name: string) => table !== undefined && hasColumn(table, name);
const mayOwn = ({ table }: Relation) => table?.visible === undefined;

/** As the semantic layer names it, with its schema where that gives one. */
export const tableName = ({ schema, name }: AllowedTable): string =>
  schema === undefined ? name : `${schema}.${name}`;
