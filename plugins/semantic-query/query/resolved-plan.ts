/** Resolves the names of a plan and checks its rules, before any SQL is written. */
import { Value } from '@sinclair/typebox/value';
import type { ModelEntity } from '../../semantic-layer/index.ts';
import { type GroupKey, uniqueName } from '../clauses/aggregation.ts';
import type { Condition } from '../clauses/condition.ts';
import { isTime } from '../clauses/filters.ts';
import { adhocAggregate, aggregateNamed, isAdditive } from '../clauses/measures.ts';
import { conditionsOf, withoutCondition } from '../clauses/where-clause.ts';
import type { Compilation } from '../compilation.ts';
import { PlanError } from '../errors.ts';
import { type MeasureFilter, QueryPlan } from '../plan.ts';
import {
  findOutput,
  type Key,
  type MeasureColumn,
  type Output,
  outputName,
  outputNames,
  outputsOf,
} from './output-columns.ts';

/** A result column, or a measure or dimension that orders rows without being selected. */
export type OrderTarget =
  | Output
  | { readonly kind: 'hidden'; readonly measure: MeasureColumn }
  | { readonly kind: 'row'; readonly key: GroupKey };

export interface ResolvedPlan {
  /** Entity whose rows are listed; `undefined` for aggregates and distinct values. */
  readonly listed: ModelEntity | undefined;
  /** The selected keys, then the hidden ones that keep equal names apart. */
  readonly keys: readonly GroupKey[];
  /** The selected measures, then those that only a filter or order needs. */
  readonly measures: readonly MeasureColumn[];
  readonly outputs: readonly Output[];
  readonly having: readonly { readonly measure: MeasureColumn; readonly filter: MeasureFilter }[];
  readonly order: readonly { readonly by: OrderTarget; readonly direction: 'asc' | 'desc' }[];
  readonly timeRange: { readonly entity: ModelEntity; readonly source: string } | undefined;
  /** Row conditions for the time range; `previous` for that of the comparison. */
  readonly current: readonly Condition[];
  readonly previous: readonly Condition[] | undefined;
  /** Further conditions: the measures become the percentage of rows that match them. */
  readonly portion: readonly Condition[] | undefined;
  readonly share: boolean;
  readonly limit: number | undefined;
}

const invalid = (message: string) => new PlanError('invalid_plan', message);

/** Checks the plan against its schema, since it may come from a language model. */
export function checkShape(plan: QueryPlan): void {
  if (Value.Check(QueryPlan, plan)) return;
  const error = Value.Errors(QueryPlan, plan).First();
  const path = error?.path.replace(/^\//, '').replaceAll('/', '.');
  throw invalid(`The plan is malformed${path ? ` at ${path}` : ''}: ${error?.message ?? 'not an object'}.`);
}

function dimensionsOf(compilation: Compilation, plan: QueryPlan, listed: ModelEntity | undefined) {
  const { names, members } = compilation;
  const wanted = plan.dimensions ?? [];
  const found =
    wanted.length === 0 && listed !== undefined
      ? listed.dimensions
          .filter(({ hidden }) => hidden !== true)
          .map((dimension) => ({ entity: listed, dimension, grain: undefined }))
      : wanted.map(({ dimension, grain }) => ({ ...names.dimension(dimension), grain }));
  const unique = found.filter(
    (one, at) => found.findIndex((other) => other.dimension === one.dimension && other.grain === one.grain) === at,
  );
  return unique.map(({ entity, dimension, grain }) => {
    const source = `${entity.name}.${dimension.name}`;
    if (grain !== undefined && !isTime(dimension.type)) {
      throw invalid(`A grain needs a date or timestamp; ${source} is a ${dimension.type}.`);
    }
    const name = grain === undefined ? dimension.name : `${dimension.name}_${grain}`;
    return { entity, dimension, grain, name, source, tokens: members.dimension(entity, dimension) };
  });
}

/** Hidden primary keys for dimensions with `identity`; none when no key is known. */
function identityKeys(compilation: Compilation, plan: QueryPlan, taken: readonly string[]): GroupKey[] {
  const found = (plan.dimensions ?? []).filter(({ identity }) => identity === true);
  const members = found.map(({ dimension }) => compilation.names.dimension(dimension));
  const entities = new Map(members.map(({ entity, dimension }) => [entity, dimension]));
  return [...entities].flatMap(([entity, dimension]) =>
    compilation.primaryKey(entity).map((tokens, index) => {
      const alias = compilation.syntax.identifier(uniqueName(outputName(`${entity.name}_key_${index + 1}`), taken));
      return { entity, dimension, grain: undefined, tokens, alias, hidden: true };
    }),
  );
}

/** Adds the plan's `without` conditions, each with the conditions on entities beyond it. */
function applyWithout(compilation: Compilation, plan: QueryPlan, base: ModelEntity, conditions: readonly Condition[]) {
  const { graph, joinPath, names } = compilation;
  const targets = (plan.without ?? []).map((name) => names.entity(name));
  const paths = targets.map((target) => {
    if (target === base) throw invalid(`${base.name} cannot be asked for without ${target.name}; name another entity.`);
    return graph.path(base, target, joinPath);
  });
  const beyond = (condition: Condition, path: (typeof paths)[number]) =>
    condition.entity !== base &&
    path.every((hop, index) => graph.path(base, condition.entity, joinPath)[index] === hop);
  const outer = conditions.filter((condition) => !paths.some((path) => beyond(condition, path)));
  const missing = paths.map((path) =>
    withoutCondition(
      compilation,
      base,
      path,
      conditions.filter((condition) => beyond(condition, path)),
    ),
  );
  return [...outer, ...missing];
}

function checkComparison(compilation: Compilation, plan: QueryPlan): void {
  if (plan.comparison === undefined) return;
  if (plan.timeRange === undefined) throw invalid('A comparison needs a timeRange to compare with; add one.');
  const time = compilation.names.dimension(plan.timeRange.dimension).dimension;
  const split = (plan.dimensions ?? []).some(
    ({ dimension }) => compilation.names.dimension(dimension).dimension === time,
  );
  if (split) {
    throw invalid(
      `A comparison cannot be grouped by ${plan.timeRange.dimension} too, whose values differ between the two ranges; ` +
        'leave that dimension out, or drop the comparison and widen the time range.',
    );
  }
}

function listedEntity(compilation: Compilation, plan: QueryPlan): ModelEntity | undefined {
  const { names } = compilation;
  if (plan.entity !== undefined) return names.entity(plan.entity);
  const first = plan.dimensions?.[0];
  return plan.without !== undefined && first !== undefined ? names.dimension(first.dimension).entity : undefined;
}

/** Throws `PlanError` for everything that a caller can get wrong. */
export function resolvePlan(compilation: Compilation, plan: QueryPlan): ResolvedPlan {
  const named = [
    ...(plan.measures ?? []).map((name) => aggregateNamed(compilation, name)),
    ...(plan.adhocMeasures ?? []).map((adhoc) => adhocAggregate(compilation, adhoc)),
  ];
  const aggregates = named.filter(
    (one, at) => named.findIndex((other) => other.source === one.source && other.name === one.name) === at,
  );
  const isAggregated = aggregates.length > 0;
  const entity = listedEntity(compilation, plan);
  const listed = isAggregated ? undefined : entity;
  const dimensions = dimensionsOf(compilation, plan, listed);
  if (!isAggregated) checkRows(plan, dimensions.length);
  checkComparison(compilation, plan);
  if (plan.share === true && plan.portion !== undefined)
    throw invalid('A plan has a share or a portion, not both; drop one.');
  const base =
    (isAggregated ? (plan.entity === undefined ? aggregates[0]!.entity : entity) : entity) ?? dimensions[0]!.entity;

  const unique = outputNames([...dimensions, ...aggregates]);
  const keys = dimensions.map((dimension, index): Key => {
    const name = unique[index]!;
    return { ...dimension, name, alias: compilation.syntax.identifier(name), hidden: false };
  });
  const identities = listed === undefined ? identityKeys(compilation, plan, unique) : [];
  const measures = aggregates.map((aggregate, index): MeasureColumn => {
    if (plan.share === true && !isAdditive(aggregate)) {
      throw invalid(`Shares need a sum or a count; ${aggregate.source} does not add up over groups.`);
    }
    return { aggregate, name: unique[keys.length + index]! };
  });
  const wants = {
    comparison: plan.comparison !== undefined,
    share: plan.share === true,
    portion: plan.portion !== undefined,
  };
  if (plan.ratios !== undefined && plan.ratios.length > 0 && (wants.comparison || wants.share || wants.portion))
    throw invalid('A ratio cannot be compared, shared or taken of a portion; ask for it alone.');
  const outputs = outputsOf(keys, measures, wants, plan.ratios);
  const hidden: MeasureColumn[] = [];
  const measureColumn = (name: string): MeasureColumn => {
    const aggregate = aggregateNamed(compilation, name);
    const known = [...measures, ...hidden].find((one) => one.aggregate.source === aggregate.source);
    if (known !== undefined) return known;
    const added = {
      aggregate,
      name: uniqueName(
        outputName(aggregate.name),
        [...outputs, ...hidden].map((one) => one.name),
      ),
    };
    hidden.push(added);
    return added;
  };
  const having = (plan.measureFilters ?? []).map((filter) => {
    const output = findOutput(outputs, filter.measure);
    const known = output !== undefined && output.kind === 'measure' ? output.measure : measureColumn(filter.measure);
    return { measure: known, filter };
  });
  const order = (plan.orderBy ?? []).map(({ by, direction = 'asc' }) => {
    const target = findOutput(outputs, by) ?? (isAggregated ? undefined : rowKey(compilation, by, listed));
    return { by: target ?? ({ kind: 'hidden', measure: measureColumn(by) } as const), direction };
  });
  const rows = (wanted: QueryPlan) => applyWithout(compilation, wanted, base, conditionsOf(compilation, wanted));
  const comparison = plan.comparison && { ...plan.comparison, dimension: plan.timeRange!.dimension };
  const current = rows(plan);
  return {
    listed,
    keys: [...keys, ...identities],
    measures: [...measures, ...hidden],
    outputs,
    having,
    order,
    timeRange: plan.timeRange && timeOf(compilation, plan.timeRange.dimension),
    current,
    previous: comparison && rows({ ...plan, timeRange: comparison }),
    portion: plan.portion && conditionsOf(compilation, plan.portion, current),
    share: plan.share === true,
    limit: plan.limit,
  };
}

function timeOf(compilation: Compilation, name: string): NonNullable<ResolvedPlan['timeRange']> {
  const { entity, dimension } = compilation.names.dimension(name);
  return { entity, source: `${entity.name}.${dimension.name}` };
}

/** A dimension that orders listed rows without being selected. */
function rowKey(compilation: Compilation, by: string, listed: ModelEntity | undefined): OrderTarget {
  const { entity, dimension } = compilation.names.dimension(by);
  const source = `${entity.name}.${dimension.name}`;
  if (listed === undefined) throw invalid(`Distinct values cannot be ordered by ${source}; add it to the dimensions.`);
  const tokens = compilation.members.dimension(entity, dimension);
  return {
    kind: 'row',
    key: { entity, dimension, grain: undefined, tokens, alias: '', hidden: true },
  };
}

function checkRows(plan: QueryPlan, dimensions: number): void {
  if (dimensions === 0) throw invalid('The plan selects nothing; give it measures, dimensions or an entity.');
  const needing = (['measureFilters', 'ratios', 'comparison', 'share', 'portion'] as const).filter((part) => {
    const value = plan[part];
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
  });
  if (needing.length > 0) throw invalid(`${needing.join(' and ')} need a measure; add the measure to \`measures\`.`);
}
