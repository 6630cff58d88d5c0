/** Proposes joins, measures and query patterns that statements show again and again. */
import { expandReferences, type ModelEntity, type SemanticModel } from '../semantic-layer/index.ts';
import { DEFAULT_LIMITS, fold, parseExpression, type SqlDialect } from '../sql-kit/index.ts';
import type { JoinProposal, MeasureProposal, PatternProposal } from './proposal.ts';
import type { LoggedStatement } from './read-log.ts';
import { Seen } from './seen.ts';
import { expressionText, PLACEHOLDER, shapeOf } from './shape.ts';
import type { UsedAggregate, UsedJoin } from './statement-use.ts';

const MAX_PATTERNS = 5;

const pairKey = (from: string, to: string) => `${fold(from)}=${fold(to)}`;

/** Whether the layer joins the two entities by these columns, in either direction. */
function hasJoin(a: ModelEntity, b: ModelEntity, pairs: readonly { from: string; to: string }[]): boolean {
  const declared = (entity: ModelEntity, target: ModelEntity, wanted: readonly string[]) =>
    entity.joins.some(
      (join) =>
        fold(join.target.split('.').at(-1) ?? '') === fold(target.name) &&
        join.on.length === wanted.length &&
        join.on.every(({ from, to }) => wanted.includes(pairKey(from, to))),
    );
  return (
    declared(
      a,
      b,
      pairs.map(({ from, to }) => pairKey(from, to)),
    ) ||
    declared(
      b,
      a,
      pairs.map(({ from, to }) => pairKey(to, from)),
    )
  );
}

const isKey = (entity: ModelEntity, columns: readonly string[]) => {
  const keys = entity.dimensions.filter(({ primary_key }) => primary_key === true).map(({ sql }) => fold(sql));
  return keys.length === columns.length && keys.every((key) => columns.some((column) => fold(column) === key));
};

interface Joined {
  readonly from: ModelEntity;
  readonly to: ModelEntity;
  readonly on: readonly { readonly from: string; readonly to: string }[];
}

/** The pairs of columns of each two entities. The side whose columns are no key comes first: it is the one of many. */
function joinsOf(pairs: readonly UsedJoin[]): Joined[] {
  const byEntities = Map.groupBy(pairs, ({ from, to }) => [from.entity.name, to.entity.name].sort().join('\n'));
  return [...byEntities.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const turned = group.map((pair) =>
      pair.from.entity === first.from.entity ? pair : { from: pair.to, to: pair.from },
    );
    const on = [
      ...new Map(
        turned.map(({ from, to }) => [pairKey(from.name, to.name), { from: from.name, to: to.name }]),
      ).values(),
    ];
    const [from, to] = [first.from.entity, first.to.entity];
    const [own, far] = [on.map((one) => one.from), on.map((one) => one.to)];
    const isTurned = isKey(from, own) && !isKey(to, far);
    return isTurned
      ? [{ from: to, to: from, on: on.map((one) => ({ from: one.to, to: one.from })) }]
      : [{ from, to, on }];
  });
}

export function proposeJoins(statements: readonly LoggedStatement[]): JoinProposal[] {
  const seen = new Seen<Joined>();
  for (const statement of statements) {
    for (const pairs of statement.use.joins) {
      for (const joined of joinsOf(pairs)) {
        const { from, to, on } = joined;
        if (from.connection !== to.connection || hasJoin(from, to, on)) continue;
        const columns = on.map((one) => pairKey(one.from, one.to)).sort();
        seen.add([from.name, to.name, ...columns].join('\n'), joined, statement.entry.id);
      }
    }
  }
  const proposed: JoinProposal[] = [];
  for (const { value, seen: count } of seen.frequent()) {
    const { from, to, on } = value;
    const [own, far] = [on.map((one) => one.from), on.map((one) => one.to)];
    const relationship = !isKey(to, far) ? 'many_to_many' : isKey(from, own) ? 'one_to_one' : 'many_to_one';
    const isTaken =
      from.joins.some(({ target, name }) => fold(target) === fold(to.name) || fold(name) === fold(to.name)) ||
      proposed.some((other) => other.entity === from && other.value.target === to.name);
    const name = isTaken ? { name: `${to.name}_by_${own.join('_')}` } : {};
    const text = on.map((one) => `${from.name}.${one.from} = ${to.name}.${one.to}`).join(' and ');
    proposed.push({
      kind: 'join',
      entity: from,
      seen: count,
      summary: text,
      value: { ...name, target: to.name, relationship, on },
    });
  }
  return proposed;
}

/** The expression of a declared measure in the form of those of statements; its text where it cannot be read. */
function declaredText(entity: ModelEntity, sql: string, dialect: SqlDialect): string {
  try {
    return expressionText(parseExpression(expandReferences(sql, entity.dimensions), dialect, DEFAULT_LIMITS), dialect);
  } catch {
    return sql;
  }
}

const WORDS = { sum: 'sum', avg: 'average', min: 'smallest', max: 'largest', count_distinct: 'distinct' } as const;

interface Aggregated {
  readonly used: UsedAggregate;
  readonly sql: string;
  readonly aliases: Map<string, number>;
}

const plain = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '');

/** The name that the statements give, if they agree; else one from type and columns. */
function measureName({ used, aliases }: Aggregated, seen: number, taken: ReadonlySet<string>): string | undefined {
  const [alias] = [...aliases].find(([, count]) => count * 2 > seen) ?? [];
  const columns = [...new Set(used.columns.map(({ name, dimension }) => plain(dimension?.name ?? name)))].join('_');
  const names = [...(alias === undefined ? [] : [plain(alias)]), `${WORDS[used.type]}_${columns}`];
  return names.find((name) => /^[\p{L}_]/u.test(name) && !taken.has(fold(name)));
}

export function proposeMeasures(statements: readonly LoggedStatement[]): MeasureProposal[] {
  const seen = new Seen<Aggregated>();
  const all = new Map<string, Aggregated>();
  for (const statement of statements) {
    for (const used of statement.use.aggregates) {
      const { entity, type, argument, alias } = used;
      const sql = expressionText(argument, statement.dialect);
      if (sql.includes(PLACEHOLDER)) continue;
      const isKnown = entity.measures.some(
        (measure) =>
          measure.type === type &&
          measure.sql !== undefined &&
          fold(declaredText(entity, measure.sql, statement.dialect)) === fold(sql),
      );
      if (isKnown) continue;
      const key = [entity.source, entity.name, type, fold(sql)].join('\n');
      const found = all.get(key) ?? { used, sql, aliases: new Map<string, number>() };
      all.set(key, found);
      if (alias !== undefined) found.aliases.set(fold(alias), (found.aliases.get(fold(alias)) ?? 0) + 1);
      seen.add(key, found, statement.entry.id);
    }
  }
  const names = new Map<ModelEntity, Set<string>>();
  return seen.frequent().flatMap(({ value, seen: count }): MeasureProposal[] => {
    const { entity, type } = value.used;
    const taken =
      names.get(entity) ??
      new Set([...entity.measures, ...entity.dimensions, ...entity.segments].map(({ name }) => fold(name)));
    names.set(entity, taken);
    const name = measureName(value, count, taken);
    if (name === undefined) return [];
    taken.add(fold(name));
    const summary = `${entity.name}.${name}: ${type} of ${value.sql}`;
    return [{ kind: 'measure', entity, seen: count, summary, value: { name, type, sql: value.sql } }];
  });
}

/** What a repeated statement is about, without anything of a question: users may have put values into it. */
function describe({ use }: LoggedStatement): string {
  const measured = [
    ...new Set(
      use.aggregates.map(
        ({ type, columns }) =>
          `${WORDS[type]} ${columns.map(({ name, dimension }) => dimension?.name ?? name).join(' and ')}`,
      ),
    ),
  ];
  const groups = [...new Set(use.groups.map(({ name, dimension }) => dimension?.name ?? name))];
  const entities = [...use.entities].map(({ name }) => name).join(', ');
  const what = measured.length > 0 ? `${measured.join(', ')} of ${entities}` : entities;
  return `${what.charAt(0).toUpperCase()}${what.slice(1)}${groups.length > 0 ? ` by ${groups.join(' and ')}` : ''}`;
}

/** A pattern shows more than a table: tables joined, or rows grouped. */
const isTelling = ({ use }: LoggedStatement) =>
  use.entities.size > 0 && use.unknownTables.length === 0 && (use.entities.size > 1 || use.groups.length > 0);

const spaceless = (sql: string) => fold(sql).replace(/\s+/g, '');

export function proposePatterns(
  statements: readonly LoggedStatement[],
  { entities }: SemanticModel,
): PatternProposal[] {
  const known = new Set(entities.flatMap(({ queryPatterns }) => queryPatterns.map(({ sql }) => spaceless(sql))));
  const seen = new Seen<{ readonly sql: string; readonly statement: LoggedStatement }>();
  const shapes = new Map<LoggedStatement, string>();
  for (const statement of statements) {
    if (!isTelling(statement)) continue;
    const sql = shapeOf(statement.select, statement.dialect);
    shapes.set(statement, sql);
    seen.add(spaceless(sql), { sql, statement }, statement.entry.id);
  }
  const counts = new Map<ModelEntity, number>();
  return seen.frequent().flatMap(({ value, seen: count }): PatternProposal[] => {
    const [entity] = value.statement.use.entities;
    if (entity === undefined || known.has(spaceless(value.sql))) return [];
    const own = (counts.get(entity) ?? 0) + 1;
    counts.set(entity, own);
    if (own > MAX_PATTERNS) return [];
    const description = describe(value.statement);
    return [{ kind: 'pattern', entity, seen: count, summary: description, value: { description, sql: value.sql } }];
  });
}
