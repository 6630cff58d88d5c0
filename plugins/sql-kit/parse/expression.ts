/** Reads expressions by precedence climbing. */
import { Level } from '../ast/precedence.ts';
import type { Expr, Like, Prefix } from '../ast/tree.ts';
import { parseArguments } from './clauses.ts';
import type { Cursor } from './cursor.ts';
import { parseInSource } from './from.ts';
import { parseContent, parsePrimary } from './primary.ts';

const MAX_CHAIN = 900;
const COMPARISONS = new Set(['=', '<>', '!=', '<', '<=', '>', '>=']);

/** An expression whose operators bind at least as strongly as `minimum` (precedence climbing). */
export function parseExpr(cursor: Cursor, minimum: number = Level.arrow): Expr {
  cursor.enter();
  let left = parsePostfix(cursor, parsePrefix(cursor));
  // A parenthesised operand is whole: only what this loop itself built may grow.
  let leftLevel: number = Level.primary;
  for (let level = infixLevel(cursor); level >= minimum; level = infixLevel(cursor)) {
    const grows = left.kind === 'chain' && leftLevel === level;
    if (leftLevel === level && !grows) {
      if (level === cursor.dialect.syntax.predicateLevel && cursor.dialect.syntax.isStandard) {
        throw cursor.fail('syntax', 'Two comparisons stand side by side', 'Put one of them in parentheses.');
      }
      cursor.stack();
    }
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
  const level = token.kind === 'operator' ? cursor.dialect.syntax.prefixes.get(token.value) : undefined;
  if (level === undefined) return parsePrimary(cursor);
  cursor.advance();
  const operator = token.value as Prefix['operator'];
  return { kind: 'prefix', at: token.start, operator, operand: parseExpr(cursor, level) };
}

/** What follows an operand without a right operand, such as `::type`; it binds before any other operator. */
function parsePostfix(cursor: Cursor, operand: Expr): Expr {
  const { postfix } = cursor.dialect.syntax;
  if (postfix === undefined || operand.kind === 'prefix') return operand;
  for (let expr: Expr = operand; ; cursor.stack()) {
    const larger = postfix(cursor, expr);
    if (larger === undefined) return expr;
    expr = larger;
  }
}

/** Binding strength of the infix or postfix operator that begins here, 0 when none does. */
function infixLevel(cursor: Cursor): number {
  const { kind, keyword, value } = cursor.token;
  const { infix, predicates, predicateLevel } = cursor.dialect.syntax;
  if (kind === 'operator') return infix.get(value) ?? 0;
  if (keyword === '') return 0;
  if (keyword === 'COLLATE') return Level.collate;
  if (keyword === 'NOT') {
    const next = cursor.peek().keyword;
    if (predicates.has(next)) return predicateLevel;
    return next === 'NULL' ? (infix.get('IS') ?? 0) : 0;
  }
  if (predicates.has(keyword)) return startsPredicate(cursor, keyword) ? predicateLevel : 0;
  if (keyword === 'ISNULL' || keyword === 'NOTNULL') return infix.get('IS') ?? 0;
  if (keyword === 'AT') return cursor.isWords('AT', 'TIME', 'ZONE') ? Level.zone : 0;
  return infix.get(keyword) ?? 0;
}

/** Two of the words mean something only together with the next. */
function startsPredicate(cursor: Cursor, keyword: string): boolean {
  if (keyword === 'SIMILAR') return cursor.peek().keyword === 'TO';
  if (keyword === 'MEMBER') return cursor.peek().keyword === 'OF';
  return keyword !== 'SOUNDS' || cursor.peek().keyword === 'LIKE';
}

/** `value MEMBER OF (array)`. */
function parseMemberOf(cursor: Cursor, operand: Expr): Expr {
  cursor.expect('OF');
  cursor.expectOperator('(');
  const array = { expr: parseExpr(cursor), minimum: Level.arrow };
  cursor.expectOperator(')');
  const parts = [tight(operand), ' MEMBER OF (', array, ')'];
  return { kind: 'form', at: operand.at, level: Level.equality, parts };
}

function parseInfix(cursor: Cursor, left: Expr, level: number, grows: boolean): Expr {
  if (level === Level.collate) {
    const at = cursor.advance().start;
    return { kind: 'collate', at, operand: left, collation: parseCollation(cursor) };
  }
  const special = parsePredicate(cursor, left);
  if (special !== undefined) return special;
  const { start: at } = cursor.token;
  const nullTest = acceptNullTest(cursor);
  const operator = nullTest ?? parseOperator(cursor);
  if (COMPARISONS.has(operator)) {
    const quantified = parseQuantified(cursor, left, operator);
    if (quantified !== undefined) return quantified;
  }
  const rightLevel = cursor.dialect.syntax.rightLevels?.get(operator);
  if (rightLevel !== undefined) {
    const right = { expr: parseExpr(cursor, rightLevel), minimum: rightLevel };
    return { kind: 'form', at: left.at, level, parts: [{ expr: left, minimum: rightLevel }, ` ${operator} `, right] };
  }
  const isUnknown = (operator === 'IS' || operator === 'IS NOT') && cursor.accept('UNKNOWN');
  const right: Expr = nullTest || isUnknown ? { kind: 'constant', at, value: 'NULL' } : parseExpr(cursor, level + 1);
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

/** Several of DuckDB's may be joined by dots, and quoted as one. */
function parseCollation(cursor: Cursor): string {
  let name = cursor.name('a collation');
  while (cursor.dialect.syntax.isFriendly && cursor.acceptOperator('.')) name += `.${cursor.name('a collation')}`;
  return name;
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
  if (keyword === 'AT') {
    cursor.expect('TIME');
    cursor.expect('ZONE');
    return 'AT TIME ZONE';
  }
  if (keyword !== '') return keyword;
  return cursor.dialect.syntax.spelling?.get(value) ?? (value === '==' ? '=' : value === '!=' ? '<>' : value);
}

/** `operator ANY (…)`, over a subquery or a list. */
function parseQuantified(cursor: Cursor, operand: Expr, operator: string): Expr | undefined {
  if (!cursor.dialect.syntax.isStandard || !cursor.peekOperator('(')) return undefined;
  const word = cursor.token.keyword;
  if (word !== 'ANY' && word !== 'SOME' && word !== 'ALL') return undefined;
  cursor.advance();
  // A subquery brings its own parentheses.
  const set = parsePrimary(cursor);
  const [open, close] = set.kind === 'scalar' ? ['', ''] : ['(', ')'];
  const quantifier = word === 'ALL' ? 'ALL' : 'ANY';
  const parts = [tight(operand), ` ${operator} ${quantifier} ${open}`, { expr: set, minimum: Level.arrow }, close];
  return { kind: 'form', at: operand.at, level: Level.equality, parts };
}

/** The operators that are more than a sign between two operands; `undefined`, with nothing consumed, for others. */
function parsePredicate(cursor: Cursor, operand: Expr): Expr | undefined {
  const at = cursor.token.start;
  const not = cursor.is('NOT');
  const { keyword } = not ? cursor.peek() : cursor.token;
  const { predicates, predicateLevel, betweenLevels, spelling } = cursor.dialect.syntax;
  if (!predicates.has(keyword)) return undefined;
  if (not) cursor.advance();
  cursor.advance();
  const special = cursor.dialect.syntax.predicate?.(cursor, operand, keyword, not);
  if (special !== undefined) return special;
  if (keyword === 'IN') return parseIn(cursor, operand, at, not);
  if (keyword === 'BETWEEN') {
    const low = parseExpr(cursor, betweenLevels[0]);
    cursor.expect('AND');
    return { kind: 'between', at, not, operand, low, high: parseExpr(cursor, betweenLevels[1]) };
  }
  if (keyword === 'MEMBER') return parseMemberOf(cursor, operand);
  if (keyword === 'SIMILAR') cursor.expect('TO');
  if (keyword === 'SOUNDS') cursor.expect('LIKE');
  const operator = (spelling?.get(keyword) ?? keyword) as Like['operator'];
  const pattern = parseExpr(cursor, predicateLevel + 1);
  const escapedBy = cursor.accept('ESCAPE') ? parseExpr(cursor, predicateLevel + 1) : undefined;
  return { kind: 'like', at, operator, not, operand, pattern, escape: escapedBy };
}

/** After IN: a list in parentheses, a subquery, in SQLite a table or table function, elsewhere a list as a value. */
function parseIn(cursor: Cursor, operand: Expr, at: number, not: boolean): Expr {
  const { openers, isStandard } = cursor.dialect.syntax;
  const isOpen = cursor.isOperator('(');
  if (isStandard && isOpen) {
    const content = parseContent(cursor);
    if (content.kind === 'list') return { kind: 'in', at, not, operand, set: content };
    return { kind: 'in', at, not, operand, set: { kind: 'subquery', at, select: content, alias: undefined } };
  }
  if (isStandard) {
    const list = parseExpr(cursor, Level.postfix);
    const parts = [tight(operand), not ? ' NOT IN ' : ' IN ', { expr: list, minimum: Level.primary }];
    return { kind: 'form', at, level: Level.equality, parts };
  }
  if (!isOpen || openers.has(cursor.peek().keyword)) {
    return { kind: 'in', at, not, operand, set: parseInSource(cursor) };
  }
  return { kind: 'in', at, not, operand, set: { kind: 'list', items: parseArguments(cursor) } };
}

const tight = (expr: Expr) => ({ expr, minimum: Level.equality + 1 });
