/** Says what the names in a resolved statement stand for: which relations a clause sees, and the kinds of their columns. */
import type { ColumnRef, Core, Expr, From, Join, Select, Source, Star, TableSource } from '../sql-kit/ast/tree.ts';
import { fold } from '../sql-kit/dialects/sql-dialect.ts';
import type { AllowedTable, AllowedTables } from './allowed-tables.ts';
import { areComparable, type Kind, kindOfType } from './value-types.ts';

interface Columns {
  /** Columns that are certainly there. */
  readonly names: ReadonlySet<string>;
  /** Of those columns whose kind is known. */
  readonly kinds: ReadonlyMap<string, Kind>;
}

interface Relation extends Columns {
  readonly name: string;
}

interface Common extends Columns {
  readonly name: string;
  readonly next: Common | undefined;
}

/** What one clause sees. */
export interface Sight {
  readonly relations: readonly Relation[];
  /** Columns that joins have made one of several; `undefined`: any may be. */
  readonly merged: ReadonlySet<string> | undefined;
  readonly outer: Sight | undefined;
  /** Common tables, the nearest first. */
  readonly common: Common | undefined;
}

const NONE: Columns = { names: new Set(), kinds: new Map() };

/** Before anything is read. */
export const NO_SIGHT: Sight = { relations: [], merged: new Set(), outer: undefined, common: undefined };

/** The kind of an expression among what a clause sees. */
export type KindOf = (expr: Expr, sight: Sight) => Kind | undefined;

/** Works out each SELECT once. */
export class Sights {
  private readonly tables: AllowedTables;
  private readonly kindOf: KindOf;
  private readonly cores = new Map<Core, Sight>();
  private readonly outputs = new Map<Select, Columns>();
  private readonly ons = new Map<Join, Sight>();

  constructor(tables: AllowedTables, kindOf: KindOf) {
    this.tables = tables;
    this.kindOf = kindOf;
  }

  /** `around`, with the common tables of the SELECT. `visit` is called for the SELECT of each with what that sees. */
  with({ with: own }: Select, around: Sight, visit?: (select: Select, around: Sight) => void): Sight {
    let { common } = around;
    for (const { name, columns, select, suffix } of own?.tables ?? []) {
      // It may see itself, of which nothing is known.
      const seen = { ...around, common: own?.recursive === true ? { name, ...NONE, next: common } : common };
      visit?.(select, seen);
      const isNamed = columns.length > 0 || suffix !== undefined;
      common = { name, ...(isNamed ? NONE : this.output(select, seen)), next: common };
    }
    return { ...around, common };
  }

  /** What the clauses of the SELECT's part see after FROM; `around` has its common tables. */
  core(core: Core, around: Sight): Sight {
    let sight = this.cores.get(core);
    if (sight === undefined) {
      const start = { ...NO_SIGHT, outer: around, common: around.common };
      sight = core.kind === 'core' && core.from !== undefined ? this.from(core.from, start) : start;
      this.cores.set(core, sight);
    }
    return sight;
  }

  /** What the condition of a join sees, once `core` has been asked for the SELECT. */
  on(join: Join): Sight {
    return this.ons.get(join) ?? NO_SIGHT;
  }

  /** A SELECT that has one part only, and what it sees. */
  single(select: Select, around: Sight): { core: Core & { kind: 'core' }; sight: Sight } | undefined {
    const { first, rest } = select;
    if (rest.length > 0 || first.kind !== 'core') return undefined;
    return { core: first, sight: this.core(first, this.with(select, around)) };
  }

  /** What a subquery in FROM sees from outside; `sight`: the sources before it. */
  outside(source: Source & { kind: 'subquery' }, sight: Sight): Sight {
    return source.lateral === true ? sight : { ...(sight.outer ?? NO_SIGHT), common: sight.common };
  }

  private from({ first, joins }: From, start: Sight): Sight {
    const done: Relation[] = [];
    const merged = new Set<string>();
    let isNatural = false;
    let item = this.source(first, start);
    const seen = (relations: readonly Relation[]): Sight => ({
      ...start,
      relations,
      merged: isNatural || start.merged === undefined ? undefined : merged,
    });
    for (const join of joins) {
      if (join.kind === ',') {
        done.push(...item);
        item = [];
      }
      item = [...item, ...this.source(join.source, seen([...start.relations, ...done, ...item]))];
      isNatural ||= join.natural;
      for (const name of join.using) merged.add(name);
      this.ons.set(join, seen(item));
    }
    return seen([...done, ...item]);
  }

  private source(source: Source, sight: Sight): Relation[] {
    if (source.kind === 'join') {
      const inner = this.from(source.from, sight);
      if (source.alias !== undefined) return [{ name: source.alias, ...NONE }];
      if (inner.merged?.size === 0) return [...inner.relations];
      return inner.relations.map(({ name }) => ({ name, ...NONE }));
    }
    if (source.kind === 'rows') return source.calls.map(({ call }) => ({ name: source.alias ?? call.name, ...NONE }));
    if (source.kind === 'function') return [{ name: source.alias ?? source.name, ...NONE }];
    const name = source.alias ?? (source.kind === 'table' ? source.name : '');
    // New names of columns are not followed.
    return [{ name, ...(source.columns === undefined ? this.columns(source, sight) : NONE) }];
  }

  private columns(source: Source & { kind: 'table' | 'subquery' }, sight: Sight): Columns {
    if (source.kind === 'subquery') {
      return source.isPart === true
        ? this.part(source.select)
        : this.output(source.select, this.outside(source, sight));
    }
    for (let table = source.schema === undefined ? sight.common : undefined; table !== undefined; table = table.next) {
      if (fold(table.name) === fold(source.name)) return table.name === source.name ? table : NONE;
    }
    return this.table(source);
  }

  private table({ schema, name }: TableSource): Columns {
    const table = this.tables.find(schema ?? this.tables.dialect.defaultSchema, name);
    return table === undefined ? NONE : columnsOf(table);
  }

  private part(select: Select): Columns {
    let columns = this.outputs.get(select);
    if (columns === undefined) {
      columns = this.visible(select);
      this.outputs.set(select, columns);
    }
    return columns;
  }

  /** Of what stands in a table's place: columns as they are, and others under the names of columns. */
  private visible({ first }: Select): Columns {
    if (first.kind !== 'core' || first.from?.first.kind !== 'table') return NONE;
    const all = this.table(first.from.first);
    const names = new Set<string>();
    const kinds = new Map<string, Kind>();
    for (const column of first.columns) {
      if (column.kind === 'star') return all;
      const own = column.expr.kind === 'name' ? column.expr.name : undefined;
      const name = column.alias ?? own;
      if (name === undefined) continue;
      names.add(this.tables.dialect.hasExactNames ? name : fold(name));
      const kind = own === undefined ? undefined : all.kinds.get(own);
      if (kind !== undefined) kinds.set(name, kind);
    }
    return { names, kinds };
  }

  /** What a mask or a condition on a table's rows sees. */
  inside(select: Select): Sight {
    if (select.first.kind !== 'core' || select.first.from?.first.kind !== 'table') return NO_SIGHT;
    const source = select.first.from.first;
    return { ...NO_SIGHT, relations: [{ name: source.alias ?? source.name, ...this.table(source) }] };
  }

  private output(select: Select, around: Sight): Columns {
    let columns = this.outputs.get(select);
    if (columns === undefined) {
      columns = this.worked(select, around);
      this.outputs.set(select, columns);
    }
    return columns;
  }

  private worked(select: Select, around: Sight): Columns {
    const single = this.single(select, around);
    if (single === undefined) return NONE;
    const { core, sight } = single;
    const [first, another] = core.columns;
    const [all, others] = sight.relations;
    if (first?.kind === 'star' && another === undefined && others === undefined)
      return isPlain(first) ? (all ?? NONE) : NONE;
    const found: [string, Kind | undefined][] = [];
    for (const column of core.columns) {
      if (column.kind === 'column') {
        const name = column.alias ?? (column.expr.kind === 'name' ? column.expr.name : undefined);
        if (name !== undefined) found.push([name, settled(this.kindOf(column.expr, sight))]);
      } else {
        if (sight.merged?.size !== 0 || !isPlain(column)) return NONE;
        const shown = sight.relations.filter(({ name }) => column.table === undefined || name === column.table);
        for (const { kinds } of shown) found.push(...kinds);
      }
    }
    const kinds = new Map<string, Kind>();
    const twice = new Set<string>();
    for (const [name, kind] of found) {
      if (kind === undefined || kinds.has(name)) twice.add(name);
      else kinds.set(name, kind);
    }
    for (const name of twice) kinds.delete(name);
    return { names: new Set(kinds.keys()), kinds };
  }

  /** The kind of a column; `undefined` for the row of a relation, and where it is not certain what is meant. */
  column({ schema, table, name }: ColumnRef, sight: Sight): Kind | undefined {
    if (schema !== undefined) return undefined;
    // One that is not found among the nearest may still be a column there that is not known.
    if (table === undefined) return sight.merged?.has(name) === false ? only(sight.relations, name) : undefined;
    for (let from: Sight | undefined = sight; from !== undefined; from = from.outer) {
      const named = from.relations.filter((relation) => relation.name === table);
      if (named.length > 0) return only(named, name);
    }
    return undefined;
  }

  /** Whether the columns of that name which the join makes one compare without failing. */
  areComparable(name: string, join: Join): boolean {
    const { relations } = this.on(join);
    const kinds = relations.map((relation) => relation.kinds.get(name));
    return relations.length === 2 && areComparable(kinds[0], kinds[1]);
  }

  /** Whether the column is certainly one of the clause's own relations, and of no SELECT around it. */
  isOwn({ table, name }: ColumnRef, { relations }: Sight): boolean {
    const written = this.tables.dialect.hasExactNames ? name : fold(name);
    if (table === undefined) return relations.some(({ names }) => names.has(written));
    return relations.some((relation) => relation.name === table);
  }
}

const described = new WeakMap<AllowedTable, Columns>();

function columnsOf(table: AllowedTable): Columns {
  let columns = described.get(table);
  if (columns === undefined) {
    const kinds = new Map<string, Kind>();
    for (const [column, type] of table.types ?? []) {
      const kind = kindOfType(type);
      if (kind !== undefined) kinds.set(column, kind);
    }
    columns = { names: table.known, kinds };
    described.set(table, columns);
  }
  return columns;
}

function only(relations: readonly Relation[], name: string): Kind | undefined {
  const found = relations.flatMap(({ kinds }) => kinds.get(name) ?? []);
  return found.length === 1 ? found[0] : undefined;
}

const isPlain = ({ exclude, replace, rename }: Star) => (exclude ?? replace ?? rename) === undefined;

/** A result column is of a type of its own. */
const settled = (kind: Kind | undefined) => (kind === 'literal' ? 'text' : kind === 'digits' ? 'numeric' : kind);
