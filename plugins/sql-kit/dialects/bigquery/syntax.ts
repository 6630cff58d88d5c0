/** Describes how BigQuery writes SQL, for lexer and parser. */
import { listForm } from '../../ast/forms.ts';
import { Level } from '../../ast/precedence.ts';
import type { Core, Expr, Form, ResultColumn, Select, Star } from '../../ast/tree.ts';
import { baseSyntax } from '../../parse/base-syntax.ts';
import type { Cursor, Syntax } from '../../parse/cursor.ts';
import type { Token } from '../../parse/lexer.ts';
import {
  comparisons,
  parseGrouping,
  parseIndex,
  parseInParentheses,
  parseIs,
  parseRowCount,
  postfixed,
} from '../../parse/shared-syntax.ts';
import { changed, condition, source } from './from.ts';
import { bigqueryToken } from './lexer.ts';
import { printName } from './names.ts';
import { argument, parseBigqueryPrimary, tail } from './primary.ts';

/** `|`, `^` and `&` are of three levels, each of which needs a rung. */
const infix: ReadonlyMap<string, number> = new Map([
  ['OR', Level.or],
  ['AND', Level.and],
  ...comparisons(),
  ['|', Level.predicate],
  ['^', Level.bits],
  ['&', Level.bitAnd],
  ['<<', Level.shift],
  ['>>', Level.shift],
  ['+', Level.sum],
  ['-', Level.sum],
  ['*', Level.product],
  ['/', Level.product],
  ['||', Level.product],
]);

export const bigquerySyntax: Syntax = {
  ...baseSyntax,
  token: bigqueryToken,
  infix,
  predicates: new Set(['BETWEEN', 'IN', 'IS', 'LIKE']),
  // Comparisons and predicates are of one level: two of them need parentheses.
  predicateLevel: Level.equality,
  betweenLevels: [Level.predicate, Level.predicate],
  spelling: new Map([['!=', '<>']]),
  openers: new Set(['SELECT', 'WITH']),
  isStandard: true,
  // For QUALIFY and a comma behind the last column; `core` refuses the rest.
  isFriendly: true,
  textIsName: false,
  longestNamingText: 0,
  hint,
  primary: parseBigqueryPrimary,
  postfix,
  predicate,
  argument,
  tail,
  core: refuseOthers,
  source,
  changed,
  condition,
  star,
  grouping: parseGrouping,
  rows,
};

const HINTS: Readonly<Record<string, string>> = {
  FETCH: 'Write LIMIT at the end of the statement.',
  FILTER: 'Write COUNTIF(condition) or SUM(IF(condition, value, NULL)).',
  GRAPH_TABLE: 'Join the tables of the graph.',
  ILIKE: 'Write LOWER(a) LIKE LOWER(b).',
  LATERAL: 'Write UNNEST(array), or a subquery among the columns.',
  MATCH_RECOGNIZE: 'Use window functions: row patterns are not read here.',
  PIVOT: 'Write SUM(IF(column = value, amount, NULL)) for each value.',
  SIMILAR: 'Write REGEXP_CONTAINS(text, pattern).',
  TOP: 'Write LIMIT at the end of the statement.',
  UNPIVOT: 'Write UNNEST([STRUCT(a AS value), STRUCT(b AS value)]).',
  VALUES: 'Write UNNEST([STRUCT(1 AS a), STRUCT(2 AS a)]).',
  WINDOW: 'Beside QUALIFY, write each window in OVER (…).',
};

function hint(_: Token | undefined, found: Token): string | undefined {
  return HINTS[found.value.toUpperCase()];
}

// ── expressions ─────────────────────────────────────────────────────────────────────────────────────────────────

/** IN with UNNEST or parentheses, IS, and LIKE with ANY, SOME or ALL; all other predicates are plain. */
function predicate(cursor: Cursor, operand: Expr, keyword: string, not: boolean): Expr | undefined {
  if (keyword === 'IS') return parseIs(cursor, operand);
  const start = { expr: operand, minimum: Level.equality + 1 };
  const whole = (...parts: Form['parts']): Form => ({
    kind: 'form',
    at: operand.at,
    level: Level.equality,
    parts: [start, ...parts],
  });
  const negation = not ? ' NOT' : '';
  if (keyword === 'IN') {
    if (cursor.accept('UNNEST')) return whole(`${negation} IN UNNEST`, ...inParentheses(cursor));
    if (!cursor.isOperator('(')) throw cursor.unexpected('"(" or UNNEST');
  }
  if (keyword !== 'LIKE') return undefined;
  const quantifier = ['ANY', 'SOME', 'ALL'].find((word) => cursor.accept(word));
  if (quantifier === undefined) return undefined;
  if (cursor.accept('UNNEST')) return whole(`${negation} LIKE ${quantifier} UNNEST`, ...inParentheses(cursor));
  return whole(`${negation} LIKE ${quantifier} `, ...inParentheses(cursor));
}

const inParentheses = (cursor: Cursor): Form['parts'] =>
  listForm(
    0,
    '(',
    parseInParentheses(cursor, () => cursor.expression()),
    ')',
  ).parts;

/** `[index]`, and `.field` of what is no plain name. */
function postfix(cursor: Cursor, operand: Expr): Expr | undefined {
  const subscript = parseIndex(cursor, operand);
  if (subscript !== undefined) return subscript;
  if (!cursor.isOperator('.') || operand.kind === 'number' || operand.kind === 'string') return undefined;
  if (cursor.peekOperator('*')) {
    throw cursor.fail('syntax', 'The fields of a struct cannot be listed by a star', 'Name each field: column.field.');
  }
  cursor.advance();
  const field = `.${printName(cursor.anyName('the name of a field'))}`;
  if (cursor.isOperator('(')) throw cursor.unexpected();
  // In parentheses always where it is a name: without them it would be that of a table.
  return postfixed(operand, operand.kind === 'name' ? Level.primary + 1 : Level.postfix, field);
}

// ── clauses ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** Refuses a SELECT that begins in the ways of other engines. */
function refuseOthers(cursor: Cursor): Core | undefined {
  if (cursor.is('FROM')) throw cursor.unexpected('SELECT');
  if (cursor.isWords('SELECT', 'DISTINCT', 'ON')) {
    const what = 'DISTINCT ON is not what BigQuery has';
    throw cursor.fail('syntax', what, 'Write QUALIFY ROW_NUMBER() OVER (PARTITION BY … ORDER BY …) = 1.');
  }
  return undefined;
}

/** `EXCEPT (…) REPLACE (…)`. */
function star(cursor: Cursor, plain: Star): ResultColumn {
  if (plain.table?.includes('.')) {
    throw cursor.fail(
      'syntax',
      `"${plain.table.slice(0, 60)}" is no name of a source`,
      'Give the table an alias.',
      plain.at,
    );
  }
  let whole = plain;
  if (cursor.is('EXCEPT') && cursor.peekOperator('(') && cursor.peek(2).keyword !== 'SELECT') {
    cursor.advance();
    whole = { ...whole, exclude: parseInParentheses(cursor, () => ({ name: cursor.name('a column') })) };
  }
  if (cursor.is('REPLACE') && cursor.peekOperator('(')) {
    cursor.advance();
    whole = { ...whole, replace: parseInParentheses(cursor, () => replaced(cursor)) };
  }
  return whole;
}

function replaced(cursor: Cursor) {
  const expr = cursor.expression();
  cursor.expect('AS');
  return { expr, name: cursor.name('a column') };
}

/** `LIMIT n OFFSET m`; the numbers are written out. */
function rows(cursor: Cursor): Pick<Select, 'limit' | 'offset'> {
  if (cursor.is('FETCH')) throw cursor.unexpected();
  const limit = cursor.accept('LIMIT') ? parseRowCount(cursor) : undefined;
  const offset = limit !== undefined && cursor.accept('OFFSET') ? parseRowCount(cursor) : undefined;
  return { limit, offset };
}
