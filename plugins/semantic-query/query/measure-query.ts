/** Compiles plans with measures: to one plain SELECT when possible, else to subqueries joined on their groups. */
import type { ModelEntity } from '../../semantic-layer/index.ts';
import { type Aggregation, aggregate, uniqueName } from '../clauses/aggregation.ts';
import { compared } from '../clauses/filters.ts';
import { withLastValues } from '../clauses/last-values.ts';
import { type Aggregate, isAdditive, isCount } from '../clauses/measures.ts';
import { printSelect, type SelectColumn } from '../clauses/select.ts';
import type { Compilation } from '../compilation.ts';
import { PlanError } from '../errors.ts';
import { isDetour } from '../lookup/join-graph.ts';
import { orderTerms } from './order-by.ts';
import type { MeasureColumn } from './output-columns.ts';
import type { OrderTarget, ResolvedPlan } from './resolved-plan.ts';

type Range = 'current' | 'previous';

/** The rows that a subquery aggregates: those of a time range, and of these all or only the portion. */
interface Slice {
  readonly range: Range;
  readonly portion: boolean;
}

/** The aggregates over one slice of one entity. `name` is its name in a WITH clause. */
interface Subquery extends Slice {
  readonly entity: ModelEntity;
  readonly measures: readonly MeasureColumn[];
  readonly aggregation: Aggregation;
  readonly name: string;
}

/** Writes dimensions and measures as SQL of the outer SELECT. */
interface Values {
  key(index: number): string;
  measure(aggregate: Aggregate, range: Range): string;
  total(aggregate: Aggregate): string;
}

export function compileMeasureQuery(compilation: Compilation, plan: ResolvedPlan): string {
  const subqueries = subqueriesOf(compilation, plan);
  if (plan.share && subqueries.some(({ aggregation }) => aggregation.overlapping)) {
    throw new PlanError(
      'invalid_plan',
      'Shares need disjoint groups, but a row can belong to several of these; leave share out.',
    );
  }
  const [only] = subqueries;
  // HAVING would remove groups from the total of the shares.
  const isPlain = subqueries.length === 1 && only !== undefined && !(plan.share && plan.having.length > 0);
  return isPlain ? plainSelect(compilation, plan, only) : joinedSelect(compilation, plan, subqueries);
}

function slicesOf({ previous, portion }: ResolvedPlan): Slice[] {
  const ranges: readonly Range[] = previous === undefined ? ['current'] : ['current', 'previous'];
  const portions = portion === undefined ? [false] : [false, true];
  return ranges.flatMap((range) => portions.map((isPortion) => ({ range, portion: isPortion })));
}

function subqueryName(slice: Slice, entity: ModelEntity, plan: ResolvedPlan): string {
  const range = plan.previous === undefined ? '' : `${slice.range}_`;
  return `${range}${entity.name}_${slice.portion ? 'portion' : 'totals'}`;
}

/** Names of the model's tables, which the names in a WITH clause must not shadow. */
const tableNames = ({ model }: Compilation) => model.entities.flatMap(({ name, table }) => [name, table]);

function subqueriesOf(compilation: Compilation, plan: ResolvedPlan): Subquery[] {
  const entities = [...new Set(plan.measures.map((one) => one.aggregate.entity))];
  if (entities.length > 1) checkShared(compilation, plan, entities);
  const taken = tableNames(compilation);
  return entities.flatMap((entity) =>
    slicesOf(plan).map((slice) => {
      const measures = plan.measures.filter((one) => one.aggregate.entity === entity);
      const rows = slice.range === 'current' ? plan.current : plan.previous!;
      const aggregates = measures.map((one) => one.aggregate);
      const asked = slice.portion ? [...rows, ...plan.portion!] : rows;
      const conditions = withLastValues(compilation, entity, aggregates, plan.keys, asked);
      const aggregation = aggregate(compilation, entity, aggregates, plan.keys, conditions);
      const name = compilation.syntax.identifier(uniqueName(subqueryName(slice, entity, plan), taken));
      return { ...slice, entity, measures, aggregation, name };
    }),
  );
}

/**
 * Refuses measures of several entities unless all of them have the plan's dimensions and time range themselves. Tickets
 * have no order date, although a customer connects them with orders.
 */
function checkShared(compilation: Compilation, plan: ResolvedPlan, entities: readonly ModelEntity[]): void {
  const { graph, joinPath } = compilation;
  const dimensions = plan.keys.map(({ entity, dimension }) => ({
    entity,
    source: `${entity.name}.${dimension.name}`,
  }));
  const times = plan.timeRange === undefined ? [] : [plan.timeRange];
  for (const { entity: target, source } of [...dimensions, ...times]) {
    const unrelated = entities.find((entity) => isDetour(graph.path(entity, target, joinPath)));
    if (unrelated === undefined) continue;
    throw new PlanError(
      'fan_out',
      `${unrelated.name} has no ${source}, so its measures cannot be combined with the others; ask about them separately.`,
      entities.map(({ name }) => name),
    );
  }
}

function outputSql(plan: ResolvedPlan, values: Values, target: OrderTarget): string {
  if (target.kind === 'dimension' || target.kind === 'row') return values.key(plan.keys.indexOf(target.key));
  const one = target.measure.aggregate;
  const current = () => values.measure(one, 'current');
  const previous = () => values.measure(one, 'previous');
  // A sum over no rows counts as 0 in a change; a percentage or an average has no value there.
  const added = (value: string) => (one.type === 'sum' && plan.portion === undefined ? `COALESCE(${value}, 0)` : value);
  const change = () => `${added(current())} - ${added(previous())}`;
  switch (target.kind) {
    case 'measure':
    case 'hidden':
      return current();
    case 'comparison':
      return previous();
    case 'change':
      return change();
    case 'change_percent':
      return `100.0 * (${change()}) / NULLIF(ABS(${previous()}), 0)`;
    case 'ratio': {
      const { measure, times } = target.per!;
      return `${Number.isInteger(times) ? times.toFixed(1) : times} * ${wrapped(current())} / NULLIF(${values.measure(measure.aggregate, 'current')}, 0)`;
    }
    case 'share':
      return `100.0 * ${current()} / NULLIF(${values.total(one)}, 0)`;
  }
}

function selectColumns(compilation: Compilation, plan: ResolvedPlan, values: Values): SelectColumn[] {
  return plan.outputs.map((output) => ({
    sql: outputSql(plan, values, output),
    alias: compilation.syntax.identifier(output.name),
  }));
}

/** Parenthesizes an expression beside an operator. */
const wrapped = (sql: string) => (/^\w+\([^()]*\)$|^[\w.]+$/.test(sql) ? sql : `(${sql})`);

function havingTerms({ syntax }: Compilation, plan: ResolvedPlan, values: Values): string[] {
  return plan.having.map(({ measure, filter }) =>
    compared(syntax, wrapped(values.measure(measure.aggregate, 'current')), filter.operator, filter.value),
  );
}

/** One slice of one entity: a plain SELECT with GROUP BY. */
function plainSelect(compilation: Compilation, plan: ResolvedPlan, { aggregation, measures }: Subquery): string {
  const measure = (wanted: Aggregate) => aggregation.values[measures.findIndex((one) => one.aggregate === wanted)]!;
  const values: Values = {
    key: (index) => aggregation.keys[index]!.sql,
    measure,
    total: (wanted) => `SUM(${measure(wanted)}) OVER ()`,
  };
  return printSelect({
    columns: selectColumns(compilation, plan, values),
    from: aggregation.from,
    where: aggregation.where ?? [],
    groupBy: aggregation.groupBy ?? [],
    having: havingTerms(compilation, plan, values),
    orderBy: orderTerms(plan, compilation.syntax, (target) => outputSql(plan, values, target), {
      isGrouped: true,
    }),
    limit: plan.limit,
  });
}

/** Subqueries in a WITH clause, joined on every group that any of them has. */
function joinedSelect(compilation: Compilation, plan: ResolvedPlan, subqueries: readonly Subquery[]): string {
  const { syntax } = compilation;
  const aliasOf = (measure: MeasureColumn) => syntax.identifier(measure.name);
  const tables = subqueries.map(({ name, measures, aggregation }) => {
    const columns = measures.map((one, index) => ({ sql: aggregation.values[index]!, alias: aliasOf(one) }));
    return { name, sql: printSelect({ ...aggregation, columns: [...aggregation.keys, ...columns] }) };
  });
  const aliases = plan.keys.map(({ alias }) => alias);
  const hasGroupsTable = subqueries.length > 1 && aliases.length > 0;
  const names = subqueries.map(({ name }) => name);
  const groupsTable = hasGroupsTable ? uniqueName('all_groups', [...names, ...tableNames(compilation)]) : names[0]!;
  if (hasGroupsTable) {
    const columns = aliases.map((alias) => ({ sql: alias, alias }));
    tables.push({
      name: groupsTable,
      sql: names.map((name) => printSelect({ columns, from: [name] })).join('\nUNION\n'),
    });
  }
  const matches = (name: string) =>
    aliases.map((alias) => syntax.same(`${groupsTable}.${alias}`, `${name}.${alias}`)).join(' AND ');
  const joins = hasGroupsTable
    ? names.map((name) => `LEFT JOIN ${name} ON ${matches(name)}`)
    : names.slice(1).map((name) => `CROSS JOIN ${name}`);
  const values = joinedValues(subqueries, groupsTable, aliases, aliasOf, hasGroupsTable);
  return printSelect({
    with: tables,
    columns: selectColumns(compilation, plan, values),
    from: [groupsTable, ...joins],
    where: havingTerms(compilation, plan, values),
    orderBy: orderTerms(plan, syntax, (target) => outputSql(plan, values, target)),
    limit: plan.limit,
  });
}

function joinedValues(
  subqueries: readonly Subquery[],
  groupsTable: string,
  aliases: readonly string[],
  aliasOf: (measure: MeasureColumn) => string,
  hasGroupsTable: boolean,
): Values {
  const column = (wanted: Aggregate, { range, portion }: Slice) => {
    const subquery = subqueries.find(
      (one) => one.entity === wanted.entity && one.range === range && one.portion === portion,
    );
    const measure = subquery?.measures.find((one) => one.aggregate === wanted);
    return subquery && measure && { table: subquery.name, sql: `${subquery.name}.${aliasOf(measure)}` };
  };
  return {
    key: (index) => `${groupsTable}.${aliases[index]!}`,
    measure(wanted, range) {
      const { sql } = column(wanted, { range, portion: false })!;
      const portion = column(wanted, { range, portion: true });
      if (portion === undefined) return hasGroupsTable && isCount(wanted) ? `COALESCE(${sql}, 0)` : sql;
      const portionSql = isAdditive(wanted) || isCount(wanted) ? `COALESCE(${portion.sql}, 0)` : portion.sql;
      return `100.0 * ${portionSql} / NULLIF(${sql}, 0)`;
    },
    total(wanted) {
      const { table, sql } = column(wanted, { range: 'current', portion: false })!;
      return `(SELECT SUM(${sql}) FROM ${table})`;
    },
  };
}
