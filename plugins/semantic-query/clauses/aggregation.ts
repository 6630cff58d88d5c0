/** Aggregates over the rows of one entity, per group: each row counts once in each group it belongs to. */
import type { ModelDimension, ModelEntity } from '../../semantic-layer/index.ts';
import type { Condition } from './condition.ts';
import { place } from './where-clause.ts';
import type { Token } from '../expression/tokens.ts';
import { type Aggregate, aggregateSql, ignoresRepeats } from './measures.ts';
import { type Grain, PlanError } from '../plan.ts';
import { type Compilation, Scope, type Source } from './from-clause.ts';
import { nested, printSelect, type Select, type SelectColumn } from './select.ts';

export interface GroupKey {
  readonly entity: ModelEntity;
  readonly dimension: ModelDimension;
  readonly grain: Grain | undefined;
  readonly tokens: readonly Token[];
  /** Output name, quoted as needed. */
  readonly alias: string;
  /** Grouped by, not shown. Hidden keys come last. */
  readonly hidden: boolean;
}

export interface Aggregation extends Pick<Select, 'from' | 'where' | 'groupBy'> {
  readonly keys: readonly SelectColumn[];
  /** One per aggregate, in their order. */
  readonly values: readonly string[];
  /** A row of the entity may belong to several groups, so groups do not add up to the total. */
  readonly overlapping: boolean;
}

export function keySql(compilation: Compilation, scope: Scope, key: GroupKey, source: Source): string {
  const value = scope.sql(source, key.tokens);
  return key.grain === undefined ? value : compilation.syntax.bucket(key.grain, value);
}

/** A column as it stands, which groups and orders by its name. */
export const isPlainColumn = (sql: string) =>
  /^([A-Za-z_]\w*|"[^"]+"|`[^`]+`)(\.([A-Za-z_]\w*|"[^"]+"|`[^`]+`))?$/.test(sql) && !/^(null|true|false)$/i.test(sql);

/** Names where all are plain columns; positions otherwise, which no dialect can mistake. */
export function groupTerms(columns: readonly SelectColumn[], keys: readonly GroupKey[]): string[] {
  const plain = columns.every(({ sql }) => isPlainColumn(sql));
  return columns.map(({ sql }, index) => (plain || keys[index]!.hidden ? sql : String(index + 1)));
}

export function unused(name: string, taken: Iterable<string>): string {
  const lower = new Set([...taken].map((other) => other.toLowerCase()));
  let free = name;
  for (let n = 2; lower.has(free.toLowerCase()); n++) free = `${name}_${n}`;
  return free;
}

export function aggregate(
  compilation: Compilation,
  entity: ModelEntity,
  aggregates: readonly Aggregate[],
  keys: readonly GroupKey[],
  conditions: readonly Condition[],
): Aggregation {
  const { graph, joinPath } = compilation;
  const scope = new Scope(compilation, entity);
  const sources = keys.map((key) => scope.reach(graph.path(entity, key.entity, joinPath)));
  const where = place(compilation, scope, conditions);
  const columns = keys.map((key, index) => ({
    sql: keySql(compilation, scope, key, sources[index]!),
    alias: key.alias,
  }));
  if (scope.multiplied && !aggregates.every(ignoresRepeats)) {
    return overGroups(compilation, scope, aggregates, columns, where(), keys);
  }
  return {
    keys: columns,
    values: aggregates.map((one) => aggregateSql(one, (tokens) => scope.sql(scope.root, tokens))),
    from: scope.from(),
    where: where(),
    groupBy: groupTerms(columns, keys),
    overlapping: scope.multiplied,
  };
}

/** First which row is in which group, each pair once; then the aggregates over these pairs. */
function overGroups(
  compilation: Compilation,
  scope: Scope,
  aggregates: readonly Aggregate[],
  columns: readonly SelectColumn[],
  where: readonly string[],
  keys: readonly GroupKey[],
): Aggregation {
  const { members, syntax } = compilation;
  const { root } = scope;
  const primaryKey = compilation.primaryKey(root.entity);
  if (primaryKey.length === 0) {
    const others = [...new Set(keys.map((key) => key.entity.name))].filter((name) => name !== root.entity.name);
    throw new PlanError(
      'fan_out',
      `One row of ${root.entity.name} meets several of ${others.join(' and ')}, and without a primary key rows cannot be ` +
        `counted once; mark the primary_key of ${root.entity.name} in the semantic layer.`,
      [],
    );
  }
  const aliases = columns.map(({ alias }) => alias);
  const keyColumns = primaryKey.map((tokens, index) => {
    const name = unused(primaryKey.length === 1 ? 'row_key' : `row_key_${index + 1}`, aliases);
    return { tokens, column: { sql: scope.sql(root, tokens), alias: name } };
  });
  const pairs = printSelect({
    distinct: true,
    columns: [...columns, ...keyColumns.map(({ column }) => column)],
    from: scope.from(),
    where,
  });
  const name = unused('matched', [root.alias]);
  const qualifier = syntax.identifier(root.alias);
  const write = (tokens: readonly Token[]) => members.sql(root.entity, tokens, qualifier, qualifier);
  const on = keyColumns.map(({ tokens, column }) => `${write(tokens)} = ${name}.${column.alias}`);
  const outer = aliases.map((alias) => ({ sql: `${name}.${alias}`, alias }));
  return {
    keys: outer,
    values: aggregates.map((one) => aggregateSql(one, write)),
    from: [`${nested(pairs)} AS ${name}`, `JOIN ${scope.table(root)} ON ${on.join(' AND ')}`],
    groupBy: groupTerms(outer, keys),
    overlapping: true,
  };
}
