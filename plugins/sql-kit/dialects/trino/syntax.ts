import { Level } from '../../ast/precedence.ts';
import type { Core, Expr, Select } from '../../ast/tree.ts';
import { baseSyntax } from '../../parse/base-syntax.ts';
import type { Cursor, Syntax } from '../../parse/cursor.ts';
import type { Token } from '../../parse/lexer.ts';
import {
  comparisons,
  parseGroupingSets,
  parseIndex,
  parseIs,
  parseLambda,
  parseRowCount,
  postfixed,
} from '../../parse/shared-syntax.ts';
import { standardRendering } from '../rendering.ts';
import { changed, source } from './from.ts';
import { trinoToken } from './lexer.ts';
import { listaggTail, parseTrinoPrimary } from './primary.ts';

const { quoteName } = standardRendering;

const infix: ReadonlyMap<string, number> = new Map([
  ['OR', Level.or],
  ['AND', Level.and],
  ...comparisons(),
  ['||', Level.bits],
  ['+', Level.sum],
  ['-', Level.sum],
  ['*', Level.product],
  ['/', Level.product],
  ['%', Level.product],
]);

export const trinoSyntax: Syntax = {
  ...baseSyntax,
  token: trinoToken,
  infix,
  predicates: new Set(['BETWEEN', 'IN', 'IS', 'LIKE']),
  // Comparisons and predicates are of one level: two of them need parentheses.
  predicateLevel: Level.equality,
  betweenLevels: [Level.bits, Level.bits],
  spelling: new Map([['!=', '<>']]),
  // AT TIME ZONE binds more strongly than a sign.
  prefixes: new Map([
    ['-', Level.zone],
    ['+', Level.zone],
  ]),
  openers: new Set(['SELECT', 'VALUES', 'WITH', 'TABLE']),
  isStandard: true,
  textIsName: false,
  longestNamingText: 0,
  hint,
  primary: parseTrinoPrimary,
  postfix,
  predicate,
  argument: (cursor) => parseLambda(cursor, true),
  tail: listaggTail,
  namedValue: refuseInlineFunction,
  core: plainValues,
  source,
  changed,
  grouping: (cursor) => parseGroupingSets(cursor, key),
  rows,
};

const HINTS: Readonly<Record<string, string>> = {
  ILIKE: 'Write lower(a) LIKE lower(b).',
  QUALIFY: 'Filter the window function in an outer query.',
  TOP: 'Write LIMIT at the end of the statement.',
  MATCH_RECOGNIZE: 'Use window functions: row patterns are not read here.',
  SIMILAR: 'Write regexp_like(text, pattern).',
};

function hint(_: Token | undefined, found: Token): string | undefined {
  return HINTS[found.value.toUpperCase()];
}

// ── expressions ─────────────────────────────────────────────────────────────────────────────────────────────────

/** IN, which takes parentheses, and IS, which has no IS TRUE; all other predicates are plain. */
function predicate(cursor: Cursor, operand: Expr, keyword: string): Expr | undefined {
  if (keyword === 'IS') return parseIs(cursor, operand, 'coalesce');
  if (keyword === 'IN' && !cursor.isOperator('(')) throw cursor.unexpected('"("');
  return undefined;
}

/** `[index]`, and `.field` of what is no plain name. */
function postfix(cursor: Cursor, operand: Expr): Expr | undefined {
  const subscript = parseIndex(cursor, operand);
  if (subscript !== undefined) return subscript;
  if (!cursor.isOperator('.') || operand.kind === 'number' || operand.kind === 'string') return undefined;
  if (cursor.peekOperator('*')) {
    throw cursor.fail('syntax', 'The fields of a row cannot be listed by a star', 'Name each field: (row).field.');
  }
  cursor.advance();
  const field = `.${quoteName(cursor.anyName('the name of a field'))}`;
  if (cursor.isOperator('(')) throw cursor.unexpected();
  // In parentheses always where it is a name: without them it would be that of a table.
  return postfixed(operand, operand.kind === 'name' ? Level.primary + 1 : Level.postfix, field);
}

// ── clauses ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** `WITH FUNCTION …` and `WITH SESSION …` stand before the query. */
function refuseInlineFunction(cursor: Cursor): boolean {
  const { keyword } = cursor.token;
  const next = cursor.peek();
  if ((keyword === 'FUNCTION' || keyword === 'SESSION') && (next.kind === 'word' || next.kind === 'name')) {
    const isTable = next.keyword === 'AS' && cursor.peekOperator('(', 2);
    const what = keyword === 'FUNCTION' ? 'Functions cannot be defined here' : 'Session properties cannot be set here';
    if (!isTable) throw cursor.fail('syntax', what, 'Leave them out.');
  }
  return false;
}

/** `VALUES 1, 2`: rows of one column without parentheses. */
function plainValues(cursor: Cursor): Core | undefined {
  const at = cursor.token.start;
  const isPlain = cursor.is('VALUES') && !cursor.peekOperator('(') && cursor.peek().keyword !== 'ROW';
  if (!isPlain) return undefined;
  cursor.advance();
  return { kind: 'values', at, rows: cursor.list(() => [cursor.expression()]) };
}

/** What may stand in GROUPING SETS. */
const key = (cursor: Cursor): Expr => parseGroupingSets(cursor, key) ?? cursor.expression();

/** Digits may be grouped. */
const count = (cursor: Cursor) => parseRowCount(cursor, /^[\d_]+$/);

/**
 * `OFFSET m ROWS`, then `LIMIT n` or `FETCH FIRST n ROWS ONLY | WITH TIES`; the numbers are written out. OFFSET is read
 * behind LIMIT too, as other engines have it, and printed before it.
 */
function rows(cursor: Cursor): Pick<Select, 'limit' | 'offset' | 'withTies'> {
  const offset = skipped(cursor);
  if (cursor.accept('LIMIT')) {
    const limit = cursor.accept('ALL') ? undefined : count(cursor);
    return { limit, offset: offset ?? skipped(cursor) };
  }
  if (!cursor.accept('FETCH')) return { limit: undefined, offset };
  if (!cursor.accept('FIRST')) cursor.expect('NEXT');
  const { start: at, kind } = cursor.token;
  const limit: Expr = kind === 'number' ? count(cursor) : { kind: 'number', at, value: '1' };
  if (!cursor.accept('ROWS')) cursor.expect('ROW');
  if (cursor.acceptWords('WITH', 'TIES')) return { limit, offset, withTies: true };
  cursor.expect('ONLY');
  return { limit, offset };
}

function skipped(cursor: Cursor): Expr | undefined {
  if (!cursor.accept('OFFSET')) return undefined;
  const offset = count(cursor);
  if (!cursor.accept('ROWS')) cursor.accept('ROW');
  return offset;
}

export function printLimit(limit: string | undefined, offset: string | undefined, withTies: boolean): string {
  const start = offset === undefined ? '' : ` OFFSET ${offset}`;
  if (limit === undefined) return start;
  return withTies ? `${start} FETCH FIRST ${limit} ROWS WITH TIES` : `${start} LIMIT ${limit}`;
}
