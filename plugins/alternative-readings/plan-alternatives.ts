/** Reads from a plan which time and measure it took, and compiles it with others. */
import { valueFormat } from '../result-kit/index.ts';
import {
  isTime,
  type ModelEntity,
  type QueryReading,
  readingOf,
  type SemanticModel,
  visibleModel,
} from '../semantic-layer/index.ts';
import {
  type CompiledQuery,
  compileQuery,
  type Member,
  PlanError,
  type PlanFilter,
  type QueryPlan,
} from '../semantic-query/index.ts';
import { MAX_ROWS, type Taken } from './alternatives.ts';
import { readsBeside } from './mixed-times.ts';

export function takenByPlan(
  { columns, plan = {}, sql: own }: CompiledQuery,
  model: SemanticModel,
  { dialect, tables }: Pick<QueryReading, 'dialect' | 'tables'>,
): Taken | undefined {
  const members = membersOf(visibleModel(model).entities);
  const isPeriod = ({ dimension, operator, than, since }: PlanFilter) => {
    const member = members(dimension);
    return member !== undefined && isTime(member.dimension) && !than && !since && !operator.endsWith('null');
  };
  const names = [plan.timeRange?.dimension, ...(plan.filters ?? []).filter(isPeriod).map((one) => one.dimension)];
  const times = new Set(names.flatMap((name) => (name === undefined ? [] : (members(name) ?? []))));
  const [time, ...more] = times;
  const measures = columns.filter(({ kind }) => kind === 'measure');
  if (measures.length === 0) return undefined;
  const isPlain = (plan.adhocMeasures ?? []).length + (plan.ratios ?? []).length === 0;
  const compiled = (changed: QueryPlan): string | undefined => {
    const limit = Math.min(plan.limit ?? MAX_ROWS + 1, MAX_ROWS + 1);
    try {
      return compileQuery(model, { ...changed, ...(plan.dimensions?.length && { limit }) }, { dialect }).sql;
    } catch (error) {
      if (error instanceof PlanError) return undefined;
      throw error;
    }
  };
  return {
    columns: columns.map((one) => ({ name: one.name, isKey: one.kind === 'dimension', format: valueFormat(one) })),
    time: more.length === 0 ? time : undefined,
    measure: isPlain && plan.measures?.length === 1 ? measures[0]!.source : undefined,
    withTime({ name }) {
      if (time === undefined) return undefined;
      const other = `${time.entity.name}.${name}`;
      const member = members(other);
      if (member === undefined || usesOf(plan).some((used) => members(used) === member)) return undefined;
      const renamed = (one: string) => (members(one) === time ? other : one);
      const sql = compiled({
        ...plan,
        ...(plan.timeRange && { timeRange: { ...plan.timeRange, dimension: renamed(plan.timeRange.dimension) } }),
        ...(plan.filters && {
          filters: plan.filters.map((one) => (isPeriod(one) ? { ...one, dimension: renamed(one.dimension) } : one)),
        }),
        ...(plan.dimensions && {
          dimensions: plan.dimensions.map((one) => ({ ...one, dimension: renamed(one.dimension) })),
        }),
        ...(plan.orderBy && { orderBy: plan.orderBy.map((one) => ({ ...one, by: renamed(one.by) })) }),
      });
      const isOnly = (text: string, one: Member, instead: Member) => {
        const reading = readingOf(text, dialect, tables);
        const select = reading.select();
        return select !== undefined && !readsBeside(select, reading, one, instead);
      };
      return sql !== undefined && isOnly(own, member, time) && isOnly(sql, time, member) ? sql : undefined;
    },
    withMeasure({ name }) {
      const [taken] = plan.measures ?? [];
      const renamed = (one: string) => (one === taken ? name : one);
      return compiled({
        ...plan,
        measures: [name],
        ...(plan.orderBy && { orderBy: plan.orderBy.map((one) => ({ ...one, by: renamed(one.by) })) }),
        ...(plan.measureFilters && {
          measureFilters: plan.measureFilters.map((one) => ({ ...one, measure: renamed(one.measure) })),
        }),
      });
    },
  };
}

/** Names of dimensions in conditions and groups. */
const usesOf = ({ timeRange, filters = [], dimensions = [] }: QueryPlan): string[] => [
  ...(timeRange ? [timeRange.dimension] : []),
  ...[...filters, ...dimensions].map(({ dimension }) => dimension),
];

/** Finds the dimension of a name, `entity.dimension` or one that only one entity has; always the same object for one. */
function membersOf(entities: readonly ModelEntity[]): (name: string) => Member | undefined {
  const known = new Map<string, Member | undefined>();
  const byPath = new Map<string, Member>();
  return (name) => {
    if (known.has(name)) return known.get(name);
    const [own, of] = [name.slice(name.lastIndexOf('.') + 1), name.slice(0, Math.max(0, name.lastIndexOf('.')))];
    const found = entities.flatMap((entity) =>
      of === '' || entity.name.toLowerCase() === of.toLowerCase()
        ? entity.dimensions.flatMap((one) =>
            one.name.toLowerCase() === own.toLowerCase() ? [{ entity, dimension: one }] : [],
          )
        : [],
    );
    const [member] = found;
    const path = `${member?.entity.name}.${member?.dimension.name}`;
    const only = found.length === 1 && member !== undefined ? (byPath.get(path) ?? member) : undefined;
    if (only !== undefined) byPath.set(path, only);
    known.set(name, only);
    return only;
  };
}
