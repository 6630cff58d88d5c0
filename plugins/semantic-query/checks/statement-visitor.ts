/** Visits the expressions of a statement, with the tables that their columns may come from. */
import type { ModelDimension, ModelEntity } from '../../semantic-layer/index.ts';
import {
  type ColumnRef,
  type Core,
  type Expr,
  type From,
  forEachInWindow,
  forEachOperand,
  forEachTerm,
  type Join,
  type Select,
  type SelectCore,
  type Source,
} from '../../sql-kit/index.ts';

type Tables = ReadonlyMap<string, ModelEntity>;

/** A source by the name that columns call it by; without an entity where it is none. */
export interface VisibleTable {
  readonly name: string;
  readonly entity: ModelEntity | undefined;
}

/** A plain column of an entity. */
export interface Member {
  readonly entity: ModelEntity;
  readonly dimension: ModelDimension;
}

export interface StatementVisitor {
  /** Called for every expression, also inside others. `inSight`: the sources of its SELECT, not those of outer ones. */
  expression(expr: Expr, inSight: readonly VisibleTable[]): void;
  /** Called for every SELECT before its expressions. */
  core?(core: SelectCore, inSight: readonly VisibleTable[]): void;
}

const lower = (name: string) => name.toLowerCase();

/** Results of the SELECT, where a name may be that of one of them. */
const RESULTS: VisibleTable = { name: '', entity: undefined };

/** `tables` are the entities of the connection by their tables. */
export function visitStatement(select: Select, tables: Tables, visitor: StatementVisitor): void {
  new StatementWalk(tables, visitor).select(select, new Set());
}

/** More sources than anybody joins: among them no column is looked for, which bounds the time. */
const MAX_SOURCES = 50;

const members = new WeakMap<ColumnRef, { readonly member: Member | undefined }>();

/** The dimension that is the column, when only one table in sight can have it. Worked out once for all checks. */
export function memberOf(column: ColumnRef, inSight: readonly VisibleTable[]): Member | undefined {
  const found = members.get(column) ?? { member: memberAmong(column, inSight) };
  members.set(column, found);
  return found.member;
}

function memberAmong({ table, name }: ColumnRef, inSight: readonly VisibleTable[]): Member | undefined {
  if (inSight.length > MAX_SOURCES) return undefined;
  const named = table === undefined ? inSight : inSight.filter((visible) => visible.name === lower(table));
  // A table of unknown columns may have it too.
  if (named.some(({ entity }) => entity === undefined)) return undefined;
  const found = named.flatMap(({ entity }) => {
    const dimension = entity && columnsOf(entity).get(lower(name));
    return entity === undefined || dimension === undefined ? [] : [{ entity, dimension }];
  });
  return found.length === 1 ? found[0] : undefined;
}

const columns = new WeakMap<ModelEntity, ReadonlyMap<string, ModelDimension>>();

/** The dimensions of an entity by their SQL, which for a plain column is its name. */
function columnsOf(entity: ModelEntity): ReadonlyMap<string, ModelDimension> {
  const pairs = () =>
    entity.dimensions.map((dimension) => [lower(dimension.sql.replaceAll(/["`[\]]/g, '')), dimension] as const);
  // The first of several dimensions of one column is taken.
  const found = columns.get(entity) ?? new Map(pairs().reverse());
  columns.set(entity, found);
  return found;
}

/** `common`: names of the common tables in sight, which are no entities. */
class StatementWalk {
  readonly #tables: Tables;
  readonly #visitor: StatementVisitor;

  constructor(tables: Tables, visitor: StatementVisitor) {
    this.#tables = tables;
    this.#visitor = visitor;
  }

  select({ with: clause, first, rest, orderBy, limit, offset }: Select, outer: ReadonlySet<string>): void {
    const commonTables = clause?.tables ?? [];
    const common = new Set([...outer, ...commonTables.map(({ name }) => lower(name))]);
    for (const table of commonTables) this.select(table.select, common);
    const sources = this.#core(first, common);
    for (const { core } of rest) this.#core(core, common);
    const inSight = rest.length === 0 ? [...sources, RESULTS] : [];
    forEachTerm(orderBy, (expr) => this.#expression(expr, inSight, common));
    this.#expressions([limit, offset], [], common);
  }

  #core(core: Core, common: ReadonlySet<string>): readonly VisibleTable[] {
    if (core.kind === 'nested') this.select(core.select, common);
    if (core.kind === 'values') for (const row of core.rows) this.#expressions(row, [], common);
    if (core.kind !== 'core') return [];
    const inSight = core.from === undefined ? [] : this.#from(core.from, common);
    this.#visitor.core?.(core, inSight);
    for (const column of core.columns) {
      if (column.kind === 'column') this.#expression(column.expr, inSight, common);
      else for (const { expr } of column.replace ?? []) this.#expression(expr, inSight, common);
    }
    if (core.from !== undefined) this.#conditions(core.from, inSight, common);
    const { distinctOn = [], where, groupBy, having, qualify } = core;
    this.#expressions([...distinctOn, where, ...groupBy], inSight, common);
    this.#expressions([having, qualify], [...inSight, RESULTS], common);
    for (const { window } of core.windows) forEachInWindow(window, (expr) => this.#expression(expr, inSight, common));
    return inSight;
  }

  #from({ first, joins }: From, common: ReadonlySet<string>): VisibleTable[] {
    return [first, ...joins.map(({ source }) => source)].flatMap((source) => this.#source(source, common));
  }

  #conditions({ first, joins }: From, inSight: readonly VisibleTable[], common: ReadonlySet<string>): void {
    for (const source of [first, ...joins.map((join) => join.source)]) {
      if (source.kind === 'join') this.#conditions(source.from, inSight, common);
      if (source.kind === 'function') this.#expressions(source.args, inSight, common);
      if (source.kind === 'rows') for (const { call } of source.calls) this.#expression(call, inSight, common);
    }
    for (const join of joins) this.#expressions([join.on, ...usedColumns(join)], inSight, common);
  }

  #source(source: Source, common: ReadonlySet<string>): VisibleTable[] {
    if (source.kind === 'join' && source.alias === undefined) return this.#from(source.from, common);
    if (source.kind === 'subquery') this.select(source.select, common);
    if (source.kind !== 'table') return [{ name: lower(source.alias ?? ''), entity: undefined }];
    const { name, schema, alias = name, columns } = source;
    const isCommon = schema === undefined && common.has(lower(name));
    const entity = this.#tables.get(lower(name));
    const isOther = entity?.schema !== undefined && schema !== undefined && lower(entity.schema) !== lower(schema);
    // Columns that get new names are not followed.
    const isKnown = !isCommon && !isOther && columns === undefined;
    return [{ name: lower(alias), entity: isKnown ? entity : undefined }];
  }

  #expressions(
    exprs: readonly (Expr | undefined)[],
    inSight: readonly VisibleTable[],
    common: ReadonlySet<string>,
  ): void {
    for (const expr of exprs) if (expr !== undefined) this.#expression(expr, inSight, common);
  }

  #expression(expr: Expr, inSight: readonly VisibleTable[], common: ReadonlySet<string>): void {
    this.#visitor.expression(expr, inSight);
    if (expr.kind === 'in' && expr.set.kind !== 'list') this.#source(expr.set, common);
    if (expr.kind === 'scalar' || expr.kind === 'exists') this.select(expr.select, common);
    forEachOperand(expr, (operand) => this.#expression(operand, inSight, common));
  }
}

/** The columns of USING. */
const usedColumns = ({ using, source: { at } }: Join): ColumnRef[] =>
  using.map((name) => ({ kind: 'name', at, schema: undefined, table: undefined, name }));
