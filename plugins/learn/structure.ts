/** Proposes joins, measures and query patterns that statements show again and again. */
import type { ModelEntity, SemanticModel } from '../semantic-layer/index.ts';
import { fold } from '../sql-kit/index.ts';
import { type Log, type LoggedAggregate, type LoggedStatement, supporting } from './log.ts';
import { type JoinProposal, MAX_NAME, type MeasureProposal, type PatternProposal } from './proposal.ts';
import { Seen } from './seen.ts';
import { PLACEHOLDER } from './shape.ts';
import type { UsedAggregate, UsedJoin } from './statement-use.ts';

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

export function proposeJoins(log: Log): JoinProposal[] {
  const seen = new Seen<Joined>(log);
  for (const statement of supporting(log)) {
    for (const pairs of statement.use.joins) {
      for (const joined of joinsOf(pairs)) {
        const { from, to, on } = joined;
        if (from.connection !== to.connection || hasJoin(from, to, on)) continue;
        const columns = on.map((one) => pairKey(one.from, one.to)).sort();
        seen.add([from.name, to.name, ...columns].join('\n'), joined, statement);
      }
    }
  }
  const proposed: JoinProposal[] = [];
  for (const { value, ...counts } of seen.frequent()) {
    const { from, to, on } = value;
    const [own, far] = [on.map((one) => one.from), on.map((one) => one.to)];
    const relationship = !isKey(to, far) ? 'many_to_many' : isKey(from, own) ? 'one_to_one' : 'many_to_one';
    const isTaken =
      from.joins.some(({ target, name }) => fold(target) === fold(to.name) || fold(name) === fold(to.name)) ||
      proposed.some((other) => other.owner === from && other.value.target === to.name);
    const name = isTaken ? { name: `${to.name}_by_${own.join('_')}` } : {};
    const text = on.map((one) => `${from.name}.${one.from} = ${to.name}.${one.to}`).join(' and ');
    proposed.push({
      kind: 'join',
      owner: from,
      ...counts,
      summary: text,
      value: { ...name, target: to.name, relationship, on },
    });
  }
  return proposed;
}

const WORDS = { sum: 'sum', avg: 'average', min: 'smallest', max: 'largest', count_distinct: 'distinct' } as const;

const plain = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '');

/** Names that come from aliases and identifiers, which users may write anything into. */
const isName = (name: string) => name.length <= MAX_NAME && /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name);

/** The name that the statements give, if they agree; else one from type and columns. */
function measureName(used: UsedAggregate, alias: string | undefined, taken: ReadonlySet<string>): string | undefined {
  const columns = [...new Set(used.columns.map(({ name, dimension }) => plain(dimension?.name ?? name)))].join('_');
  const names = [...(alias === undefined ? [] : [plain(alias)]), `${WORDS[used.type]}_${columns}`];
  return names.find((name) => isName(name) && !taken.has(fold(name)));
}

export function proposeMeasures(log: Log): MeasureProposal[] {
  const seen = new Seen<{ readonly key: string; readonly used: LoggedAggregate }>(log);
  const aliases = new Seen<{ readonly key: string; readonly alias: string }>(log);
  for (const statement of supporting(log)) {
    for (const used of statement.aggregates) {
      const { entity, type, sql, measure, alias } = used;
      if (measure !== undefined || sql.includes(PLACEHOLDER) || !hasPlainNames(sql)) continue;
      const key = [entity.source, entity.name, type, fold(sql)].join('\n');
      seen.add(key, { key, used }, statement);
      const isValue = plain(alias ?? '')
        .split('_')
        .some((word) => statement.use.literalWords.has(word));
      if (alias !== undefined && !isValue)
        aliases.add(`${key}\n${fold(alias)}`, { key, alias: fold(alias) }, statement);
    }
  }
  const agreed = Map.groupBy(aliases.frequent(), ({ value }) => value.key);
  const names = new Map<ModelEntity, Set<string>>();
  return seen.frequent().flatMap(({ value: { key, used }, ...counts }): MeasureProposal[] => {
    const { entity, type, sql } = used;
    const taken =
      names.get(entity) ??
      new Set([...entity.measures, ...entity.dimensions, ...entity.segments].map(({ name }) => fold(name)));
    names.set(entity, taken);
    const alias = agreed.get(key)?.find(({ seen: count }) => count * 2 > counts.seen)?.value.alias;
    const name = measureName(used, alias, taken);
    if (name === undefined) return [];
    taken.add(fold(name));
    const summary = `${entity.name}.${name}: ${type} of ${sql}`;
    return [{ kind: 'measure', owner: entity, ...counts, summary, value: { name, type, sql } }];
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

const MAX_PATTERN_CHARS = 2_000;

/** Whether names in quotes are such as others are, and no texts. */
const hasPlainNames = (sql: string) =>
  [...sql.matchAll(/"([^"]*)"|`([^`]*)`|\[([^\]]*)\]/g)].every(([, ...names]) => isName(names.join('')));
/** The same of all that a statement calls something. */
const isPlainStatement = (sql: string) =>
  sql.length <= MAX_PATTERN_CHARS &&
  hasPlainNames(sql) &&
  (sql.match(/[\p{L}\p{N}_]+/gu) ?? []).every((word) => word.length <= MAX_NAME);

export function proposePatterns(log: Log, { entities }: SemanticModel): PatternProposal[] {
  const known = new Set(entities.flatMap(({ queryPatterns }) => queryPatterns.map(({ sql }) => spaceless(sql))));
  const seen = new Seen<LoggedStatement>(log);
  for (const statement of supporting(log))
    if (isTelling(statement) && isPlainStatement(statement.shape))
      seen.add(spaceless(statement.shape), statement, statement);
  return seen.frequent().flatMap(({ value: statement, ...counts }): PatternProposal[] => {
    const { use, shape: sql } = statement;
    const [owner] = use.entities;
    if (owner === undefined || known.has(spaceless(sql))) return [];
    const description = describe(statement);
    return [{ kind: 'pattern', owner, ...counts, summary: description, value: { description, sql } }];
  });
}
