/** Writes bound values into a statement as literals, for engines whose protocol has no place for them. */
import { partAt, type SqlDialect } from '../sql-kit/index.ts';
import { statementFailed } from './errors.ts';
import { bindable, type Param } from './params.ts';

const MIDNIGHT = 'T00:00:00.000Z';

function literal(value: Param, { rendering }: SqlDialect): string {
  if (value === null) return 'NULL';
  if (typeof value === 'string') return rendering.text(value);
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (value instanceof Uint8Array) return `X'${Buffer.from(value).toString('hex')}'`;
  if (value instanceof Date) {
    const text = value.toISOString();
    if (text.endsWith(MIDNIGHT)) return `DATE '${text.slice(0, 10)}'`;
    return `TIMESTAMP '${text.slice(0, -1).replace('T', ' ')}'`;
  }
  // A sign before a number could meet another one, and two of them begin a comment.
  const text = String(value).toUpperCase();
  return text.startsWith('-') ? `(${text})` : text;
}

/** The statement with each value in the place of its `?`. Texts and names in quotes are left as they are. */
export function withLiterals(sql: string, params: readonly unknown[], dialect: SqlDialect): string {
  if (params.length === 0) return sql;
  const values = params.map((value) => literal(bindable(value), dialect));
  let text = '';
  for (let at = 0; at < sql.length; ) {
    const { kind, end } = partAt(sql, at, dialect.notation);
    const part = sql.slice(at, end);
    if (kind === 'sign' && part === '?') {
      const value = values.shift();
      if (value === undefined) throw statementFailed('The statement has more places than values');
      text += value;
    } else text += part;
    at = end;
  }
  if (values.length > 0) throw statementFailed('The statement has more values than places');
  return text;
}
