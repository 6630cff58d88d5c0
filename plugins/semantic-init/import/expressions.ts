/** Builds the SQL expressions of imported measures. */
import type { Measure } from '../../semantic-layer/index.ts';
import type { ImportedEntity } from './project.ts';

const FUNCTIONS: Readonly<Record<string, (sql: string) => string>> = {
  sum: (sql) => `SUM(${sql})`,
  avg: (sql) => `AVG(${sql})`,
  min: (sql) => `MIN(${sql})`,
  max: (sql) => `MAX(${sql})`,
  count: (sql) => `COUNT(${sql})`,
  count_distinct: (sql) => `COUNT(DISTINCT ${sql})`,
  ratio: (sql) => `(${sql})`,
};

/** The aggregate that a measure stands for. */
export const aggregateOf = ({ type, sql = '*' }: Measure): string => FUNCTIONS[type]?.(sql) ?? sql;

/** The measure over the rows that meet all conditions. */
export function filtered<M extends Pick<Measure, 'type' | 'sql'>>(measure: M, conditions: readonly string[]): M {
  if (conditions.length === 0) return measure;
  const condition = conditions.length === 1 ? conditions[0] : conditions.map((one) => `(${one})`).join(' AND ');
  return { ...measure, sql: `CASE WHEN ${condition} THEN ${measure.sql ?? 1} END` };
}

/** Whether templates of another tool are left in the text. */
export const hasTemplate = (sql: string) => /\$\{|\{\{|\{%|\bref\s*\(|[^\w]\{[^{}\w]/.test(sql);

/** `schema.table` of a name with quotes, schema and database; `undefined` for a query. */
export function tableOf(name: string): { readonly table: string; readonly schema?: string } | undefined {
  const parts = name
    .trim()
    .replace(/;$/, '')
    .split('.')
    .map((part) => part.trim().replace(/^(["`[])(.*?)["`\]]$/, '$2'));
  if (parts.length > 3 || parts.some((part) => !/^[\p{L}\p{N}_$ -]+$/u.test(part))) return undefined;
  const [table = '', schema] = parts.reverse();
  return { table, ...(schema !== undefined && { schema }) };
}

/** The table of `SELECT * FROM table`; `undefined` for every other query. */
export function tableOfQuery(sql: string): ReturnType<typeof tableOf> {
  const [, name] = /^\s*select\s+\*\s+from\s+([^\s;]+)\s*;?\s*$/i.exec(sql) ?? [];
  return name === undefined ? undefined : tableOf(name);
}

/** The column that the entity's dimension of this name shows, or the name where it shows none. */
export function columnBehind(entity: ImportedEntity | undefined, name: string): string {
  const dimension = entity?.dimensions.find((one) => one.name === name);
  return (dimension?.sql !== undefined && columnOf(dimension.sql)) || name;
}

/** The column when the expression is nothing else. */
export function columnOf(sql: string): string | undefined {
  const [, plain, quoted] = /^\s*(?:([\p{L}_][\p{L}\p{N}_$]*)|["`[]([^"`\]]+)["`\]])\s*$/u.exec(sql) ?? [];
  return plain ?? quoted;
}
