/**
 * Conditions on rows and where they go. A condition on an entity that meets a row several times holds when one of its
 * rows meets all such conditions.
 */
import type { ModelEntity } from '../../semantic-layer/index.ts';
import type { Condition } from './condition.ts';
import { compared, filterCondition, timeRangeCondition } from './filters.ts';
import type { Path } from '../lookup/join-graph.ts';
import { aggregateSql, isCount, namedAggregate } from './measures.ts';
import { type Alternative, PlanError, type QueryPlan, type RelatedFilter } from '../plan.ts';
import { type Compilation, Scope, type Source } from './from-clause.ts';
import { nested, printSelect } from './select.ts';

/** What a plan, a related filter and a portion say about rows alike. */
type RowConditions = Pick<QueryPlan, 'filters' | 'segments' | 'anyOf' | 'excludedSegments' | 'timeRange' | 'related'>;

/** `besides`: conditions that hold already, and do not change their meaning by what is added to them. */
export function conditionsOf(
  compilation: Compilation,
  wanted: RowConditions,
  besides: readonly Condition[] = [],
): Condition[] {
  const inRange = wanted.timeRange && timeRangeCondition(compilation, wanted.timeRange);
  const required = [
    ...(wanted.filters ?? []).map((filter) => filterCondition(compilation, filter)),
    ...(wanted.segments ?? []).map((name) => namedCondition(compilation, name)),
    ...(wanted.anyOf ?? []).map((alternatives) => eitherCondition(compilation, alternatives)),
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
    sql: (scope, source) => (isOr ? `(${scope.sql(source, tokens)})` : scope.sql(source, tokens)),
  };
}

/** One of several sets of conditions on the same row. */
function eitherCondition(compilation: Compilation, alternatives: readonly Alternative[]): Condition {
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
    sql: (scope, source) =>
      `(${ways.map((way) => way.map((condition) => condition.sql(scope, source)).join(' AND ')).join(' OR ')})`,
  };
}

const negated = (sql: string) => `(${sql}) IS NOT TRUE`;

/**
 * `EXISTS (…)` over the rows that `first` leads to from `source`; each item goes on along its own path, to a row for
 * which its condition holds, or which is merely there.
 */
function exists(
  compilation: Compilation,
  outer: Scope,
  source: Source,
  first: Path[number],
  items: readonly { readonly rest: Path; readonly condition?: Condition }[],
): string {
  const scope = new Scope(compilation, first.to, outer);
  const reached = items.map(({ rest, condition }) => ({ at: scope.reach(rest), condition }));
  const where = scope.on(first, source, scope.root);
  for (const { at, condition } of reached) {
    const sql = condition === undefined ? scope.present(at) : condition.sql(scope, at);
    if (sql !== undefined) where.push(condition?.excluded ? negated(sql) : sql);
  }
  return `EXISTS ${nested(printSelect({ columns: [{ sql: '1', alias: '1' }], from: scope.from(), where }))}`;
}

/**
 * Joins what the conditions need without multiplying a row, and gives a writer for the WHERE clause, to be called once
 * everything is joined.
 */
export function place(compilation: Compilation, scope: Scope, conditions: readonly Condition[]): () => string[] {
  const { graph, joinPath } = compilation;
  const paths = conditions.map((condition) => graph.path(scope.root.entity, condition.entity, joinPath));
  for (const path of paths) {
    if (!scope.follow(path).rest.some((hop) => hop.multiplies)) scope.reach(path);
  }
  return () => {
    const where: string[] = [];
    const groups: { first: Path[number]; source: Source; items: { rest: Path; condition: Condition }[] }[] = [];
    for (const [index, condition] of conditions.entries()) {
      const { source, rest } = scope.follow(paths[index]!);
      const first = rest[0];
      if (first === undefined) {
        const sql = condition.sql(scope, source);
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
      if (together.length > 0) where.push(exists(compilation, scope, source, first, together));
      for (const { rest, condition } of items.filter((item) => !together.includes(item))) {
        const { entity, sql } = condition;
        where.push(`NOT ${exists(compilation, scope, source, first, [{ rest, condition: { entity, sql } }])}`);
      }
    }
    return where;
  };
}

/** What is said of a row's relations holds for no row that is missing. */
function present(scope: Scope, source: Source, sql: string): string {
  const isThere = scope.present(source);
  return isThere === undefined ? sql : `${isThere} AND ${sql}`;
}

/**
 * Rows of `base` without a row of `target`. Conditions on what lies beyond `target` belong to it: "customers without
 * orders in 2024" asks for no order in 2024.
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
    sql(scope, source) {
      const items = inner.map((condition) => ({
        rest: graph.path(base, condition.entity, joinPath).slice(1),
        condition,
      }));
      return present(
        scope,
        source,
        `NOT ${exists(compilation, scope, source, path[0]!, [{ rest: path.slice(1) }, ...items])}`,
      );
    },
  };
}

/** A row of `of` by the number of its rows of another entity, or by a measure over them; over none it is 0. */
function relatedCondition(compilation: Compilation, related: RelatedFilter): Condition {
  const { graph, joinPath, names, syntax } = compilation;
  const [of, entity] = [names.entity(related.of), names.entity(related.entity)];
  const measured = namedAggregate(compilation, related.measure ?? `${entity.name}.count`);
  const path = graph.path(entity, of, joinPath);
  const last = path.at(-1);
  if (last === undefined)
    throw new PlanError('invalid_plan', `${of.name} cannot be related to itself; name another entity.`);
  if (measured.entity !== entity) {
    throw new PlanError('invalid_plan', `${measured.source} is not a measure of ${entity.name}; take one of its own.`);
  }
  const inner = conditionsOf(compilation, related);
  return {
    entity: of,
    sql(outer, source) {
      const scope = new Scope(compilation, entity, outer);
      const between = path.slice(0, -1);
      // Where a row could meet this row of `of` in several ways it is asked whether it does at all.
      const several = between.some((hop) => hop.multiplies);
      const at = several ? undefined : scope.reach(between);
      const write = place(compilation, scope, inner);
      const tie: Condition = {
        entity: last.from,
        sql: (to, end) => to.on(last, end, source).join(' AND '),
      };
      const ties =
        at === undefined
          ? [exists(compilation, scope, scope.root, between[0]!, [{ rest: between.slice(1), condition: tie }])]
          : scope.on(last, at, source);
      const value = aggregateSql(measured, (tokens) => scope.sql(scope.root, tokens));
      const column = isCount(measured) ? value : `COALESCE(${value}, 0)`;
      const select = { columns: [{ sql: column, alias: column }], from: scope.from(), where: [...ties, ...write()] };
      return present(outer, source, compared(syntax, nested(printSelect(select)), related.operator, related.value));
    },
  };
}
