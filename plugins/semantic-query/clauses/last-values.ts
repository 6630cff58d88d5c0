/** Restricts measures that do not add up over time, such as balances, to the last time of each period. */
import type { ModelDimension, ModelEntity } from '../../semantic-layer/index.ts';
import type { Compilation } from '../compilation.ts';
import { PlanError } from '../errors.ts';
import type { GroupKey } from './aggregation.ts';
import type { Condition } from './condition.ts';
import { isTime } from './filters.ts';
import { FromClause } from './from-clause.ts';
import type { Aggregate } from './measures.ts';
import { nested, printSelect } from './select.ts';
import { whereClause } from './where-clause.ts';

/** The time of the states: that of the primary key, else the only one. Throws `PlanError` when it is not clear. */
function timeOf({ name, dimensions }: ModelEntity, source: string): ModelDimension {
  const times = dimensions.filter(({ type, hidden }) => isTime(type) && hidden !== true);
  const inKey = times.filter((one) => one.primary_key === true);
  const [time, other] = inKey.length > 0 ? inKey : times;
  if (time !== undefined && other === undefined) return time;
  throw new PlanError(
    'invalid_plan',
    `${source} does not add up over time, and which date of ${name} its values are of is not clear; mark that date as primary_key in the semantic layer.`,
  );
}

/**
 * The conditions with which the aggregates of an entity are taken. A measure that does not add up over time counts the
 * rows of the last time that meet the conditions: of each period, where the plan groups by periods of that time.
 */
export function withLastValues(
  compilation: Compilation,
  entity: ModelEntity,
  aggregates: readonly Aggregate[],
  keys: readonly GroupKey[],
  conditions: readonly Condition[],
): readonly Condition[] {
  const states = aggregates.filter(({ isState }) => isState === true);
  const [state] = states;
  if (state === undefined) return conditions;
  const time = timeOf(entity, state.source);
  const ofTime = keys.filter((key) => key.dimension === time);
  if (ofTime.some(({ grain }) => grain === undefined)) return conditions;
  if (states.length < aggregates.length) {
    throw new PlanError(
      'invalid_plan',
      `${state.source} does not add up over time and the other measures do; ask about them separately.`,
    );
  }
  const tokens = compilation.members.dimension(entity, time);
  const last: Condition = {
    entity,
    sql(outer, source) {
      const clause = new FromClause(compilation, entity, outer);
      const write = whereClause(compilation, clause, conditions);
      const value = clause.sql(clause.root, tokens);
      const periods = ofTime.map(({ grain }) => compilation.syntax.bucket(grain!, value));
      const select = printSelect({
        columns: [{ sql: `MAX(${value})`, alias: `MAX(${value})` }],
        from: clause.from(),
        where: write(),
        groupBy: periods,
      });
      return `${outer.sql(source, tokens)} IN ${nested(select)}`;
    },
  };
  return [...conditions, last];
}
