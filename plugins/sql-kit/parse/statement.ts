import type { Expr, Select } from '../ast/tree.ts';
import type { SqlDialect } from '../dialects/sql-dialect.ts';
import { Cursor } from './cursor.ts';
import { parseExpr } from './expression.ts';
import { type LexLimits, lex } from './lexer.ts';
import { parseSelect, startsSelect } from './select.ts';

const ONE_READING_STATEMENT = 'Only one reading statement runs here: SELECT, VALUES, or WITH … SELECT.';

const REFUSED: Readonly<Record<string, string>> = {
  EXPLAIN: 'EXPLAIN is not a question about the data',
  PRAGMA: 'PRAGMA reads or changes settings',
  ATTACH: 'ATTACH opens another database',
  DETACH: 'DETACH closes a database',
  VACUUM: 'VACUUM writes a database',
};

/** One reading statement; a semicolon may end it. Throws `SqlRefusal`. */
export function parseStatement(text: string, dialect: SqlDialect, limits: LexLimits): Select {
  if (dialect.reader !== undefined) return dialect.reader.statement(text, limits);
  const cursor = new Cursor(text, lex(text, dialect, limits), dialect);
  const { token } = cursor;
  if (token.kind === 'end') throw cursor.fail('syntax', 'There is no statement', ONE_READING_STATEMENT);
  if (!startsSelect(cursor) && !(dialect.syntax.isStandard && cursor.isOperator('('))) {
    const word = token.value.toUpperCase();
    const what =
      token.kind === 'word' ? (REFUSED[word] ?? `${word.slice(0, 40)} is not a reading statement`) : undefined;
    const hint = cursor.isOperator('(') ? 'Write SELECT … UNION SELECT … without parentheses.' : ONE_READING_STATEMENT;
    throw what === undefined
      ? cursor.fail('syntax', `Unexpected "${text.slice(token.start, token.start + 40)}"`, hint)
      : cursor.fail('not_reading', what, ONE_READING_STATEMENT);
  }
  const select = parseSelect(cursor);
  const ended = cursor.acceptOperator(';');
  if (cursor.token.kind === 'end') return select;
  throw ended
    ? cursor.fail('several_statements', 'A second statement begins', ONE_READING_STATEMENT)
    : cursor.unexpected();
}

/** One expression and nothing else. Throws `SqlRefusal`. */
export function parseExpression(text: string, dialect: SqlDialect, limits: LexLimits): Expr {
  if (dialect.reader !== undefined) return dialect.reader.expression(text, limits);
  const cursor = new Cursor(text, lex(text, dialect, limits), dialect);
  const expr = parseExpr(cursor);
  if (cursor.token.kind !== 'end') throw cursor.unexpected();
  return expr;
}
