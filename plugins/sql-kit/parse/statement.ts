/** Reads a whole statement, or an expression alone. */
import type { Expr, Select } from '../ast/tree.ts';
import { startsSelect } from './clauses.ts';
import { Cursor, type Grammar, type NestedParsers } from './cursor.ts';
import { parseExpr } from './expression.ts';
import { type LexLimits, lex, type Token } from './lexer.ts';
import { parseSelect } from './select.ts';

const ONE_READING_STATEMENT = 'Only one reading statement runs here: SELECT, VALUES, or WITH … SELECT.';

const REFUSED: Readonly<Record<string, string>> = {
  EXPLAIN: 'EXPLAIN is not a question about the data',
  PRAGMA: 'PRAGMA reads or changes settings',
  ATTACH: 'ATTACH opens another database',
  DETACH: 'DETACH closes a database',
  VACUUM: 'VACUUM writes a database',
};

const NESTED: NestedParsers = { expression: parseExpr, select: parseSelect };

/** A cursor at the first of the tokens. */
const cursorOver = (text: string, tokens: readonly Token[], grammar: Grammar): Cursor =>
  new Cursor(text, tokens, grammar, NESTED);

/** What reads the statements of an engine: the dialect's reader, else lexer and parser by its grammar. */
interface Readable extends Grammar {
  readonly reader?: {
    statement(text: string, limits: LexLimits): Select;
    expression(text: string, limits: LexLimits): Expr;
  };
}

/** One reading statement; a semicolon may end it. Throws `SqlRefusal`. */
export function parseStatement(text: string, dialect: Readable, limits: LexLimits): Select {
  if (dialect.reader !== undefined) return dialect.reader.statement(text, limits);
  const cursor = cursorOver(text, lex(text, dialect, limits), dialect);
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
export function parseExpression(text: string, dialect: Readable, limits: LexLimits): Expr {
  if (dialect.reader !== undefined) return dialect.reader.expression(text, limits);
  const cursor = cursorOver(text, lex(text, dialect, limits), dialect);
  const expr = parseExpr(cursor);
  if (cursor.token.kind !== 'end') throw cursor.unexpected();
  return expr;
}
