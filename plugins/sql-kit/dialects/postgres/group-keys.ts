/**
 * Adds to GROUP BY the columns that a grouped primary key decides. Postgres lets a SELECT that groups by the primary key
 * of a table read its other columns; a subquery that stands in a table's place has no key. As the key decides those
 * columns, no group changes.
 */
import type { Call, ColumnRef, Expr, From, Join, OrderTerm, Select, SelectCore, Source } from '../../ast/tree.ts';
import { forEachInWindow, forEachOperand, forEachTerm } from '../../ast/walk.ts';
import type { ReadableTable, ReadableTables } from '../readable-table.ts';
import { nameOf } from './column-lists.ts';

/** Adds, to the GROUP BY of a resolved SELECT, what the keys in it decide. */
export function completeGroups(core: SelectCore, orderBy: readonly OrderTerm[], tables: ReadableTables): void {
  const { from, groupBy } = core;
  if (from === undefined || groupBy.length === 0) return;
  const side = sideOf(from, tables);
  const keyed = side.relations.filter(({ table }) => table !== undefined && hasKey(table));
  if (keyed.length === 0) return;
  const grouped = new ColumnSet();
  for (const expr of groupBy) grouped.addGrouped(expr, core, side);
  const decided = keyed.filter((relation) => relation.table!.key!.every((name) => grouped.has(relation, name)));
  if (decided.length === 0) return;
  const read = columnsRead(core, orderBy, side);
  const added = decided.flatMap((relation) =>
    [...read.of(relation)].filter((name) => !grouped.has(relation, name)).map((name) => columnOf(relation, name)),
  );
  if (added.length > 0) Object.assign(core, { groupBy: [...groupBy, ...added] });
}

/** Whether the key is known, and seen as it is: masks may be alike where keys are not. */
function hasKey({ key = [], visible }: ReadableTable): boolean {
  const isSeen = (name: string) => visible?.some((column) => column.name === name && column.mask === undefined) ?? true;
  return key.length > 0 && key.every(isSeen);
}

// ── whose a column is ───────────────────────────────────────────────────────────────────────────────────────────

interface Relation {
  readonly name: string;
  /** The table of which it is what may be seen. */
  readonly table: ReadableTable | undefined;
  /** Columns of that table; none where there is no such table, whose columns are not looked into. */
  readonly columns: ReadonlySet<string>;
}

/** What one side of a join offers. */
interface Side {
  readonly relations: readonly Relation[];
  /** Whose a column is that USING or NATURAL merged; `undefined`: of no single relation. */
  readonly merged: ReadonlyMap<string, Relation | undefined>;
}

function sideOf({ first, joins }: From, tables: ReadableTables): Side {
  const start = sideOfSource(first, tables);
  const relations = [...start.relations];
  const merged = new Map(start.merged);
  for (const join of joins) {
    const left: Side = { relations, merged };
    const right = sideOfSource(join.source, tables);
    const names = mergedNames(join, left, right).map((name) => [name, mergedOwner(name, join, left, right)] as const);
    relations.push(...right.relations);
    for (const [name, owner] of [...right.merged, ...names]) merged.set(name, owner);
  }
  return { relations, merged };
}

function sideOfSource(source: Source, tables: ReadableTables): Side {
  if (source.kind === 'join' && source.alias === undefined) return sideOf(source.from, tables);
  const table = source.kind === 'subquery' && source.columns === undefined ? tableOf(source, tables) : undefined;
  const columns = new Set(table?.visible?.map(({ name }) => name) ?? table?.known);
  return { relations: [{ name: source.alias ?? '', table, columns }], merged: new Map() };
}

function tableOf(source: Extract<Source, { kind: 'subquery' }>, tables: ReadableTables): ReadableTable | undefined {
  const { first } = source.select;
  const from = first.kind === 'core' && source.isPart === true ? first.from?.first : undefined;
  return from?.kind === 'table' ? tables.find(from.schema ?? tables.dialect.defaultSchema, from.name) : undefined;
}

function mergedNames({ natural, using }: Join, left: Side, right: Side): readonly string[] {
  if (!natural) return using;
  const names = new Set(left.relations.flatMap(({ columns }) => [...columns]));
  return right.relations.flatMap(({ columns }) => [...columns]).filter((name) => names.has(name));
}

/** The column of an outer join's full side; of an inner join's sides, which are equal, the left one's. */
function mergedOwner(name: string, { kind }: Join, left: Side, right: Side): Relation | undefined {
  if (kind === 'FULL JOIN') return undefined;
  return ownerOf(name, kind === 'RIGHT JOIN' ? right : left);
}

/** Whose column a name without a table is. Of several of the name the engine refuses it. */
function ownerOf(name: string, { relations, merged }: Side): Relation | undefined {
  if (merged.has(name)) return merged.get(name);
  const [owner, another] = relations.filter(({ columns }) => columns.has(name));
  return another === undefined ? owner : undefined;
}

// ── columns grouped by and read ─────────────────────────────────────────────────────────────────────────────────

/** Stands for the whole row. */
const ROW = '';

const columnOf = ({ name: table }: Relation, name: string): ColumnRef =>
  name === ROW
    ? { kind: 'name', at: 0, schema: undefined, table: undefined, name: table }
    : { kind: 'name', at: 0, schema: undefined, table, name };

/** Columns of the relations of one SELECT. */
class ColumnSet {
  readonly #columns = new Map<Relation, Set<string>>();

  of(relation: Relation): ReadonlySet<string> {
    return this.#columns.get(relation) ?? new Set();
  }

  has(relation: Relation, name: string): boolean {
    return this.of(relation).has(name);
  }

  add({ table, name }: ColumnRef, side: Side): void {
    const relation =
      table === undefined ? ownerOf(name, side) : side.relations.find((relation) => relation.name === table);
    if (relation?.columns.has(name)) this.#put(relation, name);
    else if (table === undefined) this.#addRow(name, side);
  }

  /** A name that is no column may be the whole row of a relation. */
  #addRow(name: string, { relations }: Side): void {
    const relation = relations.find((relation) => relation.name === name && relation.table !== undefined);
    if (relation !== undefined && !relations.some(({ columns }) => columns.has(name))) this.#put(relation, ROW);
  }

  addAll(table: string | undefined, { relations }: Side): void {
    for (const relation of relations) {
      if (table === undefined || relation.name === table)
        for (const name of relation.columns) this.#put(relation, name);
    }
  }

  /** A number is the place of a result column, and a name that is of no relation the name of one. */
  addGrouped(expr: Expr, core: SelectCore, side: Side): void {
    // What grouping sets have in common is not looked for.
    if (expr.kind === 'row') for (const item of expr.items) this.addGrouped(item, core, side);
    const column = resultColumn(expr, core, side) ?? expr;
    if (column.kind === 'name') this.add(column, side);
  }

  #put(relation: Relation, name: string): void {
    const known = this.#columns.get(relation);
    if (known === undefined) this.#columns.set(relation, new Set([name]));
    else known.add(name);
  }
}

function resultColumn(expr: Expr, { columns }: SelectCore, { relations }: Side): Expr | undefined {
  const isPlain = expr.kind === 'name' && expr.table === undefined;
  const found =
    expr.kind === 'number'
      ? columns[Number(expr.value) - 1]
      : isPlain && !relations.some((relation) => relation.columns.has(expr.name))
        ? columns.find((column) => column.kind === 'column' && nameOf(column) === expr.name)
        : undefined;
  return found?.kind === 'column' ? found.expr : undefined;
}

/** Columns that stand outside of aggregates where only those may stand that the groups decide. */
function columnsRead(core: SelectCore, orderBy: readonly OrderTerm[], side: Side): ColumnSet {
  const read = new ColumnSet();
  const visit = (expr: Expr): void => {
    if (expr.kind !== 'call' || !isAggregate(expr)) visitParts(expr, visit);
  };
  // An aggregate of a subquery reads of the SELECT around it single values.
  const visitInner = (expr: Expr): void => visitParts(expr, visitInner);
  const visitParts = (expr: Expr, visitPart: (part: Expr) => void): void => {
    if (expr.kind === 'name') read.add(expr, side);
    if (expr.kind === 'scalar' || expr.kind === 'exists') forEachInSelect(expr.select, visitInner);
    if (expr.kind === 'in' && expr.set.kind === 'subquery') forEachInSelect(expr.set.select, visitInner);
    forEachOperand(expr, visitPart);
  };
  for (const column of core.columns) {
    if (column.kind === 'column') visit(column.expr);
    else read.addAll(column.table, side);
  }
  if (core.having !== undefined) visit(core.having);
  core.distinctOn?.forEach(visit);
  for (const { window } of core.windows) forEachInWindow(window, visit);
  const own = new Set(core.columns.map((column) => (column.kind === 'column' ? column.alias : undefined)));
  forEachTerm(orderBy, (expr) => {
    if (expr.kind !== 'name' || expr.table !== undefined || !own.has(expr.name)) visit(expr);
  });
  return read;
}

const AGGREGATES = new Set('array_agg avg bool_and bool_or count json_agg jsonb_agg max min string_agg sum'.split(' '));

/** Whether what it reads need not be decided by the groups. Of an aggregate that is not named here more is grouped by. */
const isAggregate = ({ name, over }: Call) => over === undefined && AGGREGATES.has(name);

/**
 * Visits the expressions of a subquery, which may read columns of the SELECT around it. A column that is taken for one
 * of those and is not joins the groups and changes none.
 */
function forEachInSelect(select: Select, visit: (expr: Expr) => void): void {
  for (const table of select.with?.tables ?? []) forEachInSelect(table.select, visit);
  for (const core of [select.first, ...select.rest.map((part) => part.core)]) {
    if (core.kind === 'nested') forEachInSelect(core.select, visit);
    else if (core.kind === 'values') for (const row of core.rows) row.forEach(visit);
    else forEachInCore(core, visit);
  }
  forEachTerm(select.orderBy, visit);
}

function forEachInCore(core: SelectCore, visit: (expr: Expr) => void): void {
  for (const column of core.columns) if (column.kind === 'column') visit(column.expr);
  if (core.from !== undefined) forEachInFrom(core.from, visit);
  for (const expr of [core.where, ...core.groupBy, core.having, ...(core.distinctOn ?? [])]) {
    if (expr !== undefined) visit(expr);
  }
  for (const { window } of core.windows) forEachInWindow(window, visit);
}

function forEachInFrom({ first, joins }: From, visit: (expr: Expr) => void): void {
  for (const source of [first, ...joins.map((join) => join.source)]) {
    if (source.kind === 'join') forEachInFrom(source.from, visit);
    else if (source.kind === 'subquery' && source.isPart !== true) forEachInSelect(source.select, visit);
    else if (source.kind === 'rows') for (const { call } of source.calls) visit(call);
  }
  for (const { on } of joins) if (on !== undefined) visit(on);
}
