/**
 * Builds the WHERE clause from a plan's conditions. Conditions on an entity of which several rows match one row hold
 * when one of these rows fulfils all of them.
 */
import type { ModelEntity } from '../../semantic-layer/index.ts';
import type { Compilation } from '../compilation.ts';
import { PlanError } from '../errors.ts';
import type { Path } from '../lookup/join-graph.ts';
import type { Alternative, QueryPlan, RelatedFilter } from '../plan.ts';
import type { Condition } from './condition.ts';
import { compared, filterCondition, timeRangeCondition } from './filters.ts';
import { FromClause, type RowSource } from './from-clause.ts';
import { aggregateNamed, aggregateSql, isCount, withinSum } from './measures.ts';
import { nested, printSelect } from './select.ts';

/** The row conditions that plans, related filters and portions have in common. */
type RowConditions = Pick<QueryPlan, 'filters' | 'segments' | 'anyOf' | 'excludedSegments' | 'timeRange' | 'related'>;

/** Resolves conditions by name. `besides`: conditions of the plan that these are added to. */
export function conditionsOf(
  compilation: Compilation,
  wanted: RowConditions,
  besides: readonly Condition[] = [],
): Condition[] {
  const inRange = wanted.timeRange && timeRangeCondition(compilation, wanted.timeRange);
  const required = [
    ...(wanted.filters ?? []).map((filter) => filterCondition(compilation, filter)),
    ...(wanted.segments ?? []).map((name) => namedCondition(compilation, name)),
    ...(wanted.anyOf ?? []).map((alternatives) => anyOfCondition(compilation, alternatives)),
    ...(wanted.related ?? []).map((related) => relatedCondition(compilation, related)),
    ...(inRange === undefined ? [] : [inRange]),
  ];
  const asked = new Set([...besides, ...required].filter(({ excluded }) => !excluded).map(({ entity }) => entity));
  const excluded = (wanted.excludedSegments ?? []).map((name): Condition => {
    const condition = namedCondition(compilation, name);
    return { ...condition, excluded: asked.has(condition.entity) ? 'same' : 'none' };
  });
  return [...required, ...excluded];
}

function namedCondition(compilation: Compilation, name: string): Condition {
  const { entity, label, sql } = compilation.names.condition(name);
  const tokens = compilation.members.expression(entity, sql, label);
  const isOr = tokens.some(({ kind, text }) => kind === 'word' && /^(or|xor)$/i.test(text));
  return {
    entity,
    sql: (clause, source) => (isOr ? `(${clause.sql(source, tokens)})` : clause.sql(source, tokens)),
  };
}

/** At least one of several sets of conditions on the same row. */
function anyOfCondition(compilation: Compilation, alternatives: readonly Alternative[]): Condition {
  const ways = alternatives.map(({ filters = [], segments = [] }) => [
    ...filters.map((filter) => filterCondition(compilation, filter)),
    ...segments.map((name) => namedCondition(compilation, name)),
  ]);
  const entities = [...new Set(ways.flat().map(({ entity }) => entity))];
  const entity = entities[0];
  if (entity === undefined || ways.some((way) => way.length === 0))
    throw new PlanError('invalid_plan', 'Every alternative needs a filter or a segment; add one.');
  if (entities.length > 1)
    throw new PlanError(
      'invalid_plan',
      `Alternatives must be about one entity; these are about ${entities.map(({ name }) => name).join(' and ')}.`,
    );
  return {
    entity,
    sql: (clause, source) =>
      `(${ways.map((way) => way.map((condition) => condition.sql(clause, source)).join(' AND ')).join(' OR ')})`,
  };
}

const negated = (sql: string) => `(${sql}) IS NOT TRUE`;

/**
 * `EXISTS (…)` over the rows that `first` joins to `source`. Each item continues along its own path to a row for which
 * its condition holds; without a condition, to any row.
 */
function exists(
  compilation: Compilation,
  outer: FromClause,
  source: RowSource,
  first: Path[number],
  items: readonly { readonly rest: Path; readonly condition?: Condition }[],
): string {
  const clause = new FromClause(compilation, first.to, outer);
  const reached = items.map(({ rest, condition }) => ({ at: clause.reach(rest), condition }));
  const where = clause.on(first, source, clause.root);
  for (const { at, condition } of reached) {
    const sql = condition === undefined ? clause.present(at) : condition.sql(clause, at);
    if (sql !== undefined) where.push(condition?.excluded ? negated(sql) : sql);
  }
  return `EXISTS ${nested(printSelect({ columns: [{ sql: '1', alias: '1' }], from: clause.from(), where }))}`;
}

/**
 * Adds the joins that the conditions need and that do not multiply rows. The returned function writes the terms of the
 * WHERE clause; call it after all joins have been added.
 */
export function whereClause(
  compilation: Compilation,
  clause: FromClause,
  conditions: readonly Condition[],
): () => string[] {
  const { graph, joinPath } = compilation;
  const paths = conditions.map((condition) => graph.path(clause.root.entity, condition.entity, joinPath));
  for (const path of paths) {
    if (!clause.follow(path).rest.some((hop) => hop.multiplies)) clause.reach(path);
  }
  return () => {
    const where: string[] = [];
    const groups: { first: Path[number]; source: RowSource; items: { rest: Path; condition: Condition }[] }[] = [];
    for (const [index, condition] of conditions.entries()) {
      const { source, rest } = clause.follow(paths[index]!);
      const first = rest[0];
      if (first === undefined) {
        const sql = condition.sql(clause, source);
        where.push(condition.excluded ? negated(sql) : sql);
        continue;
      }
      const item = { rest: rest.slice(1), condition };
      const group = groups.find((known) => known.first === first && known.source === source);
      if (group === undefined) groups.push({ first, source, items: [item] });
      else group.items.push(item);
    }
    for (const { first, source, items } of groups) {
      const together = items.filter(({ condition }) => condition.excluded !== 'none');
      if (together.length > 0) where.push(exists(compilation, clause, source, first, together));
      for (const { rest, condition } of items.filter((item) => !together.includes(item))) {
        const { entity, sql } = condition;
        where.push(`NOT ${exists(compilation, clause, source, first, [{ rest, condition: { entity, sql } }])}`);
      }
    }
    return where;
  };
}

/** Restricts a condition on related rows to rows that exist. */
function present(clause: FromClause, source: RowSource, sql: string): string {
  const isThere = clause.present(source);
  return isThere === undefined ? sql : `${isThere} AND ${sql}`;
}

/**
 * Rows of `base` without a related row at the end of `path`. `inner` are conditions on that row and beyond: "customers
 * without orders in 2024" means without an order in 2024.
 */
export function withoutCondition(
  compilation: Compilation,
  base: ModelEntity,
  path: Path,
  inner: readonly Condition[],
): Condition {
  const { graph, joinPath } = compilation;
  return {
    entity: base,
    sql(clause, source) {
      const items = inner.map((condition) => ({
        rest: graph.path(base, condition.entity, joinPath).slice(1),
        condition,
      }));
      return present(
        clause,
        source,
        `NOT ${exists(compilation, clause, source, path[0]!, [{ rest: path.slice(1) }, ...items])}`,
      );
    },
  };
}

/**
 * A condition on rows of `of` by the number of their rows of another entity, or by a measure over these; 0 over no
 * rows.
 */
function relatedCondition(compilation: Compilation, related: RelatedFilter): Condition {
  const { graph, joinPath, names, syntax } = compilation;
  const [of, entity] = [names.entity(related.of), names.entity(related.entity)];
  const aggregate = withinSum(aggregateNamed(compilation, related.measure ?? `${entity.name}.count`));
  const path = graph.path(entity, of, joinPath);
  const last = path.at(-1);
  if (last === undefined)
    throw new PlanError('invalid_plan', `${of.name} cannot be related to itself; name another entity.`);
  if (aggregate.entity !== entity) {
    throw new PlanError(
      'invalid_plan',
      `${aggregate.source} is not a measure of ${entity.name}; name a measure of ${entity.name}.`,
    );
  }
  const inner = conditionsOf(compilation, related);
  return {
    entity: of,
    sql(outer, source) {
      const clause = new FromClause(compilation, entity, outer);
      const between = path.slice(0, -1);
      // A row that could match this row of `of` in several ways must count once: EXISTS instead of joins.
      const multiplies = between.some((hop) => hop.multiplies);
      const at = multiplies ? undefined : clause.reach(between);
      const write = whereClause(compilation, clause, inner);
      const correlation: Condition = {
        entity: last.from,
        sql: (to, end) => to.on(last, end, source).join(' AND '),
      };
      const correlations =
        at === undefined
          ? [
              exists(compilation, clause, clause.root, between[0]!, [
                { rest: between.slice(1), condition: correlation },
              ]),
            ]
          : clause.on(last, at, source);
      const value = aggregateSql(aggregate, (tokens) => clause.sql(clause.root, tokens));
      const column = isCount(aggregate) ? value : `COALESCE(${value}, 0)`;
      const select = {
        columns: [{ sql: column, alias: column }],
        from: clause.from(),
        where: [...correlations, ...write()],
      };
      return present(outer, source, compared(syntax, nested(printSelect(select)), related.operator, related.value));
    },
  };
}
