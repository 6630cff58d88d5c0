/** What only DuckDB reads: forms in which columns are named by patterns, by what they are not, or by nothing. */
import type { Choices } from './choices.ts';
import type { NamedColumn, Names, Relation, Scope } from './scope.ts';
import type { Table } from './world.ts';

const PATTERNS = ['.*', 'e', '^(id|secret|pay|email|tenant_id)$', '^[a-m]', 'group|order|Tenant'];

/** `*` of the relations with columns left out, replaced, renamed, or chosen by a pattern. */
export function friendlyStar(
  star: string,
  relations: readonly Relation[],
  value: () => string,
  choices: Choices,
  names: Names,
): string {
  const columns = relations.flatMap((relation) => relation.columns);
  const pattern = choices.pick(PATTERNS);
  if (columns.length === 0) return star;
  const name = names.quoted(choices.pick(columns).name);
  const other = names.quoted(choices.pick(columns).name);
  return choices.pick([
    `${star} EXCLUDE (${name})`,
    `${star} REPLACE (${value()} AS ${name})`,
    `${star} RENAME (${name} AS secret)`,
    name === other ? `${star} EXCLUDE ${name}` : `${star} EXCLUDE (${name}) REPLACE (${value()} AS ${other})`,
    'COLUMNS(*)',
    `COLUMNS('${pattern}')`,
    `max(COLUMNS('${pattern}'))`,
    `COLUMNS(c -> c SIMILAR TO '.*${pattern.replaceAll(/[$^]/g, '')}.*')`,
    `COLUMNS(* EXCLUDE (${name}))`,
    'count(COLUMNS(*))',
  ]);
}

/** A subquery with one row for each key, so that the nearest row is always the same. */
export function asofSource(source: string, table: Table, alias: string, choices: Choices, names: Names) {
  const texts = table.columns.filter(({ type }) => type === 'text');
  const shown = texts.length === 0 ? undefined : names.quoted(choices.pick(texts).name);
  const columns: NamedColumn[] = [{ name: 'k', type: 'int' }, ...(shown ? [{ name: 'v', type: 'text' as const }] : [])];
  const most = shown === undefined ? '' : `, max(x.${shown}) AS v`;
  const relation: Relation = { name: alias, columns, rows: table.rows.length };
  return { sql: `(SELECT x.id AS k${most} FROM ${source} AS x GROUP BY x.id) AS ${names.quoted(alias)}`, relation };
}

/** Rows out of the columns of the sources before. */
export function friendlyUnnest(scope: Scope, alias: string, choices: Choices, names: Names) {
  const type = choices.pick(['int', 'text'] as const);
  const values = [1, 2].map(
    () => scope.soFar().column(type, names, choices, 'local') ?? (type === 'int' ? '3' : "'a'"),
  );
  const relation: Relation = { name: alias, columns: [{ name: 'v', type }], rows: 2 };
  return { sql: `unnest([${values.join(', ')}]) AS ${names.quoted(alias)} (v)`, relation };
}

/** The columns of two sets of rows that are united by name; `undefined` where a name is there twice. */
export function merged(
  columns: readonly NamedColumn[],
  further: readonly NamedColumn[],
): readonly NamedColumn[] | undefined {
  const known = new Map<string, NamedColumn>();
  for (const set of [columns, further]) {
    if (new Set(set.map(({ name }) => name.toLowerCase())).size < set.length) return undefined;
    for (const column of set) {
      const key = column.name.toLowerCase();
      if ((known.get(key) ?? column).type !== column.type) return undefined;
      if (!known.has(key)) known.set(key, column);
    }
  }
  return [...known.values()];
}
