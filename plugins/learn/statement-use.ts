/** Finds out what a statement uses of the layer: entities, columns, joins and aggregates. */
import type { ModelDimension, ModelEntity } from '../semantic-layer/index.ts';
import {
  type Call,
  type Expr,
  type From,
  fold,
  forEachOperand,
  forEachTerm,
  type Select,
  type Source,
} from '../sql-kit/index.ts';

export interface UsedColumn {
  readonly entity: ModelEntity;
  /** The column. */
  readonly name: string;
  /** `undefined`: the layer does not declare the column. */
  readonly dimension: ModelDimension | undefined;
}

export interface UsedJoin {
  readonly from: UsedColumn;
  readonly to: UsedColumn;
}

export interface UsedAggregate {
  readonly entity: ModelEntity;
  readonly type: 'sum' | 'avg' | 'min' | 'max' | 'count_distinct';
  readonly argument: Expr;
  readonly columns: readonly UsedColumn[];
  readonly alias: string | undefined;
}

export interface StatementUse {
  readonly entities: ReadonlySet<ModelEntity>;
  readonly columns: readonly UsedColumn[];
  /** Columns that are joined by equality, two of them for each join of two tables or more. */
  readonly joins: readonly (readonly UsedJoin[])[];
  readonly aggregates: readonly UsedAggregate[];
  readonly groups: readonly UsedColumn[];
  /** Tables that are in no layer. */
  readonly unknownTables: readonly string[];
  /** Columns that the layer does not declare. */
  readonly unknownColumns: readonly UsedColumn[];
  /** Every name of a column or table as written. */
  readonly names: ReadonlySet<string>;
  /** Words of the texts in it. */
  readonly literalWords: ReadonlySet<string>;
}

export type FindEntity = (schema: string | undefined, table: string) => ModelEntity | undefined;

/** The tables of one SELECT by the names under which its columns are written; `null`: none of the layer. */
interface Tables {
  readonly byName: Map<string, ModelEntity | null>;
  /** Names that the SELECT gives to its results. */
  readonly aliases: ReadonlySet<string>;
  readonly outer: Tables | undefined;
}

const AGGREGATES = new Set(['sum', 'avg', 'min', 'max']);

/** The column that a dimension stands for; `undefined` for one that is computed. */
const columnOf = ({ sql }: ModelDimension) => (/^[\p{L}_][\p{L}\p{N}_$]*$/u.test(sql) ? fold(sql) : undefined);

const dimensionOf = (entity: ModelEntity, column: string) =>
  entity.dimensions.find((dimension) => columnOf(dimension) === fold(column));

export function useOf(select: Select, find: FindEntity): StatementUse {
  const entities = new Set<ModelEntity>();
  const columns: UsedColumn[] = [];
  const joins: UsedJoin[][] = [];
  const aggregates: UsedAggregate[] = [];
  const groups: UsedColumn[] = [];
  const unknownTables: string[] = [];
  const unknownColumns: UsedColumn[] = [];
  const names = new Set<string>();
  const literalWords = new Set<string>();

  visitSelect(select, new Set(), undefined);
  return { entities, columns, joins, aggregates, groups, unknownTables, unknownColumns, names, literalWords };

  function visitSelect(node: Select, ctes: ReadonlySet<string>, outer: Tables | undefined): void {
    const known = new Set([...ctes, ...(node.with?.tables ?? []).map(({ name }) => fold(name))]);
    for (const table of node.with?.tables ?? []) visitSelect(table.select, known, outer);
    for (const core of [node.first, ...node.rest.map((part) => part.core)]) {
      if (core.kind === 'nested') visitSelect(core.select, known, outer);
      if (core.kind !== 'core') continue;
      const aliases = core.columns.flatMap((column) =>
        column.kind === 'column' && column.alias !== undefined ? [fold(column.alias)] : [],
      );
      const tables: Tables = { byName: new Map(), aliases: new Set(aliases), outer };
      const pairs: UsedJoin[] = [];
      if (core.from !== undefined) visitFrom(core.from, tables, known, pairs);
      const visit = (expr: Expr | undefined) => expr !== undefined && visitExpr(expr, tables, known);
      for (const column of core.columns)
        if (column.kind === 'column') visitResult(column.expr, column.alias, tables, known);
      visit(core.where);
      equalities(core.where, tables, pairs);
      visit(core.having);
      for (const expr of core.groupBy) {
        visit(expr);
        const used = expr.kind === 'name' ? resolve(expr, tables) : positional(expr, core.columns, tables);
        if (used !== undefined) groups.push(used);
      }
      if (pairs.length > 0) joins.push(pairs);
      forEachTerm(node.orderBy, visit);
    }
  }

  function positional(
    expr: Expr,
    results: readonly { kind: string; expr?: Expr }[],
    tables: Tables,
  ): UsedColumn | undefined {
    if (expr.kind !== 'number') return undefined;
    const result = results[Number(expr.value) - 1]?.expr;
    return result?.kind === 'name' ? resolve(result, tables) : undefined;
  }

  function visitFrom(from: From, tables: Tables, ctes: ReadonlySet<string>, pairs: UsedJoin[]): void {
    visitSource(from.first, tables, ctes, pairs);
    for (const join of from.joins) {
      const before = [...tables.byName.values()];
      visitSource(join.source, tables, ctes, pairs);
      if (join.on !== undefined) visitExpr(join.on, tables, ctes);
      equalities(join.on, tables, pairs);
      const added = join.source.kind === 'table' ? tables.byName.get(nameOf(join.source)) : undefined;
      for (const name of join.using) {
        const to = added == null ? undefined : columnIn(added, name);
        const left = before.flatMap((entity) => (entity && columnIn(entity, name)) ?? []);
        if (to !== undefined && left.length === 1 && left[0] !== undefined) pairs.push({ from: left[0], to });
      }
    }
  }

  function visitSource(source: Source, tables: Tables, ctes: ReadonlySet<string>, pairs: UsedJoin[]): void {
    if (source.kind === 'join') {
      visitFrom(source.from, tables, ctes, pairs);
      return;
    }
    if (source.kind === 'subquery') visitSelect(source.select, ctes, tables);
    if (source.kind !== 'table') {
      tables.byName.set(fold(source.alias ?? ''), null);
      return;
    }
    const isDerived = source.schema === undefined && ctes.has(fold(source.name));
    const entity = isDerived ? undefined : find(source.schema, source.name);
    if (!isDerived) names.add(fold(source.name));
    if (entity !== undefined) entities.add(entity);
    else if (!isDerived) unknownTables.push(source.name);
    tables.byName.set(nameOf(source), entity ?? null);
  }

  function visitResult(expr: Expr, alias: string | undefined, tables: Tables, ctes: ReadonlySet<string>): void {
    const count = aggregates.length;
    visitExpr(expr, tables, ctes);
    const last = aggregates.at(-1);
    // The alias of a whole column names the aggregate, if it is that and nothing around it.
    if (expr.kind === 'call' && aggregates.length === count + 1 && last !== undefined)
      aggregates[count] = { ...last, alias };
  }

  function visitExpr(expr: Expr, tables: Tables, ctes: ReadonlySet<string>): void {
    if (expr.kind === 'string')
      for (const word of expr.value.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) literalWords.add(word);
    if (expr.kind === 'name') {
      names.add(fold(expr.name));
      const used = resolve(expr, tables);
      if (used?.dimension !== undefined) columns.push(used);
      else if (used !== undefined) unknownColumns.push(used);
    }
    if (expr.kind === 'scalar' || expr.kind === 'exists') visitSelect(expr.select, ctes, tables);
    if (expr.kind === 'in' && expr.set.kind === 'subquery') visitSelect(expr.set.select, ctes, tables);
    if (expr.kind === 'call') noteAggregate(expr, tables);
    forEachOperand(expr, (operand) => visitExpr(operand, tables, ctes));
  }

  function noteAggregate({ name, distinct, star, args, filter, over }: Call, tables: Tables): void {
    const [argument] = args;
    const isCount = fold(name) === 'count' && distinct;
    const type = isCount ? 'count_distinct' : (fold(name) as UsedAggregate['type']);
    if (star || args.length !== 1 || argument === undefined || filter !== undefined || over !== undefined) return;
    if (!isCount && (!AGGREGATES.has(type) || distinct)) return;
    const inside = namesIn(argument);
    const used = inside?.map((one) => resolve(one, tables));
    const [first] = used ?? [];
    if (used === undefined || first === undefined || used.some((one) => one?.entity !== first.entity)) return;
    aggregates.push({ entity: first.entity, type, argument, columns: used as UsedColumn[], alias: undefined });
  }

  /** Pairs of columns of two entities that a condition makes equal. */
  function equalities(condition: Expr | undefined, tables: Tables, pairs: UsedJoin[]): void {
    if (condition?.kind !== 'chain') return;
    if (condition.operators.every((operator) => operator === 'AND')) {
      for (const operand of condition.operands) equalities(operand, tables, pairs);
      return;
    }
    const [left, right] = condition.operands;
    if (condition.operators.join() !== '=' || left?.kind !== 'name' || right?.kind !== 'name') return;
    const [from, to] = [resolve(left, tables), resolve(right, tables)];
    if (from !== undefined && to !== undefined && from.entity !== to.entity) pairs.push({ from, to });
  }
}

const nameOf = ({ alias, name }: { readonly alias: string | undefined; readonly name: string }) => fold(alias ?? name);

function columnIn(entity: ModelEntity, name: string): UsedColumn | undefined {
  const dimension = dimensionOf(entity, name);
  return dimension && { entity, name: dimension.sql, dimension };
}

interface ColumnName {
  readonly table: string | undefined;
  readonly name: string;
}

/** The column that a name means; `undefined` where that is not certain, or it is none of a table of the layer. */
function resolve(expr: ColumnName, tables: Tables): UsedColumn | undefined {
  for (let at: Tables | undefined = tables; at !== undefined; at = at.outer) {
    if (expr.table !== undefined) {
      const entity = at.byName.get(fold(expr.table));
      if (entity !== undefined)
        return entity === null ? undefined : (columnIn(entity, expr.name) ?? undeclared(entity, expr));
      continue;
    }
    const found = [...at.byName.values()].flatMap((entity) => (entity && columnIn(entity, expr.name)) ?? []);
    if (found.length > 0) return found.length === 1 ? found[0] : undefined;
  }
  const [only, ...others] = tables.byName.values();
  const isResult = tables.aliases.has(fold(expr.name));
  const isCertain = expr.table === undefined && only && others.length === 0 && tables.outer === undefined && !isResult;
  return isCertain ? undeclared(only, expr) : undefined;
}

const undeclared = (entity: ModelEntity, { name }: ColumnName): UsedColumn => ({ entity, name, dimension: undefined });

/** The columns of an expression; `undefined` when it reads a subquery. */
function namesIn(expr: Expr): { table: string | undefined; name: string }[] | undefined {
  if (expr.kind === 'scalar' || expr.kind === 'exists' || expr.kind === 'in') return undefined;
  if (expr.kind === 'name') return [expr];
  const found: { table: string | undefined; name: string }[] = [];
  let isPlain = true;
  forEachOperand(expr, (operand) => {
    const inside = namesIn(operand);
    if (inside === undefined) isPlain = false;
    else found.push(...inside);
  });
  return isPlain ? found : undefined;
}
