/** Finds which relations and columns each clause of a resolved statement sees, and the types of their values. */
import {
  type ColumnRef,
  type Core,
  type Expr,
  type From,
  fold,
  type Join,
  type Select,
  type Source,
  type Star,
  type TableSource,
  type ValueType,
  type ValueTypes,
} from '../sql-kit/index.ts';
import type { AllowedTable, AllowedTables } from './allowed-tables.ts';
import { areComparable } from './value-types.ts';

interface Columns {
  /** Types of those columns whose values have a known type. */
  readonly valueTypes: ReadonlyMap<string, ValueType>;
}

interface Relation extends Columns {
  readonly name: string;
}

interface Common extends Columns {
  readonly name: string;
  readonly next: Common | undefined;
}

/** What one clause sees. */
export interface ClauseScope {
  readonly relations: readonly Relation[];
  /** Columns that joins have made one of several; `undefined`: any may be. */
  readonly merged: ReadonlySet<string> | undefined;
  readonly outer: ClauseScope | undefined;
  /** Common tables, the nearest first. */
  readonly common: Common | undefined;
}

const NONE: Columns = { valueTypes: new Map() };

/** Before anything is read. */
export const NO_SCOPE: ClauseScope = { relations: [], merged: new Set(), outer: undefined, common: undefined };

/** The type of an expression among what a clause sees. */
export type TypeOf = (expr: Expr, scope: ClauseScope) => ValueType | undefined;

/** Works out each SELECT once. */
export class ClauseScopes {
  readonly #tables: AllowedTables;
  readonly #typeOf: TypeOf;
  readonly #cores = new Map<Core, ClauseScope>();
  readonly #outputs = new Map<Select, Columns>();
  readonly #ons = new Map<Join, ClauseScope>();

  constructor(tables: AllowedTables, typeOf: TypeOf) {
    this.#tables = tables;
    this.#typeOf = typeOf;
  }

  /** `around`, with the common tables of the SELECT. `visit` is called for the SELECT of each with what that sees. */
  with({ with: own }: Select, around: ClauseScope, visit?: (select: Select, around: ClauseScope) => void): ClauseScope {
    let { common } = around;
    for (const { name, columns, select, suffix } of own?.tables ?? []) {
      // It may see itself, of which nothing is known.
      const seen = { ...around, common: own?.recursive === true ? { name, ...NONE, next: common } : common };
      visit?.(select, seen);
      const isNamed = columns.length > 0 || suffix !== undefined;
      common = { name, ...(isNamed ? NONE : this.#output(select, seen)), next: common };
    }
    return { ...around, common };
  }

  /** What the clauses of the SELECT's part see after FROM; `around` has its common tables. */
  core(core: Core, around: ClauseScope): ClauseScope {
    let scope = this.#cores.get(core);
    if (scope === undefined) {
      const start = { ...NO_SCOPE, outer: around, common: around.common };
      scope = core.kind === 'core' && core.from !== undefined ? this.#from(core.from, start) : start;
      this.#cores.set(core, scope);
    }
    return scope;
  }

  /** What the condition of a join sees, once `core` has been asked for the SELECT. */
  on(join: Join): ClauseScope {
    return this.#ons.get(join) ?? NO_SCOPE;
  }

  /** A SELECT that has one part only, and what it sees. */
  single(select: Select, around: ClauseScope): { core: Core & { kind: 'core' }; scope: ClauseScope } | undefined {
    const { first, rest } = select;
    if (rest.length > 0 || first.kind !== 'core') return undefined;
    return { core: first, scope: this.core(first, this.with(select, around)) };
  }

  /** What a subquery in FROM sees from outside; `scope`: the sources before it. */
  outside(source: Source & { kind: 'subquery' }, scope: ClauseScope): ClauseScope {
    return source.lateral === true ? scope : { ...(scope.outer ?? NO_SCOPE), common: scope.common };
  }

  #from({ first, joins }: From, start: ClauseScope): ClauseScope {
    const done: Relation[] = [];
    const merged = new Set<string>();
    let isNatural = false;
    let item = this.#source(first, start);
    const seen = (relations: readonly Relation[]): ClauseScope => ({
      ...start,
      relations,
      merged: isNatural || start.merged === undefined ? undefined : merged,
    });
    for (const join of joins) {
      if (join.kind === ',') {
        done.push(...item);
        item = [];
      }
      item = [...item, ...this.#source(join.source, seen([...start.relations, ...done, ...item]))];
      isNatural ||= join.natural;
      for (const name of join.using) merged.add(name);
      this.#ons.set(join, seen(item));
    }
    return seen([...done, ...item]);
  }

  #source(source: Source, scope: ClauseScope): Relation[] {
    if (source.kind === 'join') {
      const inner = this.#from(source.from, scope);
      if (source.alias !== undefined) return [{ name: source.alias, ...NONE }];
      if (inner.merged?.size === 0) return [...inner.relations];
      return inner.relations.map(({ name }) => ({ name, ...NONE }));
    }
    if (source.kind === 'rows') return source.calls.map(({ call }) => ({ name: source.alias ?? call.name, ...NONE }));
    if (source.kind === 'arrays') return [];
    if (source.kind === 'function') return [{ name: source.alias ?? source.name, ...NONE }];
    const name = source.alias ?? (source.kind === 'table' ? source.name : '');
    // New names of columns are not followed.
    return [{ name, ...(source.columns === undefined ? this.#columns(source, scope) : NONE) }];
  }

  #columns(source: Source & { kind: 'table' | 'subquery' }, scope: ClauseScope): Columns {
    if (source.kind === 'subquery') {
      return source.isPart === true
        ? this.#part(source.select)
        : this.#output(source.select, this.outside(source, scope));
    }
    for (let table = source.schema === undefined ? scope.common : undefined; table !== undefined; table = table.next) {
      if (fold(table.name) === fold(source.name)) return table.name === source.name ? table : NONE;
    }
    return this.#table(source);
  }

  #table({ schema, name }: TableSource): Columns {
    const table = this.#tables.find(schema ?? this.#tables.dialect.defaultSchema, name);
    return table === undefined ? NONE : columnsOf(table, this.#tables.dialect.infallible.valueTypes);
  }

  #part(select: Select): Columns {
    let columns = this.#outputs.get(select);
    if (columns === undefined) {
      columns = this.#visible(select);
      this.#outputs.set(select, columns);
    }
    return columns;
  }

  /** What stands in a table's place shows: columns as they are, and others under the names of columns. */
  #visible({ first }: Select): Columns {
    if (first.kind !== 'core' || first.from?.first.kind !== 'table') return NONE;
    const all = this.#table(first.from.first);
    const valueTypes = new Map<string, ValueType>();
    for (const column of first.columns) {
      if (column.kind === 'star') return all;
      const own = column.expr.kind === 'name' ? column.expr.name : undefined;
      const name = column.alias ?? own;
      const type = own === undefined ? undefined : all.valueTypes.get(own);
      if (name !== undefined && type !== undefined) valueTypes.set(name, type);
    }
    return { valueTypes };
  }

  /** What a mask or a condition on a table's rows sees. */
  inside(select: Select): ClauseScope {
    if (select.first.kind !== 'core' || select.first.from?.first.kind !== 'table') return NO_SCOPE;
    const source = select.first.from.first;
    return { ...NO_SCOPE, relations: [{ name: source.alias ?? source.name, ...this.#table(source) }] };
  }

  #output(select: Select, around: ClauseScope): Columns {
    let columns = this.#outputs.get(select);
    if (columns === undefined) {
      columns = this.#worked(select, around);
      this.#outputs.set(select, columns);
    }
    return columns;
  }

  #worked(select: Select, around: ClauseScope): Columns {
    const single = this.single(select, around);
    if (single === undefined) return NONE;
    const { core, scope } = single;
    const [first, another] = core.columns;
    const [all, others] = scope.relations;
    if (first?.kind === 'star' && another === undefined && others === undefined)
      return isPlain(first) ? (all ?? NONE) : NONE;
    const found: [string, ValueType | undefined][] = [];
    for (const column of core.columns) {
      if (column.kind === 'column') {
        const name = column.alias ?? (column.expr.kind === 'name' ? column.expr.name : undefined);
        if (name !== undefined) found.push([name, settled(this.#typeOf(column.expr, scope))]);
      } else {
        if (scope.merged?.size !== 0 || !isPlain(column)) return NONE;
        const shown = scope.relations.filter(({ name }) => column.table === undefined || name === column.table);
        for (const { valueTypes } of shown) found.push(...valueTypes);
      }
    }
    const valueTypes = new Map<string, ValueType>();
    const twice = new Set<string>();
    for (const [name, type] of found) {
      if (type === undefined || valueTypes.has(name)) twice.add(name);
      else valueTypes.set(name, type);
    }
    for (const name of twice) valueTypes.delete(name);
    return { valueTypes };
  }

  /** The type of a column's values; `undefined` for the row of a relation, and where it is not certain what is meant. */
  column({ schema, table, name }: ColumnRef, scope: ClauseScope): ValueType | undefined {
    if (schema !== undefined) return undefined;
    // One that is not found among the nearest may still be a column there that is not known.
    if (table === undefined) return scope.merged?.has(name) === false ? only(scope.relations, name) : undefined;
    for (let from: ClauseScope | undefined = scope; from !== undefined; from = from.outer) {
      const named = from.relations.filter((relation) => relation.name === table);
      if (named.length > 0) return only(named, name);
    }
    return undefined;
  }

  /** Whether the columns of that name which the join makes one compare without failing. */
  areComparable(name: string, join: Join): boolean {
    const { relations } = this.on(join);
    const valueTypes = relations.map((relation) => relation.valueTypes.get(name));
    return relations.length === 2 && areComparable(valueTypes[0], valueTypes[1]);
  }
}

const described = new WeakMap<AllowedTable, Columns>();

function columnsOf(table: AllowedTable, known: ValueTypes | undefined): Columns {
  let columns = described.get(table);
  if (columns === undefined) {
    const valueTypes = new Map<string, ValueType>();
    for (const [column, declared] of table.types ?? []) {
      const type = known?.ofColumn(declared);
      if (type !== undefined) valueTypes.set(column, type);
    }
    columns = { valueTypes };
    described.set(table, columns);
  }
  return columns;
}

function only(relations: readonly Relation[], name: string): ValueType | undefined {
  const found = relations.flatMap(({ valueTypes }) => valueTypes.get(name) ?? []);
  return found.length === 1 ? found[0] : undefined;
}

const isPlain = ({ exclude, replace, rename }: Star) => (exclude ?? replace ?? rename) === undefined;

/** The type that a result column settles on. */
const settled = (type: ValueType | undefined) => (type === 'literal' ? 'text' : type === 'digits' ? 'numeric' : type);
