/** Compiles an aggregate over groups: "the average number of orders per month", "the most visits on a day". */

import type { SemanticModel } from '../../semantic-layer/index.ts';
import type { SqlDialect } from '../../sql-kit/index.ts';
import type { CompiledColumn, CompiledQuery } from '../api.ts';
import { nested, printSelect } from '../clauses/select.ts';
import { syntaxOf } from '../dialect.ts';
import { PlanError } from '../errors.ts';
import type { QueryPlan } from '../plan.ts';
import { outputName } from './output-columns.ts';

type Compile = (model: SemanticModel, plan: QueryPlan, options: { dialect: SqlDialect }) => CompiledQuery;

const invalid = (message: string) => new PlanError('invalid_plan', message);
const PREFIXES = { avg: 'average', min: 'minimum', max: 'maximum' } as const;

/** Requires `plan.over`; `compile` compiles its parts. Throws `PlanError` when the plan cannot be nested. */
export function compileNestedAggregate(
  compile: Compile,
  model: SemanticModel,
  plan: QueryPlan,
  options: { dialect: SqlDialect },
): CompiledQuery {
  const { over, ...inner } = plan;
  check(plan);
  const { aggregate, entity, ...conditions } = over!;
  const { plan: _, ...groups } = compile(model, inner, options);
  const measure = groups.columns.find(({ kind }) => kind === 'measure')!;
  const { identifier } = syntaxOf(options.dialect);
  const name = outputName(`${PREFIXES[aggregate]}_${measure.name}`);
  const alias = identifier(name);
  const column: CompiledColumn = { ...measure, name, type: aggregate === 'avg' ? 'number' : measure.type };
  if (entity === undefined) {
    const value = `${aggregate.toUpperCase()}(per_group.${identifier(measure.name)})`;
    const sql = printSelect({
      columns: [{ sql: value, alias }],
      from: [`${nested(groups.sql)} AS per_group`],
    });
    return { ...groups, sql, columns: [column] };
  }
  const all = compile(model, { measures: [`${entity}.count`], ...conditions }, options);
  const sql = printSelect({
    columns: [{ sql: `1.0 * ${nested(groups.sql)} / NULLIF(${nested(all.sql)}, 0)`, alias }],
    from: [],
  });
  return { ...groups, sql, columns: [column], entities: [...new Set([...groups.entities, ...all.entities])] };
}

function check(plan: QueryPlan): void {
  const { over, measures = [], adhocMeasures = [], dimensions = [] } = plan;
  if (measures.length + adhocMeasures.length !== 1)
    throw invalid('An aggregate over groups needs exactly one measure.');
  const unsupported = (
    ['comparison', 'ratios', 'share', 'portion', 'orderBy', 'limit', 'entity', 'without'] as const
  ).filter((part) => plan[part] !== undefined && plan[part] !== false);
  if (unsupported.length > 0) throw invalid(`An aggregate over groups cannot have ${unsupported.join(' or ')} too.`);
  if (over!.entity === undefined) {
    if (dimensions.length === 0) throw invalid('An aggregate over groups needs dimensions; name the groups.');
  } else if (over!.aggregate !== 'avg' || dimensions.length > 0 || (plan.measureFilters ?? []).length > 0)
    throw invalid(`Over all rows of ${over!.entity} there is only an average, without dimensions or measureFilters.`);
}
