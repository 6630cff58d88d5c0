/** Prints a SELECT statement in a layout for people. */
export interface SelectColumn {
  readonly sql: string;
  /** Already quoted as needed. */
  readonly alias: string;
}

export interface Select {
  readonly with?: readonly { readonly name: string; readonly sql: string }[];
  readonly distinct?: boolean;
  readonly columns: readonly SelectColumn[];
  /** The first table, then one join per item; empty when only subqueries are selected. */
  readonly from: readonly string[];
  readonly where?: readonly string[];
  readonly groupBy?: readonly string[];
  readonly having?: readonly string[];
  readonly orderBy?: readonly string[];
  readonly limit?: number | undefined;
}

/** Longest list on one line, in characters; a longer one gets a line per item. */
const LINE_WIDTH = 100;

export const indent = (sql: string, by = '  ') => sql.replaceAll('\n', `\n${by}`);

/** A subquery in parentheses, indented. */
export const nested = (sql: string) => `(\n  ${indent(sql)}\n)`;

function list(keyword: string, items: readonly string[]): string {
  const line = `${keyword} ${items.join(', ')}`;
  return line.length <= LINE_WIDTH && !line.includes('\n')
    ? line
    : `${keyword}\n  ${items.map((item) => indent(item)).join(',\n  ')}`;
}

export function printSelect(select: Select): string {
  const { columns, from, where = [], groupBy = [], having = [], orderBy = [], limit } = select;
  const lines: string[] = [];
  if (select.with !== undefined && select.with.length > 0) {
    lines.push(`WITH ${select.with.map(({ name, sql }) => `${name} AS ${nested(sql)}`).join(',\n')}`);
  }
  const items = columns.map(({ sql, alias }) => (sql === alias ? sql : `${sql} AS ${alias}`));
  lines.push(list(select.distinct === true ? 'SELECT DISTINCT' : 'SELECT', items));
  if (from.length > 0) lines.push(`FROM ${from.join('\n')}`);
  if (where.length > 0)
    lines.push(`WHERE ${where.map((condition, at) => (at === 0 ? condition : indent(condition))).join('\n  AND ')}`);
  if (groupBy.length > 0) lines.push(list('GROUP BY', groupBy));
  if (having.length > 0) lines.push(`HAVING ${having.join('\n  AND ')}`);
  if (orderBy.length > 0) lines.push(list('ORDER BY', orderBy));
  if (limit !== undefined) lines.push(`LIMIT ${limit}`);
  return lines.join('\n');
}
