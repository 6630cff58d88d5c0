/** Reads from a statement which time and measure it took, and writes it with others; only of one plain SELECT. */
import type { FilteredQuery } from '../empty-results/index.ts';
import { hasAggregate, isAggregate } from '../fan-out/index.ts';
import type { Provenance, ValueFormats } from '../result-kit/index.ts';
import { isTime, type ModelDimension, type QueryReading } from '../semantic-layer/index.ts';
import { type Member, memberOf, type VisibleTable, visitStatement } from '../semantic-query/index.ts';
import {
  type ColumnRef,
  DEFAULT_LIMITS,
  type Expr,
  fold,
  forEachOperand,
  forEachTerm,
  type NamedColumn,
  parseExpression,
  printSelect,
  type Select,
} from '../sql-kit/index.ts';
import { MAX_ROWS, type Taken } from './alternatives.ts';
import type { NamedMeasure } from './ambiguity.ts';
import { readsBeside } from './mixed-times.ts';

export interface TakenStatement {
  readonly reading: QueryReading;
  readonly select: Select;
  readonly query: FilteredQuery;
  readonly measures: Provenance['measures'];
  readonly formats: ValueFormats | undefined;
}

/** `undefined` for statements of which it is not certain what else they do. */
export function takenByStatement(init: TakenStatement): Taken | undefined {
  const { reading, select, query, measures, formats = {} } = init;
  const { core } = query;
  const isPlain =
    select.first === core &&
    select.with === undefined &&
    !query.isNarrowed &&
    !core.distinct &&
    core.distinctOn === undefined &&
    core.windows.length === 0 &&
    core.withRollup !== true &&
    core.columns.every(({ kind }) => kind === 'column');
  const inSight = isPlain ? onlySources(select, reading) : undefined;
  if (inSight === undefined) return undefined;
  const columns = core.columns as readonly NamedColumn[];
  const keys = columns.filter(({ expr }) => !hasAggregate(expr));
  if (keys.length === columns.length) return undefined;
  const result = columns.map((one) => {
    const name = nameOf(one);
    return { name, isKey: keys.includes(one), format: formats[name] };
  });
  const terms: Expr[] = [];
  forEachTerm(select.orderBy, (expr) => terms.push(expr));
  const periods = query.filters.filter(({ member, inWords }) => {
    const isNullTest =
      inWords.bounds.length === 0 && inWords.filters.every(({ operator = '' }) => operator.endsWith('null'));
    return member !== undefined && isTime(member.dimension) && !isNullTest;
  });
  const [period, ...more] = periods;
  const figures = result.filter(({ isKey }) => !isKey);
  const measured = figures.length === 1 ? measures.find(({ column }) => column === figures[0]!.name) : undefined;

  const changed = (changes: ReadonlyMap<unknown, Expr>): Select => {
    const found = replaced(select, changes);
    const { at } = select;
    const isBounded = core.groupBy.length === 0 || select.limit !== undefined;
    const limit = isBounded ? found.limit : ({ kind: 'number', at, value: String(MAX_ROWS + 1) } as const);
    return { ...found, limit };
  };
  /** Outside of aggregates. */
  const columnsOf = (exprs: readonly Expr[], { dimension }: Member): ColumnRef[] =>
    exprs.flatMap(plainColumns).filter((column) => memberOf(column, inSight)?.dimension === dimension);
  const grouping = [...core.groupBy, ...keys.map(({ expr }) => expr), ...terms];

  return {
    columns: result,
    time: more.length === 0 ? period?.member : undefined,
    measure: measured?.name,
    withTime(dimension) {
      const taken = period?.member;
      if (period === undefined || taken === undefined || dimension.type !== taken.dimension.type) return undefined;
      const other = taken.entity.dimensions.find(({ name }) => name === dimension.name);
      const column = other && columnOf(other, reading);
      if (other === undefined || column === undefined) return undefined;
      const member = { ...taken, dimension: other };
      if (readsBeside(select, reading, member, taken)) return undefined;
      const own = columnsOf([...period.conditions, ...grouping], taken);
      // An engine may take the name for that of the result.
      const names = new Set([column, ...own].map(({ name }) => fold(name)));
      const isRenamed = ({ alias, expr }: NamedColumn) =>
        alias !== undefined && expr.kind !== 'name' && names.has(fold(alias));
      if (columns.some(isRenamed)) return undefined;
      const written = changed(new Map(own.map((one) => [one, { ...one, name: column.name }])));
      return readsBeside(written, reading, taken, member) ? undefined : printSelect(written, reading.dialect);
    },
    withMeasure(measure) {
      const index = result.findIndex(({ isKey }) => !isKey);
      const expr = measureIn(columns[index]!.expr);
      const other = expressionOf(measure, inSight, reading);
      if (other === undefined || terms.some(hasAggregate)) return undefined;
      return printSelect(changed(new Map([[expr, other]])), reading.dialect);
    },
  };
}

/** The column that a dimension is; `undefined` for one that is calculated. */
function columnOf({ sql }: ModelDimension, { dialect }: QueryReading): ColumnRef | undefined {
  try {
    const expr = parseExpression(sql, dialect, DEFAULT_LIMITS);
    return expr.kind === 'name' && expr.table === undefined ? expr : undefined;
  } catch {
    return undefined;
  }
}

/** As the engine names it. */
const nameOf = ({ alias, expr, text = '' }: NamedColumn): string => alias ?? (expr.kind === 'name' ? expr.name : text);

/** The sources of a statement that has one SELECT, over tables of the layer alone. */
function onlySources(select: Select, { tables }: QueryReading): readonly VisibleTable[] | undefined {
  const all: (readonly VisibleTable[])[] = [];
  visitStatement(select, tables, {
    core: (_, inSight) => void all.push(inSight),
    expression() {},
  });
  const [only, ...more] = all;
  return more.length === 0 && only?.every(({ entity }) => entity !== undefined) ? only : undefined;
}

/** The columns of an expression, without those in aggregates. */
function plainColumns(expr: Expr): ColumnRef[] {
  if (expr.kind === 'name') return [expr];
  if (expr.kind === 'call' && isAggregate(expr)) return [];
  const found: ColumnRef[] = [];
  forEachOperand(expr, (operand) => found.push(...plainColumns(operand)));
  return found;
}

/** What is measured, below a rounding of it. */
function measureIn(expr: Expr): Expr {
  if (expr.kind === 'cast') return measureIn(expr.operand);
  const isRounded = expr.kind === 'call' && expr.name.toLowerCase() === 'round' && expr.args.length > 0;
  return isRounded ? measureIn(expr.args[0]!) : expr;
}

/** A measure of a table in sight, over its columns. */
function expressionOf(
  { entity, sql }: NamedMeasure,
  inSight: readonly VisibleTable[],
  { dialect }: QueryReading,
): Expr | undefined {
  const [table, ...more] = inSight.filter((one) => one.entity?.name === entity?.name);
  if (sql === undefined || table === undefined || more.length > 0) return undefined;
  try {
    const expr = parseExpression(sql, dialect, DEFAULT_LIMITS);
    const columns: ColumnRef[] = [];
    if (!collectColumns(expr, columns)) return undefined;
    if (inSight.length === 1) return expr;
    return replaced(expr, new Map(columns.map((one) => [one, { ...one, table: table.name }])));
  } catch {
    return undefined;
  }
}

/** Whether the expression has no SELECT and names no table. */
function collectColumns(expr: Expr, into: ColumnRef[]): boolean {
  if (expr.kind === 'scalar' || expr.kind === 'exists' || (expr.kind === 'in' && expr.set.kind !== 'list'))
    return false;
  if (expr.kind === 'name') {
    into.push(expr);
    return expr.table === undefined;
  }
  let isPlain = true;
  forEachOperand(expr, (operand) => {
    isPlain &&= collectColumns(operand, into);
  });
  return isPlain;
}

/** A copy with other expressions in place of some. */
function replaced<T>(node: T, changes: ReadonlyMap<unknown, Expr>): T {
  const change = changes.get(node);
  if (change !== undefined) return change as T;
  if (Array.isArray(node)) return node.map((item) => replaced(item, changes)) as T;
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, replaced(value, changes)])) as T;
}
