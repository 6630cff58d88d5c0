/** Plans without measures: rows of an entity, or distinct values of dimensions. */
import type { ModelEntity } from '../../semantic-layer/index.ts';
import { type GroupKey, groupTerms, isPlainColumn, keySql } from '../clauses/aggregation.ts';
import { place } from '../clauses/where-clause.ts';
import { orderTerms } from './order-by.ts';
import { PlanError } from '../plan.ts';
import type { OrderTarget, Question } from './resolved-plan.ts';
import { type Compilation, Scope } from '../clauses/from-clause.ts';
import { printSelect } from '../clauses/select.ts';

/** The first entity of the dimensions that reaches the others without meeting rows several times, else the first. */
function rootOf(compilation: Compilation, entities: readonly ModelEntity[]): ModelEntity {
  const { graph, joinPath } = compilation;
  const single = entities.find((from) =>
    entities.every(
      (to) => graph.hasSinglePath(from, to) && graph.path(from, to, joinPath).every((hop) => !hop.multiplies),
    ),
  );
  return single ?? entities[0]!;
}

/** Primary key as marked and not hidden: what listed rows are told apart by. */
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

export function compileRows(compilation: Compilation, question: Question): string {
  const { graph, joinPath, syntax } = compilation;
  const { listed, keys, order } = question;
  const root = listed ?? rootOf(compilation, [...new Set(keys.map(({ entity }) => entity))]);
  const scope = new Scope(compilation, root);
  const last = listed === undefined ? [] : rowKeys(compilation, listed);
  const ordered = order.flatMap(({ by }) => (by.kind === 'row' ? [by.key] : []));
  const reached = [...keys, ...ordered, ...last].map((key) => ({
    key,
    source: scope.reach(graph.path(root, key.entity, joinPath)),
  }));
  if (listed !== undefined && scope.multiplied) {
    const finer = reached.find(({ key }) => graph.path(root, key.entity, joinPath).some((hop) => hop.multiplies))!.key
      .entity;
    throw new PlanError(
      'fan_out',
      `One row of ${listed.name} has several of ${finer.name}, so its rows cannot show them; list ${finer.name} instead.`,
      [finer.name],
    );
  }
  const where = place(compilation, scope, question.current);
  const sql = (target: OrderTarget) => {
    const key = target.kind === 'dimension' || target.kind === 'row' ? target.key : undefined;
    const at = reached.find((one) => one.key === key);
    if (at === undefined) throw new Error('unreachable: rows have dimensions only');
    return keySql(compilation, scope, at.key, at.source);
  };
  const grouped = keys.map((key) => ({ sql: sql({ kind: 'row', key }), alias: key.alias }));
  // Distinct values, unless something that is not shown tells them apart or orders them.
  const isGrouped =
    listed === undefined &&
    (keys.some((key) => key.hidden) || (syntax.dialect === 'mysql' && !grouped.every((one) => isPlainColumn(one.sql))));
  return printSelect({
    distinct: listed === undefined && !isGrouped,
    columns: question.outputs.map((output) => ({ sql: sql(output), alias: syntax.identifier(output.name) })),
    from: scope.from(),
    where: where(),
    groupBy: isGrouped ? groupTerms(grouped, keys) : [],
    orderBy: orderTerms(question, syntax, sql, { last, isGrouped }),
    limit: question.limit,
  });
}
