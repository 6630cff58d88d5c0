/** Takes the filters out of a statement, and writes the statements that try some of them. */
import type { ConditionsInWords, conditionReading } from '../provenance/index.ts';
import type { ModelEntity } from '../semantic-layer/index.ts';
import { type Member, memberOf, type VisibleTable, visitStatement } from '../semantic-query/index.ts';
import {
  type ColumnRef,
  type Expr,
  type From,
  forEachOperand,
  Level,
  type NamedColumn,
  type Select,
  type SelectCore,
  type Source,
} from '../sql-kit/index.ts';

/** Conditions that must hold of every row: those about one column together, any other for itself. */
export interface Filter {
  readonly conditions: readonly Expr[];
  /** The only column that they are about. */
  readonly column: ColumnRef | undefined;
  /** The column in the semantic layer. */
  readonly member: Member | undefined;
  readonly inWords: ConditionsInWords;
}

export interface FilteredQuery {
  readonly with: Select['with'];
  readonly core: SelectCore;
  readonly from: From;
  /** Conditions of WHERE that only join tables. */
  readonly joining: readonly Expr[];
  readonly filters: readonly Filter[];
  /** Something besides the filters may leave rows out: a condition on groups, or a SELECT around this one. */
  readonly isNarrowed: boolean;
}

type Tables = ReadonlyMap<string, ModelEntity>;

type Reading = Awaited<ReturnType<typeof conditionReading>>;

/** `undefined` where it is not one SELECT over tables. `tables` are the entities of the connection by their tables. */
export function filteredQuery(
  select: Select,
  tables: Tables,
  { conditionsInWords }: Reading,
): FilteredQuery | undefined {
  const found = innermost(select, select.with);
  // Another sample has other rows.
  if (found?.core.from === undefined || found.core.sample !== undefined || isSampled(found.core.from)) return undefined;
  const { core } = found;
  let inSight: readonly VisibleTable[] = [];
  visitStatement(select, tables, {
    core(visited, visible) {
      if (visited === core) inSight = visible;
    },
    expression() {},
  });
  const conditions = conjuncts(core.where);
  const filters: Omit<Filter, 'inWords'>[] = [];
  for (const condition of conditions.filter((one) => !isJoining(one))) {
    const column = onlyColumn(condition);
    const at = column === undefined ? -1 : filters.findIndex((known) => known.column && isSame(known.column, column));
    const known = filters[at];
    if (known !== undefined) filters[at] = { ...known, conditions: [...known.conditions, condition] };
    else filters.push({ conditions: [condition], column, member: column && memberOf(column, inSight) });
  }
  const member = (column: ColumnRef) => memberOf(column, inSight);
  const read = filters.map((filter) => ({ ...filter, inWords: conditionsInWords(filter.conditions, member) }));
  return { ...found, from: core.from as From, joining: conditions.filter(isJoining), filters: read };
}

const isSampled = ({ first, joins }: From): boolean =>
  [first, ...joins.map(({ source }) => source)].some((source) =>
    source.kind === 'join' ? isSampled(source.from) : source.kind === 'table' && source.sample !== undefined,
  );

/** The SELECT that reads the tables: below those without a condition that read only one other. */
function innermost(
  select: Select,
  clause: Select['with'],
): Pick<FilteredQuery, 'with' | 'core' | 'isNarrowed'> | undefined {
  const { first: core, rest, limit, offset } = select;
  const isCut = offset !== undefined || (limit !== undefined && (limit.kind !== 'number' || Number(limit.value) === 0));
  if (core.kind !== 'core' || rest.length > 0 || isCut) return undefined;
  const isNarrowed = core.having !== undefined || core.qualify !== undefined;
  const source = core.where === undefined && core.from?.joins.length === 0 ? core.from.first : undefined;
  const inner =
    source?.kind === 'subquery'
      ? innermost(source.select, joined(clause, source.select.with))
      : source?.kind === 'table' && innermostCommon(source.name, source.schema, clause);
  return inner ? { ...inner, isNarrowed: true } : { with: clause, core, isNarrowed };
}

function innermostCommon(name: string, schema: string | undefined, clause: Select['with']) {
  const at = clause?.tables.findIndex((table) => table.name.toLowerCase() === name.toLowerCase()) ?? -1;
  const table = clause?.tables[at];
  if (clause === undefined || table === undefined || schema !== undefined || clause.recursive) return undefined;
  const before = { ...clause, tables: clause.tables.slice(0, at) };
  return innermost(table.select, joined(before, table.select.with));
}

const joined = (outer: Select['with'], inner: Select['with']): Select['with'] => {
  const tables = [...(outer?.tables ?? []), ...(inner?.tables ?? [])];
  return tables.length === 0 ? undefined : { recursive: (outer?.recursive || inner?.recursive) === true, tables };
};

/** What must hold of every row: conditions that AND joins. */
function conjuncts(condition: Expr | undefined): Expr[] {
  if (condition === undefined) return [];
  const isAnd = condition.kind === 'chain' && condition.operators.every((operator) => operator === 'AND');
  return isAnd ? condition.operands.flatMap(conjuncts) : [condition];
}

const isJoining = (condition: Expr): boolean =>
  condition.kind === 'chain' &&
  condition.operands.length === 2 &&
  condition.operands.every(({ kind }) => kind === 'name');

const isSame = (one: ColumnRef, other: ColumnRef): boolean =>
  [one.table, one.name].join('.').toLowerCase() === [other.table, other.name].join('.').toLowerCase();

/** The columns of an expression, each once; `undefined` where it has a SELECT of its own. */
function columnsIn(expr: Expr): ColumnRef[] | undefined {
  if (expr.kind === 'name') return [expr];
  if (expr.kind === 'scalar' || expr.kind === 'exists' || (expr.kind === 'in' && expr.set.kind !== 'list'))
    return undefined;
  const found: ColumnRef[] = [];
  let isPlain = true;
  forEachOperand(expr, (operand) => {
    const columns = columnsIn(operand);
    isPlain &&= columns !== undefined;
    for (const column of columns ?? []) if (!found.some((known) => isSame(known, column))) found.push(column);
  });
  return isPlain ? found : undefined;
}

function onlyColumn(condition: Expr): ColumnRef | undefined {
  const [column, ...others] = columnsIn(condition) ?? [];
  return others.length === 0 ? column : undefined;
}

export interface Wanted {
  readonly columns: readonly Expr[];
  readonly where: readonly Expr[];
  readonly limit: number;
  /** Reads only the table of this column, and gives each value once. */
  readonly valuesOf?: ColumnRef;
}

/** The statement that reads something else from where the query reads. Its columns are `c0`, `c1`, … */
export function statementOf(query: FilteredQuery, { columns, where, limit, valuesOf }: Wanted): Select {
  const { from, joining } = query;
  const { at } = query.core;
  const own = valuesOf && ownSource(from, valuesOf);
  const conditions = own === undefined ? [...joining, ...where] : where;
  const named = columns.map(
    (expr, index): NamedColumn => ({ kind: 'column', expr, alias: `c${index}`, text: undefined }),
  );
  return {
    kind: 'select',
    at,
    with: query.with,
    first: {
      kind: 'core',
      at,
      distinct: valuesOf !== undefined,
      columns: named,
      from: own === undefined ? from : { first: own, joins: [] },
      where: and(at, conditions),
      groupBy: [],
      having: undefined,
      windows: [],
    },
    rest: [],
    orderBy: [],
    limit: { kind: 'number', at, value: String(limit) },
    offset: undefined,
  };
}

function and(at: number, conditions: readonly Expr[]): Expr | undefined {
  const [first, ...others] = conditions;
  if (first === undefined || others.length === 0) return first;
  return { kind: 'chain', at, level: Level.and, operands: [...conditions], operators: others.map(() => 'AND') };
}

export function call(name: string, argument: Expr): Expr {
  const { at } = argument;
  return {
    ...{ kind: 'call', at, name, distinct: false, star: false, args: [argument] },
    ...{ orderBy: [], filter: undefined, over: undefined },
  };
}

/** The table that a column belongs to, where that is certain. */
function ownSource({ first, joins }: From, { table }: ColumnRef): Source | undefined {
  if (table === undefined) return undefined;
  const sources = [first, ...joins.map(({ source }) => source)];
  return sources.find(
    (source) => source.kind === 'table' && (source.alias ?? source.name).toLowerCase() === table.toLowerCase(),
  );
}
