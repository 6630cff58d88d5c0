/** Plans with measures: one flat SELECT where it can be, else aggregates side by side, put together on their groups. */
import type { ModelEntity } from '../../semantic-layer/index.ts';
import { type Aggregation, aggregate, unused } from '../clauses/aggregation.ts';
import { compared } from '../clauses/filters.ts';
import { isDetour } from '../lookup/join-graph.ts';
import { type Aggregate, isAdditive, isCount } from '../clauses/measures.ts';
import { orderTerms } from './order-by.ts';
import type { Measured } from './output-columns.ts';
import { PlanError } from '../plan.ts';
import type { OrderTarget, Question } from './resolved-plan.ts';
import type { Compilation } from '../clauses/from-clause.ts';
import { printSelect, type SelectColumn } from '../clauses/select.ts';

type Range = 'current' | 'previous';

/** Which rows are aggregated: those of a range, and of these all or only the portion asked for. */
interface Slice {
  readonly range: Range;
  readonly portion: boolean;
}

/** The aggregates over one entity and one slice. `name` is set where it stands in a WITH clause. */
interface Part extends Slice {
  readonly entity: ModelEntity;
  readonly measured: readonly Measured[];
  readonly aggregation: Aggregation;
  readonly name: string;
}

/** How the values of dimensions and measures are written in the SELECT at hand. */
interface Values {
  key(index: number): string;
  measure(aggregate: Aggregate, range: Range): string;
  total(aggregate: Aggregate): string;
}

export function compileMeasured(compilation: Compilation, question: Question): string {
  const parts = partsOf(compilation, question);
  if (question.share && parts.some(({ aggregation }) => aggregation.overlapping)) {
    throw new PlanError(
      'invalid_plan',
      'Shares need groups that do not overlap, and here one row can be in several groups; leave share out.',
    );
  }
  const [only] = parts;
  // A filter on measures would take groups out of the total before the shares are taken.
  const isFlat = parts.length === 1 && only !== undefined && !(question.share && question.having.length > 0);
  return isFlat ? flat(compilation, question, only) : merged(compilation, question, parts);
}

function slicesOf({ previous, portion }: Question): Slice[] {
  const ranges: readonly Range[] = previous === undefined ? ['current'] : ['current', 'previous'];
  const portions = portion === undefined ? [false] : [false, true];
  return ranges.flatMap((range) => portions.map((isPortion) => ({ range, portion: isPortion })));
}

function partName(slice: Slice, entity: ModelEntity, question: Question): string {
  const range = question.previous === undefined ? '' : `${slice.range}_`;
  return `${range}${entity.name}_${slice.portion ? 'portion' : 'totals'}`;
}

/** The model's own tables, which names in a WITH clause must not hide. */
const tableNames = ({ model }: Compilation) => model.entities.flatMap(({ name, table }) => [name, table]);

function partsOf(compilation: Compilation, question: Question): Part[] {
  const entities = [...new Set(question.measured.map((one) => one.aggregate.entity))];
  if (entities.length > 1) checkShared(compilation, question, entities);
  const taken = tableNames(compilation);
  return entities.flatMap((entity) =>
    slicesOf(question).map((slice) => {
      const measured = question.measured.filter((one) => one.aggregate.entity === entity);
      const rows = slice.range === 'current' ? question.current : question.previous!;
      const conditions = slice.portion ? [...rows, ...question.portion!] : rows;
      const aggregates = measured.map((one) => one.aggregate);
      const aggregation = aggregate(compilation, entity, aggregates, question.keys, conditions);
      const name = compilation.syntax.identifier(unused(partName(slice, entity, question), taken));
      return { ...slice, entity, measured, aggregation, name };
    }),
  );
}

/**
 * Side by side, measures must mean the same groups and the same time. One that gets there only by way of something it
 * shares with another measure would answer another question: tickets have no order date.
 */
function checkShared(compilation: Compilation, question: Question, entities: readonly ModelEntity[]): void {
  const { graph, joinPath } = compilation;
  const dimensions = question.keys.map(({ entity, dimension }) => ({
    entity,
    source: `${entity.name}.${dimension.name}`,
  }));
  const times = question.timeRange === undefined ? [] : [question.timeRange];
  for (const { entity: target, source } of [...dimensions, ...times]) {
    const apart = entities.find((entity) => isDetour(graph.path(entity, target, joinPath)));
    if (apart === undefined) continue;
    throw new PlanError(
      'fan_out',
      `${apart.name} has no ${source} of its own, so its measures cannot stand beside the others; ask about them apart.`,
      entities.map(({ name }) => name),
    );
  }
}

function outputSql(question: Question, values: Values, target: OrderTarget): string {
  if (target.kind === 'dimension' || target.kind === 'row') return values.key(question.keys.indexOf(target.key));
  const one = target.measured.aggregate;
  const current = () => values.measure(one, 'current');
  const previous = () => values.measure(one, 'previous');
  // A group without rows in one range adds nothing to it; a percentage or an average has no value there.
  const added = (value: string) =>
    one.type === 'sum' && question.portion === undefined ? `COALESCE(${value}, 0)` : value;
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
    case 'share':
      return `100.0 * ${current()} / NULLIF(${values.total(one)}, 0)`;
  }
}

function selectColumns(compilation: Compilation, question: Question, values: Values): SelectColumn[] {
  return question.outputs.map((output) => ({
    sql: outputSql(question, values, output),
    alias: compilation.syntax.identifier(output.name),
  }));
}

/** `wrapped` keeps an expression together beside an operator. */
const wrapped = (sql: string) => (/^\w+\([^()]*\)$|^[\w.]+$/.test(sql) ? sql : `(${sql})`);

function havingTerms({ syntax }: Compilation, question: Question, values: Values): string[] {
  return question.having.map(({ measured, filter }) =>
    compared(syntax, wrapped(values.measure(measured.aggregate, 'current')), filter.operator, filter.value),
  );
}

/** One entity, one slice: a plain SELECT with GROUP BY. */
function flat(compilation: Compilation, question: Question, { aggregation, measured }: Part): string {
  const measure = (wanted: Aggregate) => aggregation.values[measured.findIndex((one) => one.aggregate === wanted)]!;
  const values: Values = {
    key: (index) => aggregation.keys[index]!.sql,
    measure,
    total: (wanted) => `SUM(${measure(wanted)}) OVER ()`,
  };
  return printSelect({
    columns: selectColumns(compilation, question, values),
    from: aggregation.from,
    where: aggregation.where ?? [],
    groupBy: aggregation.groupBy ?? [],
    having: havingTerms(compilation, question, values),
    orderBy: orderTerms(question, compilation.syntax, (target) => outputSql(question, values, target), {
      isGrouped: true,
    }),
    limit: question.limit,
  });
}

/** A WITH clause of all parts and, where there are groups, of every group that any part has. */
function merged(compilation: Compilation, question: Question, parts: readonly Part[]): string {
  const { syntax } = compilation;
  const aliasOf = (measured: Measured) => syntax.identifier(measured.name);
  const tables = parts.map(({ name, measured, aggregation }) => {
    const columns = measured.map((one, index) => ({ sql: aggregation.values[index]!, alias: aliasOf(one) }));
    return { name, sql: printSelect({ ...aggregation, columns: [...aggregation.keys, ...columns] }) };
  });
  const aliases = question.keys.map(({ alias }) => alias);
  const isSpined = parts.length > 1 && aliases.length > 0;
  const names = parts.map(({ name }) => name);
  const spine = isSpined ? unused('all_groups', [...names, ...tableNames(compilation)]) : names[0]!;
  if (isSpined) {
    const columns = aliases.map((alias) => ({ sql: alias, alias }));
    tables.push({ name: spine, sql: names.map((name) => printSelect({ columns, from: [name] })).join('\nUNION\n') });
  }
  const matches = (name: string) =>
    aliases.map((alias) => syntax.same(`${spine}.${alias}`, `${name}.${alias}`)).join(' AND ');
  const joins = isSpined
    ? names.map((name) => `LEFT JOIN ${name} ON ${matches(name)}`)
    : names.slice(1).map((name) => `CROSS JOIN ${name}`);
  const values = mergedValues(parts, spine, aliases, aliasOf, isSpined);
  return printSelect({
    with: tables,
    columns: selectColumns(compilation, question, values),
    from: [spine, ...joins],
    where: havingTerms(compilation, question, values),
    orderBy: orderTerms(question, syntax, (target) => outputSql(question, values, target)),
    limit: question.limit,
  });
}

function mergedValues(
  parts: readonly Part[],
  spine: string,
  aliases: readonly string[],
  aliasOf: (measured: Measured) => string,
  isSpined: boolean,
): Values {
  const column = (wanted: Aggregate, { range, portion }: Slice) => {
    const part = parts.find((one) => one.entity === wanted.entity && one.range === range && one.portion === portion);
    const measured = part?.measured.find((one) => one.aggregate === wanted);
    return part && measured && { table: part.name, sql: `${part.name}.${aliasOf(measured)}` };
  };
  return {
    key: (index) => `${spine}.${aliases[index]!}`,
    measure(wanted, range) {
      const { sql } = column(wanted, { range, portion: false })!;
      const portion = column(wanted, { range, portion: true });
      if (portion === undefined) return isSpined && isCount(wanted) ? `COALESCE(${sql}, 0)` : sql;
      const part = isAdditive(wanted) || isCount(wanted) ? `COALESCE(${portion.sql}, 0)` : portion.sql;
      return `100.0 * ${part} / NULLIF(${sql}, 0)`;
    },
    total(wanted) {
      const { table, sql } = column(wanted, { range: 'current', portion: false })!;
      return `(SELECT SUM(${sql}) FROM ${table})`;
    },
  };
}
