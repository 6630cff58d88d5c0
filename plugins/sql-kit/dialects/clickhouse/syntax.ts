/** Describes how ClickHouse writes SQL, for lexer and parser. */
import { form, listForm } from '../../ast/forms.ts';
import { Level } from '../../ast/precedence.ts';
import type { Expr, Form, From } from '../../ast/tree.ts';
import { baseSyntax } from '../../parse/base-syntax.ts';
import type { Cursor, Syntax } from '../../parse/cursor.ts';
import { BOUND_MARK, type Token } from '../../parse/lexer.ts';
import { parseContent } from '../../parse/primary.ts';
import { comparisons, parseAll, parseIndex, parseKey, parseParameters, postfixed } from '../../parse/shared-syntax.ts';
import { arrays, join, refuseNamesakes, tableHints } from './from.ts';
import { clickhouseToken } from './lexer.ts';
import { namedValue, valueOfName, withParameters } from './named-values.ts';
import { printName } from './names.ts';
import { parseClickhousePrimary, parseStar } from './primary.ts';
import { parseType } from './types.ts';

const infix: ReadonlyMap<string, number> = new Map([
  ['OR', Level.or],
  ['AND', Level.and],
  ['IS', Level.is],
  ...comparisons('==', '<=>'),
  ['||', Level.bits],
  ['+', Level.sum],
  ['-', Level.sum],
  ...['*', '/', '%', 'DIV', 'MOD'].map((sign): [string, number] => [sign, Level.product]),
]);

export const clickhouseSyntax: Syntax = {
  ...baseSyntax,
  token: clickhouseToken,
  infix,
  predicates: new Set(['BETWEEN', 'GLOBAL', 'ILIKE', 'IN', 'LIKE', 'REGEXP']),
  // Comparisons and predicates are of one level, from left to right: two of them need parentheses.
  predicateLevel: Level.equality,
  betweenLevels: [Level.bits, Level.bits],
  spelling: new Map([
    ['==', '='],
    ['!=', '<>'],
  ]),
  prefixes: new Map([['-', Level.prefix]]),
  openers: new Set(['SELECT', 'VALUES', 'WITH', 'FROM']),
  isStandard: true,
  isFriendly: true,
  textIsName: false,
  longestNamingText: Number.POSITIVE_INFINITY,
  hint,
  namedValue,
  primary: parseClickhousePrimary,
  predicate,
  condition,
  postfix,
  argument,
  star: parseStar,
  join,
  source: arrays,
  tableHints,
  limit: (cursor) => limit(cursor),
  grouping,
  ordering,
};

const HINTS: Readonly<Record<string, string>> = {
  FORMAT: 'Leave FORMAT out: the answer has a format of its own.',
  INTO: 'Leave INTO OUTFILE out: the rows are in the answer.',
  SETTINGS: 'Leave SETTINGS out: they belong to the connection.',
};

function hint(_: Token | undefined, found: Token): string | undefined {
  return HINTS[found.keyword];
}

// ── expressions ─────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * IN and GLOBAL IN. What follows is a list, a subquery, or a value that is written out: a bare name would be that of a
 * table for the engine, in parentheses too.
 */
function predicate(cursor: Cursor, operand: Expr, keyword: string, not: boolean): Expr | undefined {
  if (keyword !== 'IN' && keyword !== 'GLOBAL') return undefined;
  const at = cursor.token.start;
  const isGlobal = keyword === 'GLOBAL';
  const isNot = isGlobal ? cursor.accept('NOT') : not;
  if (isGlobal) cursor.expect('IN');
  const word = ` ${isGlobal ? 'GLOBAL ' : ''}${isNot ? 'NOT ' : ''}IN `;
  const inForm = (right: Expr): Form => ({
    kind: 'form',
    at,
    level: Level.equality,
    parts: [{ expr: operand, minimum: Level.equality + 1 }, word, { expr: right, minimum: Level.primary }],
  });
  if (!cursor.isOperator('(')) {
    const value = valueOfName(cursor) ?? cursor.expression(Level.postfix);
    if (!isWritten(value)) throw asTable(cursor, at);
    return inForm(value);
  }
  const content = parseContent(cursor);
  if (content.kind === 'list') {
    const { items } = content;
    if (items.length === 1 && mayBeTable(items[0]!)) throw asTable(cursor, at);
    if (!isGlobal) return { kind: 'in', at, not: isNot, operand, set: content };
    if (items.length === 1) throw cursor.fail('syntax', 'GLOBAL IN has one value', 'Write = instead.', at);
    return inForm({ kind: 'row', at, items });
  }
  if (isGlobal) return inForm({ kind: 'scalar', at, select: content });
  return { kind: 'in', at, not: isNot, operand, set: { kind: 'subquery', at, select: content, alias: undefined } };
}

/** A name, but for that of a value which is bound in its place. */
const mayBeTable = (expr: Expr) => expr.kind === 'name' && !expr.name.startsWith(BOUND_MARK);

/** Whether it can mean nothing but a value. */
const isWritten = (expr: Expr) =>
  ['string', 'number', 'constant', 'scalar', 'row', 'call'].includes(expr.kind) ||
  (expr.kind === 'form' && typeof expr.parts[0] === 'string');

const asTable = (cursor: Cursor, at: number) =>
  cursor.fail('syntax', 'IN takes a list or a subquery', 'Write IN (SELECT …), = column, or has(array, value).', at);

/** `::type`, `[index]`, `.1` of a tuple, and `.field` of what is no plain name. */
function postfix(cursor: Cursor, operand: Expr): Expr | undefined {
  const { kind, value } = cursor.token;
  if (kind !== 'operator') return undefined;
  const { at } = operand;
  if (cursor.acceptOperator('::')) return form(at, 'CAST(', operand, ` AS ${parseType(cursor)})`);
  const part = (text: string) => postfixed(operand, Level.postfix, text);
  if (/^\.\d/.test(value)) {
    if (operand.kind === 'number' || operand.kind === 'string') throw cursor.unexpected();
    cursor.advance();
    return part(value);
  }
  const subscript = parseIndex(cursor, operand);
  if (subscript !== undefined) return subscript;
  if (!cursor.isOperator('.') || operand.kind === 'number' || cursor.peekOperator('*')) return undefined;
  // In parentheses it would print as another name, such as that of a table.
  if (operand.kind === 'name') throw cursor.unexpected();
  cursor.advance();
  const name = cursor.anyName('the name of a part');
  if (cursor.isOperator('(')) throw cursor.unexpected();
  return part(`.${printName(name)}`);
}

/** `x -> body` and `(x, y) -> body`. */
function argument(cursor: Cursor): Expr | undefined {
  const [parenthesis, before] = [cursor.peek(-1), cursor.peek(-2)];
  const params = parseParameters(cursor);
  if (params === undefined) return undefined;
  const isCalled = before?.keyword === '' && cursor.isName(before);
  // Anywhere else it would be a value that a name can be given to, such as that of a function.
  if (parenthesis?.value === '(' && !isCalled) throw cursor.unexpected();
  const at = cursor.token.start;
  cursor.expectOperator('->');
  return { kind: 'lambda', at, params, isArrow: true, body: withParameters(cursor, params, () => cursor.expression()) };
}

// ── clauses ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** PREWHERE decides in which order columns are read, and only before FINAL which rows are. */
function condition(cursor: Cursor, from: From | undefined): Expr | undefined {
  if (from !== undefined) refuseNamesakes(cursor, from);
  const at = cursor.token.start;
  const before = cursor.accept('PREWHERE') ? cursor.expression() : undefined;
  const isFinal = [from?.first, ...(from?.joins ?? []).map(({ source }) => source)].some(
    (source) => source?.kind === 'table' && source.sample?.includes('FINAL'),
  );
  if (before !== undefined && isFinal) {
    throw cursor.fail('syntax', 'PREWHERE and FINAL do not go together here', 'Write WHERE.', at);
  }
  const where = cursor.accept('WHERE') ? cursor.expression() : undefined;
  if (before === undefined || where === undefined) return before ?? where;
  return { kind: 'chain', at, level: Level.and, operands: [before, where], operators: ['AND'] };
}

/** `LIMIT n BY columns LIMIT m` and `LIMIT n WITH TIES`, with OFFSET or `LIMIT m, n`; all others are plain. */
function limit(cursor: Cursor, isLast = false): Expr | undefined {
  const at = cursor.token.start;
  const first = cursor.expression();
  const parts: (string | Expr)[] = [first];
  if (cursor.acceptOperator(',')) parts.push(', ', cursor.expression());
  else if (cursor.accept('OFFSET')) parts.push(' OFFSET ', cursor.expression());
  if (!isLast && cursor.accept('BY')) {
    parts.push(
      ' BY ',
      listForm(
        at,
        '',
        cursor.list(() => cursor.expression()),
        '',
      ),
    );
    if (cursor.accept('LIMIT')) parts.push(' LIMIT ', limit(cursor, true)!);
  } else if (cursor.acceptWords('WITH', 'TIES')) parts.push(' WITH TIES');
  return parts.length === 1 ? first : form(at, ...parts);
}

/** `ALL`, `ROLLUP (…)`, `CUBE (…)`, `GROUPING SETS (…)`, `()`, and what may follow the last of them. */
function grouping(cursor: Cursor): Expr {
  const key = parseKey(cursor);
  const words: string[] = [];
  for (const word of ['ROLLUP', 'CUBE', 'TOTALS']) if (cursor.acceptWords('WITH', word)) words.push(` WITH ${word}`);
  return words.length === 0 ? key : form(key.at, key, words.join(''));
}

const DIRECTIONS: Readonly<Record<string, string>> = { ASC: 'ASC', ASCENDING: 'ASC', DESC: 'DESC', DESCENDING: 'DESC' };

/** `ALL`, and a term `WITH FILL FROM … TO … STEP …`; all others are plain. */
function ordering(cursor: Cursor): Expr {
  const all = parseAll(cursor);
  if (all !== undefined) return all;
  const expr = cursor.expression();
  const direction = DIRECTIONS[cursor.token.keyword];
  const ahead = direction === undefined ? 0 : 1;
  const nulls = cursor.peek(ahead).keyword === 'NULLS' ? cursor.peek(ahead + 1).keyword : undefined;
  const place = nulls === undefined ? ahead : ahead + 2;
  if (cursor.peek(place).keyword !== 'WITH' || cursor.peek(place + 1).keyword !== 'FILL') return expr;
  for (let count = 0; count < place + 2; count += 1) cursor.advance();
  const before = `${direction === undefined ? '' : ` ${direction}`}${nulls === undefined ? '' : ` NULLS ${nulls}`}`;
  const parts: (string | Expr)[] = [expr, `${before} WITH FILL`];
  for (const word of ['FROM', 'TO', 'STEP']) if (cursor.accept(word)) parts.push(` ${word} `, cursor.expression());
  if (cursor.is('INTERPOLATE')) throw cursor.fail('syntax', 'INTERPOLATE is not read here', 'Leave it out.');
  return form(expr.at, ...parts);
}
