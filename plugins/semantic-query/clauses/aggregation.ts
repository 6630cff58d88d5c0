/** Aggregates the rows of one entity per group; a row counts once in each of its groups. */
import type { ModelDimension, ModelEntity } from '../../semantic-layer/index.ts';
import type { Compilation } from '../compilation.ts';
import { PlanError } from '../errors.ts';
import type { Token } from '../expression/tokens.ts';
import type { Grain } from '../plan.ts';
import type { Condition } from './condition.ts';
import { FromClause, type RowSource } from './from-clause.ts';
import { type Aggregate, aggregateSql, ignoresRepeats } from './measures.ts';
import { nested, printSelect, type Select, type SelectColumn } from './select.ts';
import { whereClause } from './where-clause.ts';

export interface GroupKey {
  readonly entity: ModelEntity;
  readonly dimension: ModelDimension;
  readonly grain: Grain | undefined;
  readonly tokens: readonly Token[];
  /** Output name, quoted as needed. */
  readonly alias: string;
  /** Grouped by but not selected; hidden keys come last. */
  readonly hidden: boolean;
}

export interface Aggregation extends Pick<Select, 'from' | 'where' | 'groupBy'> {
  readonly keys: readonly SelectColumn[];
  /** One per aggregate, in the same order. */
  readonly values: readonly string[];
  /** A row may belong to several groups, so the groups do not add up to the total. */
  readonly overlapping: boolean;
}

export function keySql(compilation: Compilation, clause: FromClause, key: GroupKey, source: RowSource): string {
  const value = clause.sql(source, key.tokens);
  return key.grain === undefined ? value : compilation.syntax.bucket(key.grain, value);
}

/** Whether the SQL is just a column, so that GROUP BY and ORDER BY can use its name. */
export const isPlainColumn = (sql: string) =>
  /^([A-Za-z_]\w*|"[^"]+"|`[^`]+`)(\.([A-Za-z_]\w*|"[^"]+"|`[^`]+`))?$/.test(sql) && !/^(null|true|false)$/i.test(sql);

/** Column names when all keys are plain columns; otherwise positions, which every dialect reads alike. */
export function groupTerms(columns: readonly SelectColumn[], keys: readonly GroupKey[]): string[] {
  const plain = columns.every(({ sql }) => isPlainColumn(sql));
  return columns.map(({ sql }, index) => (plain || keys[index]!.hidden ? sql : String(index + 1)));
}

export function uniqueName(name: string, taken: Iterable<string>): string {
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
  const clause = new FromClause(compilation, entity);
  const sources = keys.map((key) => clause.reach(graph.path(entity, key.entity, joinPath)));
  const where = whereClause(compilation, clause, conditions);
  const columns = keys.map((key, index) => ({
    sql: keySql(compilation, clause, key, sources[index]!),
    alias: key.alias,
  }));
  if (clause.multiplied && !aggregates.every(ignoresRepeats)) {
    return aggregateDistinctPairs(compilation, clause, aggregates, columns, where(), keys);
  }
  return {
    keys: columns,
    values: aggregates.map((one) => aggregateSql(one, (tokens) => clause.sql(clause.root, tokens))),
    from: clause.from(),
    where: where(),
    groupBy: groupTerms(columns, keys),
    overlapping: clause.multiplied,
  };
}

/** Selects the distinct pairs of group and row first, then aggregates over them. */
function aggregateDistinctPairs(
  compilation: Compilation,
  clause: FromClause,
  aggregates: readonly Aggregate[],
  columns: readonly SelectColumn[],
  where: readonly string[],
  keys: readonly GroupKey[],
): Aggregation {
  const { members, syntax } = compilation;
  const { root } = clause;
  const primaryKey = compilation.primaryKey(root.entity);
  if (primaryKey.length === 0) {
    const others = [...new Set(keys.map((key) => key.entity.name))].filter((name) => name !== root.entity.name);
    throw new PlanError(
      'fan_out',
      `One row of ${root.entity.name} matches several rows of ${others.join(' and ')}, and without a primary key it would be ` +
        `counted several times; declare the primary_key of ${root.entity.name} in the semantic layer.`,
      [],
    );
  }
  const aliases = columns.map(({ alias }) => alias);
  const keyColumns = primaryKey.map((tokens, index) => {
    const name = uniqueName(primaryKey.length === 1 ? 'row_key' : `row_key_${index + 1}`, aliases);
    return { tokens, column: { sql: clause.sql(root, tokens), alias: name } };
  });
  const pairs = printSelect({
    distinct: true,
    columns: [...columns, ...keyColumns.map(({ column }) => column)],
    from: clause.from(),
    where,
  });
  const name = uniqueName('matched', [root.alias]);
  const qualifier = syntax.identifier(root.alias);
  const write = (tokens: readonly Token[]) => members.sql(root.entity, tokens, qualifier, qualifier);
  const on = keyColumns.map(({ tokens, column }) => `${write(tokens)} = ${name}.${column.alias}`);
  const outer = aliases.map((alias) => ({ sql: `${name}.${alias}`, alias }));
  return {
    keys: outer,
    values: aggregates.map((one) => aggregateSql(one, write)),
    from: [`${nested(pairs)} AS ${name}`, `JOIN ${clause.table(root)} ON ${on.join(' AND ')}`],
    groupBy: groupTerms(outer, keys),
    overlapping: true,
  };
}
