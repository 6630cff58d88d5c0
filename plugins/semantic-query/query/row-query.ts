/** Compiles plans without measures: rows of an entity, or distinct values of dimensions. */
import type { ModelEntity } from '../../semantic-layer/index.ts';
import { type GroupKey, groupTerms, isPlainColumn, keySql } from '../clauses/aggregation.ts';
import { FromClause } from '../clauses/from-clause.ts';
import { printSelect } from '../clauses/select.ts';
import { whereClause } from '../clauses/where-clause.ts';
import type { Compilation } from '../compilation.ts';
import { PlanError } from '../errors.ts';
import { orderTerms } from './order-by.ts';
import type { OrderTarget, ResolvedPlan } from './resolved-plan.ts';

/** The first entity that reaches the others by to-one joins, else simply the first. */
function rootOf(compilation: Compilation, entities: readonly ModelEntity[]): ModelEntity {
  const { graph, joinPath } = compilation;
  const single = entities.find((from) =>
    entities.every(
      (to) => graph.hasSinglePath(from, to) && graph.path(from, to, joinPath).every((hop) => !hop.multiplies),
    ),
  );
  return single ?? entities[0]!;
}

/** The declared, visible primary key, by which listed rows are distinct. */
function rowKeys(compilation: Compilation, entity: ModelEntity): GroupKey[] {
  return entity.dimensions
    .filter(({ primary_key, hidden }) => primary_key === true && hidden !== true)
    .map((dimension) => ({
      entity,
      dimension,
      grain: undefined,
      tokens: compilation.members.dimension(entity, dimension),
      alias: '',
      hidden: true,
    }));
}

export function compileRowQuery(compilation: Compilation, plan: ResolvedPlan): string {
  const { graph, joinPath, syntax } = compilation;
  const { listed, keys, order } = plan;
  const root = listed ?? rootOf(compilation, [...new Set(keys.map(({ entity }) => entity))]);
  const clause = new FromClause(compilation, root);
  const last = listed === undefined ? [] : rowKeys(compilation, listed);
  const ordered = order.flatMap(({ by }) => (by.kind === 'row' ? [by.key] : []));
  const reached = [...keys, ...ordered, ...last].map((key) => ({
    key,
    source: clause.reach(graph.path(root, key.entity, joinPath)),
  }));
  if (listed !== undefined && clause.multiplied) {
    const finer = reached.find(({ key }) => graph.path(root, key.entity, joinPath).some((hop) => hop.multiplies))!.key
      .entity;
    throw new PlanError(
      'fan_out',
      `One row of ${listed.name} has several of ${finer.name}, so its rows cannot show them; list ${finer.name} instead.`,
      [finer.name],
    );
  }
  const where = whereClause(compilation, clause, plan.current);
  const sql = (target: OrderTarget) => {
    const key = target.kind === 'dimension' || target.kind === 'row' ? target.key : undefined;
    const at = reached.find((one) => one.key === key);
    if (at === undefined) throw new Error('unreachable: rows have dimensions only');
    return keySql(compilation, clause, at.key, at.source);
  };
  const grouped = keys.map((key) => ({ sql: sql({ kind: 'row', key }), alias: key.alias }));
  // GROUP BY instead of DISTINCT where the order or a hidden key needs columns that are not selected.
  const isGrouped =
    listed === undefined &&
    (keys.some((key) => key.hidden) || (syntax.groupsExpressions && !grouped.every((one) => isPlainColumn(one.sql))));
  return printSelect({
    distinct: listed === undefined && !isGrouped,
    columns: plan.outputs.map((output) => ({ sql: sql(output), alias: syntax.identifier(output.name) })),
    from: clause.from(),
    where: where(),
    groupBy: isGrouped ? groupTerms(grouped, keys) : [],
    orderBy: orderTerms(plan, syntax, sql, { last, isGrouped }),
    limit: plan.limit,
  });
}
