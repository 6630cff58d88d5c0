/**
 * `table.name` and `(value).name` are columns and fields, and where there is none of that name Postgres calls the
 * function `name` with the row or the value: any function, whatever it does. So every such name has to be known for a
 * column: because the statement or the semantic layer says so, or because the engine itself is made to say so, by a
 * common table that nothing reads and that therefore never runs, but that is refused if the table has no such column.
 */
import type {
  ColumnRef,
  Core,
  Expr,
  Form,
  From,
  NamedColumn,
  Select,
  Source,
  Star,
  TableSource,
} from '../../ast/tree.ts';
import { forEachInWindow, forEachOperand, forEachTerm } from '../../ast/walk.ts';
import { positionAt, SqlRefusal } from '../../parse/errors.ts';
import type { ReadableTables } from '../readable-table.ts';
import {
  NOTHING,
  orderedShape,
  type Readable,
  rowsShape,
  type Shape,
  union,
  valuesShape,
  withNames,
} from './column-lists.ts';
import { completeGroups } from './group-keys.ts';
import { castingTo, readingOf, UNUSED_NAME } from './proof-select.ts';
import { findShape, outputOf, type Relation, rowNamed, type Scope, starIn } from './relations.ts';
import { WholeRows } from './whole-rows.ts';

type Visit = (expr: Expr) => void;

const NO_SCOPE: Scope = { relations: [], outer: undefined };

/** Common tables in sight, the nearest first. */
interface Common {
  readonly name: string;
  readonly shape: Shape;
  readonly next: Common | undefined;
}

/**
 * Makes sure that no qualified name is a call; refuses a name for which there is no proof. The statement has been
 * resolved: its tables may be read, and those of which a part is hidden are subqueries.
 */
export function proveColumns(statement: Select, tables: ReadableTables, text: string): void {
  const prover = new Prover(tables, text);
  prover.select(statement, undefined, undefined);
  prover.rows.addColumns();
  prover.addProofs(statement);
}

/** Shapes of the SELECTs in tables' places, each of which is made once and stands in many statements. */
const partShapes = new WeakMap<Select, Shape>();

class Prover {
  readonly #tables: ReadableTables;
  readonly #text: string;
  readonly #proofs = new Map<string | Readable, { readonly source: Readable; readonly names: Set<string> }>();
  readonly #enumerations = new Set<string>();
  readonly rows: WholeRows;

  constructor(tables: ReadableTables, text: string) {
    this.#tables = tables;
    this.#text = text;
    this.rows = new WholeRows(text);
  }

  addProofs(statement: Select): void {
    if (this.#proofs.size === 0 && this.#enumerations.size === 0) return;
    const { at, with: own } = statement;
    const named = (select: Select, name: string) => ({ at, name, columns: [], materialized: undefined, select });
    const columns = Array.from(this.#proofs.values(), ({ source, names }, index) =>
      named(readingOf(source, names), `${UNUSED_NAME}${index + 1}`),
    );
    // Before anything else, so that no other type ever reads a text of the statement.
    const types = this.#enumerations.size === 0 ? [] : [named(castingTo(this.#enumerations, at), `${UNUSED_NAME}0`)];
    statement.with = { recursive: own?.recursive ?? false, tables: [...types, ...(own?.tables ?? []), ...columns] };
  }

  /** The result works out what the SELECT offers to those who read it. */
  select(select: Select, outer: Scope | undefined, around: Common | undefined): () => Shape {
    const common = this.#with(select, outer, around);
    if (select.first.kind === 'core') completeGroups(select.first, select.orderBy, this.#tables);
    const { shape, visit } = this.#core(select.first, outer, common);
    for (const { core } of select.rest) {
      if (core.kind === 'core') completeGroups(core, [], this.#tables);
      this.#core(core, outer, common);
    }
    forEachTerm(select.orderBy, visit);
    if (select.limit !== undefined) visit(select.limit);
    if (select.offset !== undefined) visit(select.offset);
    return shape;
  }

  #with(select: Select, outer: Scope | undefined, around: Common | undefined): Common | undefined {
    if (select.with === undefined) return around;
    const { tables, recursive } = select.with;
    let common = around;
    for (const table of tables) {
      const { name, columns } = table;
      // What it sees of itself is what its first SELECT gives.
      const around = recursive
        ? { name, shape: withNames(columns, this.#first(table.select, outer, common)), next: common }
        : common;
      const shape = withNames(columns, this.select(table.select, outer, around)());
      const { suffix } = table;
      if (suffix !== undefined) forEachOperand(suffix, this.#visitor(NO_SCOPE, undefined));
      const named =
        suffix === undefined ? shape : { names: new Set([...shape.names, ...(table.added ?? [])]), open: shape.open };
      common = { name, shape: named, next: common };
    }
    return common;
  }

  #first(select: Select, outer: Scope | undefined, around: Common | undefined): Shape {
    return this.#core(select.first, outer, this.#with(select, outer, around)).shape();
  }

  #core(core: Core, outer: Scope | undefined, common: Common | undefined): { shape: () => Shape; visit: Visit } {
    const relations = core.kind !== 'core' || core.from === undefined ? [] : this.#from(core.from, [], outer, common);
    const scope: Scope = { relations, outer };
    const visit = this.#visitor(scope, common);
    if (core.kind === 'nested') return { shape: this.select(core.select, outer, common), visit };
    if (core.kind === 'values') {
      for (const row of core.rows) row.forEach(visit);
      return { shape: () => valuesShape(core), visit };
    }
    for (const column of core.columns) {
      const before = this.rows.count;
      if (column.kind === 'star') this.#star(column, scope);
      else {
        visit(column.expr);
        this.rows.nameColumn(column, before);
      }
    }
    core.distinctOn?.forEach(visit);
    if (core.where !== undefined) visit(core.where);
    core.groupBy.forEach(visit);
    if (core.having !== undefined) visit(core.having);
    for (const { window } of core.windows) forEachInWindow(window, visit);
    return { shape: () => outputOf(core, scope), visit };
  }

  // ── relations ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** `before`: what LATERAL sees of the lists around. ON sees its own join only. */
  #from(from: From, before: readonly Relation[], outer: Scope | undefined, common: Common | undefined): Relation[] {
    const done: Relation[] = [];
    let item = this.#source(from.first, { relations: before, outer }, common);
    for (const join of from.joins) {
      if (join.kind === ',') {
        done.push(...item);
        item = [];
      }
      item = [...item, ...this.#source(join.source, { relations: [...before, ...done, ...item], outer }, common)];
      if (join.natural) for (const relation of item) this.rows.readStar(relation);
      if (join.on !== undefined) this.#visitor({ relations: item, outer }, common)(join.on);
      if (join.usingAlias !== undefined) {
        item.push({ name: join.usingAlias, shape: { names: new Set(join.using), open: undefined } });
      }
    }
    return [...done, ...item];
  }

  /** `lateral`: the sources before this one. */
  #source(source: Source, lateral: Scope, common: Common | undefined): Relation[] {
    const columns = 'columns' in source ? source.columns : undefined;
    const as = (name: string, shape: Shape): Relation[] => [{ name, shape: withNames(columns, shape) }];
    switch (source.kind) {
      case 'table':
        return as(source.alias ?? source.name, this.#table(source, common));
      case 'subquery': {
        if (source.isPart === true) {
          const [relation] = as(source.alias ?? '', this.#part(source.select));
          return [{ ...relation!, renamed: columns === undefined ? undefined : source }];
        }
        const outer = source.lateral === true ? lateral : lateral.outer;
        const shape = this.select(source.select, outer, common)();
        // Read again on its own it means the same, unless it reads common tables.
        const isUnnamed =
          shape.open === 'several' || (columns !== undefined && shape.open !== undefined && !shape.isExact);
        const canStandAlone = isUnnamed && common === undefined;
        return as(source.alias ?? '', canStandAlone ? { names: shape.names, open: source, isExact: true } : shape);
      }
      case 'join': {
        const relations = this.#from(source.from, lateral.relations, lateral.outer, common);
        return source.alias === undefined ? relations : as(source.alias, union(relations.map(({ shape }) => shape)));
      }
      case 'rows':
        for (const { call } of source.calls) this.#visitor(lateral, common)(call);
        return as(source.alias ?? source.calls[0]?.call.name ?? '', rowsShape(source));
      case 'function':
        throw new Error('Functions in FROM are read as rows.');
      case 'arrays':
        throw new Error('PostgreSQL has no ARRAY JOIN.');
    }
  }

  /** What may be seen of a table: names of the semantic layer and of the policies, which are known for columns. */
  #part(select: Select): Shape {
    let shape = partShapes.get(select);
    if (shape === undefined) {
      shape = this.#partShape(select);
      partShapes.set(select, shape);
    }
    return shape;
  }

  #partShape({ first }: Select): Shape {
    if (first.kind !== 'core' || first.from?.first.kind !== 'table') return NOTHING;
    const { columns, from } = first;
    const names: string[] = [];
    for (const column of columns) {
      if (column.kind === 'star') return this.#table(from.first as TableSource, undefined);
      names.push(partName(column));
    }
    return orderedShape(names);
  }

  #table(source: TableSource, common: Common | undefined): Shape {
    if (source.schema === undefined) {
      for (let table = common; table !== undefined; table = table.next) {
        if (table.name === source.name) return table.shape;
      }
    }
    const table = this.#tables.find(source.schema ?? this.#tables.dialect.defaultSchema, source.name);
    return { names: table?.known ?? NOTHING.names, open: source, isExact: true };
  }

  // ── names ───────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Looks into each expression that it is given, of a SELECT that sees `scope`. */
  #visitor(scope: Scope, common: Common | undefined): Visit {
    const visit = (expr: Expr): void => {
      if (expr.kind === 'name') {
        if (this.rows.has(expr)) return;
        if (expr.table !== undefined) this.#prove(expr.at, expr.table, expr.name, scope);
        else this.#row(expr, scope);
        return;
      }
      if (expr.kind === 'scalar' || expr.kind === 'exists') {
        this.select(expr.select, scope, common);
        return;
      }
      if (expr.kind === 'form') {
        if (expr.enumeration !== undefined) this.#enumerations.add(expr.enumeration);
        this.#form(expr, scope, visit);
        return;
      }
      if (expr.kind === 'call') for (const arg of expr.args) this.#argument(arg, scope);
      if (expr.kind === 'in' && expr.set.kind === 'subquery') this.select(expr.set.select, scope, common);
      forEachOperand(expr, visit);
    };
    return visit;
  }

  /** A name without a table is a column of any relation in sight before it is the row of one. */
  #row(expr: ColumnRef, scope: Scope): void {
    const relation = rowNamed(expr.name, scope);
    if (relation !== undefined) this.rows.readRow(expr, relation);
  }

  /** `f(t.*)` is `f(t)`. */
  #argument(arg: Expr, scope: Scope): void {
    const relation = starIn(arg, scope);
    if (relation !== undefined && arg.kind === 'form') this.rows.readRow(arg, relation);
  }

  #form(expr: Form, scope: Scope, visit: Visit): void {
    const starred = starIn(expr, scope);
    if (starred !== undefined) this.rows.readStar(starred);
    const { parts } = expr;
    for (const [index, part] of parts.entries()) {
      if (typeof part === 'string') continue;
      const next = parts[index + 1];
      const isExpanded = typeof next === 'string' && next.startsWith(').*');
      // `(t).*` and `(t).column` go by the new names of the columns.
      if (!isExpanded || part.expr.kind !== 'name' || part.expr.table !== undefined) visit(part.expr);
      else if (next === ').*') {
        const relation = rowNamed(part.expr.name, scope);
        if (relation !== undefined) this.rows.readStar(relation);
      }
    }
  }

  #star({ table }: Star, scope: Scope): void {
    for (const relation of scope.relations) {
      if (table === undefined || relation.name === table) this.rows.readStar(relation);
    }
  }

  #prove(at: number, table: string, name: string, scope: Scope): void {
    const shape = findShape(scope, table);
    if (shape?.names.has(name)) return;
    const isSystem = this.#tables.dialect.systemColumns?.has(name) === true;
    if (shape?.open === undefined || shape.open === 'several' || isSystem || name === UNUSED_NAME) {
      throw this.#unproven(at, table, name);
    }
    const { open } = shape;
    const key = open.kind === 'table' ? [open.schema ?? '', open.name, ...(open.columns ?? [])].join('\0') : open;
    const proof = this.#proofs.get(key) ?? { source: open, names: new Set() };
    proof.names.add(name);
    this.#proofs.set(key, proof);
  }

  #unproven(at: number, table: string, name: string): SqlRefusal {
    const hint = 'Write the column without the table, or give the columns names where the table is made.';
    return new SqlRefusal('column', `"${table}" has no column "${name}"`, positionAt(this.#text, at), hint);
  }
}

const partName = ({ alias, expr }: NamedColumn) => alias ?? (expr.kind === 'name' ? expr.name : '');
