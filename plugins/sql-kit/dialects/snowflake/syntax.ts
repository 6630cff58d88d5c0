/** Describes how Snowflake writes SQL, for lexer and parser. */
import { form, listForm } from '../../ast/forms.ts';
import { Level } from '../../ast/precedence.ts';
import type { Core, Expr, Join, ResultColumn, Select, Star } from '../../ast/tree.ts';
import { baseSyntax } from '../../parse/base-syntax.ts';
import type { Cursor, Syntax } from '../../parse/cursor.ts';
import type { Token } from '../../parse/lexer.ts';
import { parseContent } from '../../parse/primary.ts';
import {
  comparisons,
  parseAll,
  parseGrouping,
  parseIndex,
  parseIs,
  parseLambda,
  parseNameAfterAs,
  parseNulls,
  parseRowCount,
  parseSome,
  parseText,
  postfixed,
} from '../../parse/shared-syntax.ts';
import { changed, source } from './from.ts';
import { PATH, snowflakeToken } from './lexer.ts';
import { printName, quoteName } from './names.ts';
import { parseSnowflakePrimary } from './primary.ts';
import { parseType } from './types.ts';

const infix: ReadonlyMap<string, number> = new Map([
  ['OR', Level.or],
  ['AND', Level.and],
  ...comparisons(),
  // Which of them binds more strongly is not documented: they print as they were written.
  ...['||', '+', '-'].map((sign): [string, number] => [sign, Level.sum]),
  ...['*', '/', '%'].map((sign): [string, number] => [sign, Level.product]),
]);

export const snowflakeSyntax: Syntax = {
  ...baseSyntax,
  token: snowflakeToken,
  infix,
  predicates: new Set(['BETWEEN', 'ILIKE', 'IN', 'IS', 'LIKE', 'REGEXP', 'RLIKE']),
  // Comparisons and predicates are of one level: two of them need parentheses.
  predicateLevel: Level.equality,
  betweenLevels: [Level.bits, Level.bits],
  spelling: new Map([
    ['!=', '<>'],
    ['RLIKE', 'REGEXP'],
  ]),
  prefixes: new Map([
    ['-', Level.prefix],
    ['+', Level.prefix],
  ]),
  openers: new Set(['SELECT', 'VALUES', 'WITH']),
  isStandard: true,
  isFriendly: true,
  textIsName: false,
  longestNamingText: 0,
  hint,
  primary: parseSnowflakePrimary,
  postfix,
  predicate,
  argument,
  tail: parseNulls,
  core: refuseForeign,
  star,
  join: refuseAsof,
  source,
  changed,
  grouping: parseGrouping,
  ordering: parseAll,
  rows,
};

const HINTS: Readonly<Record<string, string>> = {
  START: 'Write WITH RECURSIVE: CONNECT BY is not read here.',
  CONNECT: 'Write WITH RECURSIVE: CONNECT BY is not read here.',
  FILTER: 'Write COUNT_IF(condition), or SUM(IFF(condition, column, NULL)).',
  TOP: 'Write LIMIT at the end of the statement.',
  SIMILAR: 'Write REGEXP_LIKE(text, pattern).',
  WINDOW: 'Write the window behind OVER.',
};

function hint(before: Token | undefined, found: Token): string | undefined {
  return HINTS[found.value] ?? HINTS[before?.value ?? ''];
}

// ── expressions ─────────────────────────────────────────────────────────────────────────────────────────────────

const tight = (expr: Expr) => ({ expr, minimum: Level.equality + 1 });

/** IN, which takes parentheses, IS, and LIKE ANY; all other predicates are plain. */
function predicate(cursor: Cursor, operand: Expr, keyword: string, not: boolean): Expr | undefined {
  if (keyword === 'IS') return parseIs(cursor, operand, 'COALESCE');
  if (keyword === 'IN' && !cursor.isOperator('(')) throw cursor.unexpected('"("');
  const quantifier = keyword.endsWith('LIKE') ? cursor.token.keyword : '';
  if (!['ANY', 'SOME', 'ALL'].includes(quantifier)) return undefined;
  cursor.advance();
  const content = parseContent(cursor);
  const { at } = operand;
  const patterns =
    content.kind === 'select'
      ? form(at, { kind: 'scalar', at, select: content })
      : listForm(at, '(', content.items, ')');
  const word = ` ${not ? 'NOT ' : ''}${keyword} ${quantifier === 'ALL' ? 'ALL' : 'ANY'} `;
  const escaped = cursor.accept('ESCAPE') ? [' ESCAPE ', tight(cursor.expression(Level.equality + 1))] : [];
  return { kind: 'form', at, level: Level.equality, parts: [tight(operand), word, tight(patterns), ...escaped] };
}

/** `::type`, `:path.part[0]`, `[index]`, and `.part` of what is no plain name. */
function postfix(cursor: Cursor, operand: Expr): Expr | undefined {
  const { at, kind } = operand;
  if (cursor.acceptOperator('::')) return form(at, 'CAST(', operand, ` AS ${parseType(cursor)})`);
  if (kind === 'string' || kind === 'number') return undefined;
  if (cursor.acceptOperator(PATH)) return postfixed(operand, Level.postfix, `:${element(cursor)}`);
  const subscript = parseIndex(cursor, operand);
  if (subscript !== undefined) return subscript;
  // Behind a name it would be that of a column, of a sequence or of a function.
  if (!cursor.isOperator('.') || kind !== 'form' || operand.level !== Level.postfix) return undefined;
  cursor.advance();
  return postfixed(operand, Level.postfix, `.${element(cursor)}`);
}

/** The name of a part, which is equal to the letter with and without quotes. */
function element(cursor: Cursor): string {
  const { kind, value, start, end } = cursor.token;
  if ((kind !== 'word' && kind !== 'name') || cursor.peekOperator('(') || /["'\\]/.test(value)) {
    throw cursor.unexpected('the name of a part');
  }
  cursor.advance();
  return quoteName(kind === 'name' ? value : cursor.text.slice(start, end));
}

const NAMED = new Set(['INPUT', 'PATH', 'OUTER', 'RECURSIVE', 'MODE']);

/** `INPUT => value` of FLATTEN, `x -> body` and `(x, y) -> body`. */
function argument(cursor: Cursor): Expr | undefined {
  const { start: at, value } = cursor.token;
  if (cursor.peekOperator('=>')) {
    if (!NAMED.has(value)) throw cursor.unexpected('an argument of FLATTEN, such as INPUT');
    cursor.advance();
    cursor.advance();
    return form(at, `${value} => `, cursor.expression());
  }
  return parseLambda(cursor);
}

// ── clauses ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** What the friendly SQL of other engines has: FROM first, and DISTINCT ON. */
function refuseForeign(cursor: Cursor): Core | undefined {
  if (cursor.is('FROM')) throw cursor.unexpected('SELECT');
  if (cursor.isWords('SELECT', 'DISTINCT', 'ON')) {
    const instead = 'Write QUALIFY ROW_NUMBER() OVER (PARTITION BY … ORDER BY …) = 1.';
    throw cursor.fail('syntax', 'There is no DISTINCT ON', instead);
  }
  return undefined;
}

function refuseAsof(cursor: Cursor): Pick<Join, 'kind' | 'natural'> | undefined {
  if (!cursor.is('ASOF')) return undefined;
  const instead = 'Join on <= and keep the nearest row by QUALIFY ROW_NUMBER() OVER (… ORDER BY … DESC) = 1.';
  throw cursor.fail('syntax', 'ASOF JOIN is not read here', instead);
}

/** `table.* ILIKE 'pattern'`, or `* EXCLUDE (…) REPLACE (…) RENAME (…)`; one column needs no parentheses. */
function star(cursor: Cursor, plain: Star): ResultColumn {
  const { at, table } = plain;
  if (cursor.is('ILIKE')) {
    if (table === undefined) {
      throw cursor.fail('syntax', 'ILIKE stands behind the columns of one table', "Write table.* ILIKE 'pattern'.");
    }
    cursor.advance();
    const expr = form(at, `${printName(table)}.*`, ' ILIKE ', parseText(cursor));
    return { kind: 'column', expr, alias: undefined, text: undefined };
  }
  const name = () => ({ name: cursor.name('a column') });
  const exclude = cursor.accept('EXCLUDE') ? parseSome(cursor, name) : undefined;
  const replace = cursor.accept('REPLACE')
    ? parseSome(cursor, () => ({ expr: cursor.expression(), name: parseNameAfterAs(cursor) }))
    : undefined;
  const rename = cursor.accept('RENAME')
    ? parseSome(cursor, () => ({ from: name(), to: parseNameAfterAs(cursor) }))
    : undefined;
  return { ...plain, ...(exclude && { exclude }), ...(replace && { replace }), ...(rename && { rename }) };
}

/** `LIMIT n OFFSET m`, or `OFFSET m ROWS FETCH FIRST n ROWS ONLY`; the numbers are written out. */
function rows(cursor: Cursor): Pick<Select, 'limit' | 'offset'> {
  if (cursor.accept('LIMIT')) {
    const limit = cursor.accept('NULL') ? undefined : parseRowCount(cursor);
    return { limit, offset: skipped(cursor) };
  }
  const offset = skipped(cursor);
  if (cursor.accept('LIMIT')) return { limit: parseRowCount(cursor), offset };
  if (!cursor.accept('FETCH')) return { limit: undefined, offset };
  if (!cursor.accept('FIRST')) cursor.accept('NEXT');
  const limit = parseRowCount(cursor);
  acceptRows(cursor);
  cursor.accept('ONLY');
  return { limit, offset };
}

function skipped(cursor: Cursor): Expr | undefined {
  if (!cursor.accept('OFFSET')) return undefined;
  const offset = parseRowCount(cursor);
  acceptRows(cursor);
  return offset;
}

function acceptRows(cursor: Cursor): void {
  if (!cursor.accept('ROWS')) cursor.accept('ROW');
}

/** OFFSET alone is not read: without a limit there is that of no number. */
export function printLimit(limit: string | undefined, offset: string | undefined): string {
  if (limit === undefined && offset === undefined) return '';
  return ` LIMIT ${limit ?? 'NULL'}${offset === undefined ? '' : ` OFFSET ${offset}`}`;
}
