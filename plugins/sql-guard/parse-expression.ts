import type { Expr, Like } from './ast.ts';
import type { Cursor } from './cursor.ts';
import { parseArguments, parseInSource } from './parse-from.ts';
import { parsePrimary } from './parse-primary.ts';
import { infixLevels, Level } from './precedence.ts';

const MAX_CHAIN = 900;
/** Operators that NOT may precede. */
const NEGATABLE = new Set(['BETWEEN', 'IN', 'LIKE', 'GLOB', 'REGEXP', 'MATCH']);
const NULL_TESTS = new Set(['IS', 'ISNULL', 'NOTNULL']);

/** An expression whose operators bind at least as strongly as `minimum` (precedence climbing). */
export function parseExpr(cursor: Cursor, minimum: number = Level.or): Expr {
  cursor.enter();
  let left = parsePrefix(cursor);
  // A parenthesised operand is whole: only what this loop itself built may grow.
  let leftLevel: number = Level.primary;
  for (let level = infixLevel(cursor); level >= minimum; level = infixLevel(cursor)) {
    const grows = left.kind === 'chain' && leftLevel === level;
    if (leftLevel === level && !grows) cursor.stack();
    left = parseInfix(cursor, left, level, grows);
    leftLevel = level;
  }
  cursor.leave();
  return left;
}

function parsePrefix(cursor: Cursor): Expr {
  const { token } = cursor;
  if (token.keyword === 'NOT') {
    cursor.advance();
    return { kind: 'prefix', at: token.start, operator: 'NOT', operand: parseExpr(cursor, Level.not) };
  }
  if (token.kind === 'operator' && (token.value === '-' || token.value === '+' || token.value === '~')) {
    cursor.advance();
    return { kind: 'prefix', at: token.start, operator: token.value, operand: parseExpr(cursor, Level.prefix) };
  }
  return parsePrimary(cursor);
}

/** Binding strength of the infix or postfix operator that begins here, 0 when none does. */
function infixLevel(cursor: Cursor): number {
  const { kind, keyword, value } = cursor.token;
  if (kind === 'operator') return infixLevels.get(value) ?? 0;
  if (keyword === '') return 0;
  if (keyword === 'COLLATE') return Level.collate;
  if (keyword === 'NOT') {
    const next = cursor.peek().keyword;
    return next === 'NULL' || NEGATABLE.has(next) ? Level.equality : 0;
  }
  if (NEGATABLE.has(keyword) || NULL_TESTS.has(keyword)) return Level.equality;
  return infixLevels.get(keyword) ?? 0;
}

function parseInfix(cursor: Cursor, left: Expr, level: number, grows: boolean): Expr {
  if (level === Level.collate) {
    const at = cursor.advance().start;
    return { kind: 'collate', at, operand: left, collation: cursor.name('a collation') };
  }
  if (level === Level.equality) {
    const special = parseSpecial(cursor, left);
    if (special !== undefined) return special;
  }
  const { start: at } = cursor.token;
  const nullTest = acceptNullTest(cursor);
  const operator = nullTest ?? parseOperator(cursor);
  const right: Expr = nullTest ? { kind: 'constant', at, value: 'NULL' } : parseExpr(cursor, level + 1);
  if (!grows || left.kind !== 'chain') {
    return { kind: 'chain', at: left.at, level, operands: [left, right], operators: [operator] };
  }
  left.operands.push(right);
  left.operators.push(operator);
  if (left.operators.length > MAX_CHAIN) {
    throw cursor.fail('size', `More than ${MAX_CHAIN} operators in a row`, 'Use IN (…) for a list of values.', at);
  }
  return left;
}

/** `ISNULL`, `NOTNULL` and `NOT NULL`, which have no right operand. */
function acceptNullTest(cursor: Cursor): 'IS' | 'IS NOT' | undefined {
  if (cursor.accept('ISNULL')) return 'IS';
  if (cursor.accept('NOTNULL')) return 'IS NOT';
  if (!cursor.accept('NOT')) return undefined;
  cursor.expect('NULL');
  return 'IS NOT';
}

/** The operator in its canonical spelling. */
function parseOperator(cursor: Cursor): string {
  const { value, keyword } = cursor.advance();
  if (keyword === 'IS') {
    const not = cursor.accept('NOT') ? 'IS NOT' : 'IS';
    if (!cursor.is('DISTINCT') || cursor.peek().keyword !== 'FROM') return not;
    cursor.advance();
    cursor.advance();
    return `${not} DISTINCT FROM`;
  }
  if (keyword !== '') return keyword;
  return value === '==' ? '=' : value === '!=' ? '<>' : value;
}

/** The operators that are more than a sign between two operands; `undefined`, with nothing consumed, for others. */
function parseSpecial(cursor: Cursor, operand: Expr): Expr | undefined {
  const at = cursor.token.start;
  const not = cursor.is('NOT');
  const { keyword } = not ? cursor.peek() : cursor.token;
  if (!NEGATABLE.has(keyword)) return undefined;
  if (not) cursor.advance();
  cursor.advance();
  if (keyword === 'IN') return { kind: 'in', at, not, operand, set: parseInSet(cursor) };
  if (keyword === 'BETWEEN') {
    const low = parseExpr(cursor, Level.not);
    cursor.expect('AND');
    return { kind: 'between', at, not, operand, low, high: parseExpr(cursor, Level.comparison) };
  }
  const operator = keyword as Like['operator'];
  const pattern = parseExpr(cursor, Level.comparison);
  const escapedBy = cursor.accept('ESCAPE') ? parseExpr(cursor, Level.comparison) : undefined;
  return { kind: 'like', at, operator, not, operand, pattern, escape: escapedBy };
}

/** A list in parentheses, or a subquery, table or table function. */
function parseInSet(cursor: Cursor) {
  const next = cursor.peek().keyword;
  if (!cursor.isOperator('(') || next === 'SELECT' || next === 'VALUES' || next === 'WITH')
    return parseInSource(cursor);
  return { kind: 'list' as const, items: parseArguments(cursor) };
}
