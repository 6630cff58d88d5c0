/** Prints a checked statement for its caller, and tells which kinds of policies narrow what it reads. */
import type { SqlStatement } from '../../kernel/index.ts';
import { printStatement, redactLiterals, type Select, type SqlDialect } from '../sql-kit/index.ts';
import type { AccessedObjects } from './accessed-objects.ts';
import { isPart } from './allowed-tables.ts';

/** `sql`: the statement as it runs. */
export function shownStatement(
  sql: string,
  statement: Select,
  { tables, columns }: AccessedObjects,
  dialect: SqlDialect,
): NonNullable<SqlStatement['shown']> {
  const parts = [...tables].filter(isPart);
  if (parts.length === 0) return { sql, policies: [] };
  const hasRows = parts.some(({ rows }) => rows !== undefined && rows.length > 0);
  const hasMasks = parts.some((table) => table.visible?.some(({ name, mask }) => mask && columns.has(table, name)));
  return {
    sql: printStatement(statement, dialect, (text) => withoutLiterals(text, dialect)).sql,
    policies: [...(hasRows ? (['rows'] as const) : []), ...(hasMasks ? (['values'] as const) : [])],
  };
}

/** The spaces around a text stay, because it is a part of the statement. */
function withoutLiterals(text: string, dialect: SqlDialect): string {
  const [, before, inner, after] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text)!;
  return before + redactLiterals(inner!, dialect.notation) + after;
}
