/** Reads statements with PostgreSQL's own parser. */
import { createRequire } from 'node:module';
import type { Node, ParseResult, RawStmt, SelectStmt } from 'libpg-query';
import type { Expr, Select } from '../../ast/tree.ts';
import { positionAt, SqlRefusal } from '../../parse/errors.ts';
import type { LexLimits } from '../../parse/lexer.ts';
import type { SqlReader } from '../sql-dialect.ts';
import { Conversion, type NestedConverters } from './conversion.ts';
import { convertExpression } from './convert-expression.ts';
import { convertSelect } from './convert-select.ts';
import { boundText } from './size-limits.ts';

const ONE_READING_STATEMENT = 'Only one reading statement runs here: SELECT, VALUES, TABLE, or WITH … SELECT.';
const BEFORE_EXPRESSION = 'SELECT ';

const CONVERTERS: NestedConverters = { expression: convertExpression, select: convertSelect };

type ParseSql = (text: string) => ParseResult;

const require = createRequire(import.meta.url);
const MODULE = 'libpg-query';

/** Reads statements with the server's own parser, which is loaded when the first one comes. */
export class PostgresReader implements SqlReader {
  #parser: ParseSql | undefined;
  #isBroken = false;

  async load(): Promise<void> {
    if (this.#parser !== undefined) return;
    if (this.#isBroken) delete require.cache[require.resolve(MODULE)];
    const { loadModule, parseSync } = require(MODULE) as typeof import('libpg-query');
    await loadModule();
    this.#parser = parseSync;
    this.#isBroken = false;
  }

  statement(text: string, limits: LexLimits): Select {
    return readStatement((sql) => this.#parse(sql), text, limits);
  }

  expression(text: string, limits: LexLimits): Expr {
    return readExpression((sql) => this.#parse(sql), text, limits);
  }

  #parse(sql: string): ParseResult {
    if (this.#parser === undefined) throw new Error('The parser has not been loaded.');
    try {
      return this.#parser(sql);
    } catch (error) {
      // An exhausted stack leaves the parser's memory in disorder; the next statement gets a new one.
      if (!isSyntaxError(error)) {
        this.#parser = undefined;
        this.#isBroken = true;
      }
      throw error;
    }
  }
}

const isSyntaxError = (error: unknown): error is Error & { sqlDetails: { cursorPosition: number } } =>
  error instanceof Error && 'sqlDetails' in error && error.sqlDetails !== undefined;

function readStatement(parseSql: ParseSql, text: string, limits: LexLimits): Select {
  boundText(text, limits);
  const { stmts: [only, second] = [] } = parse(parseSql, text, text);
  const conversion = new Conversion(text, CONVERTERS);
  if (only?.stmt === undefined) {
    throw conversion.refuse('syntax', 'There is no statement', 0, ONE_READING_STATEMENT);
  }
  if (second !== undefined) {
    const at = start(second, conversion);
    throw conversion.refuse('several_statements', 'A second statement begins', at, ONE_READING_STATEMENT);
  }
  if (!('SelectStmt' in only.stmt)) {
    const at = start(only, conversion);
    const word = /^\w+/.exec(text.slice(at))?.[0].toUpperCase() ?? 'This';
    throw conversion.refuse('not_reading', `${word} is not a reading statement`, at, ONE_READING_STATEMENT);
  }
  return convertSelect(only.stmt.SelectStmt, conversion);
}

/** One expression and nothing else. */
function readExpression(parseSql: ParseSql, text: string, limits: LexLimits): Expr {
  boundText(text, limits);
  const conversion = new Conversion(text, CONVERTERS, BEFORE_EXPRESSION.length);
  const { stmts: [only, second] = [] } = parse(parseSql, BEFORE_EXPRESSION + text, text);
  const expr = second === undefined ? expressionOf(only?.stmt) : undefined;
  if (expr !== undefined) return convertExpression(expr, conversion);
  throw conversion.refuse('syntax', 'This is not one expression', 0, 'Write an expression over columns.');
}

/** What SELECT selects, when that is all it does. */
function expressionOf(stmt: Node | undefined): Node | undefined {
  if (stmt === undefined || !('SelectStmt' in stmt)) return undefined;
  const { targetList: [target, another] = [], limitOption, op, ...clauses }: SelectStmt = stmt.SelectStmt;
  const isPlain = limitOption === 'LIMIT_OPTION_DEFAULT' && op === 'SETOP_NONE' && Object.keys(clauses).length === 0;
  if (!isPlain || another !== undefined || target === undefined || !('ResTarget' in target)) return undefined;
  return target.ResTarget.name === undefined ? target.ResTarget.val : undefined;
}

/** Where the statement's first word stands. */
function start({ stmt_location: location }: RawStmt, conversion: Conversion): number {
  const at = conversion.at(location);
  const before = /^(?:\s|;|--[^\n]*\n?|\/\*[\s\S]*?\*\/)*/.exec(conversion.text.slice(at));
  return at + (before?.[0].length ?? 0);
}

/** `text` is what was written, which the parsed text ends with. */
function parse(parseSql: ParseSql, sql: string, text: string): ParseResult {
  try {
    return text.trim() === '' ? { stmts: [] } : parseSql(sql);
  } catch (error) {
    if (!isSyntaxError(error)) {
      // The parser ran out of stack: too deep a nesting that no token gives away.
      throw new SqlRefusal('size', 'The statement is nested too deeply', positionAt(text, 0), 'Make it simpler.');
    }
    const { message, sqlDetails } = error;
    // The parser counts characters.
    const before = [...sql].slice(0, sqlDetails.cursorPosition).join('').length;
    const at = Math.max(before - (sql.length - text.length), 0);
    throw new SqlRefusal('syntax', sentence(message), positionAt(text, at), syntaxHint(text, at));
  }
}

const sentence = (message: string) =>
  message.charAt(0).toUpperCase() + message.slice(1).replace(/\.$/, '').replace(NEAR, '$1…"');

/** The text at which the error is, shortened. */
const NEAR = /( near "[\s\S]{40})[\s\S]+"$/;

const HINTS: readonly (readonly [RegExp, string])[] = [
  [/^\[/, 'Put names in double quotes.'],
  [/^,\s*\d/, 'Write LIMIT count OFFSET start.'],
  [/^qualify\b/i, 'Put the window function into a subquery and its condition into WHERE.'],
  [/^[?:@]/, 'Write the value itself.'],
  [/^(?:limit|top)\b/i, 'Write LIMIT count OFFSET start at the end.'],
  [/^\d/, 'Write LIMIT count at the end of the statement.'],
];

function syntaxHint(text: string, at: number): string | undefined {
  const rest = text.slice(at);
  const hint = HINTS.find(([pattern]) => pattern.test(rest))?.[1];
  return hint ?? (text.includes('`') ? 'Put names in double quotes.' : undefined);
}
