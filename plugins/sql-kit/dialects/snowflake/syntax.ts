/** Describes how Snowflake writes SQL, for lexer and parser. */
import { form, listForm } from '../../ast/forms.ts';
import { Level } from '../../ast/precedence.ts';
import type { Core, Expr, Form, Join, ResultColumn, Select, Star } from '../../ast/tree.ts';
import { baseSyntax } from '../../parse/base-syntax.ts';
import { parseNameList } from '../../parse/clauses.ts';
import type { Cursor, Syntax } from '../../parse/cursor.ts';
import type { Token } from '../../parse/lexer.ts';
import { parseContent } from '../../parse/primary.ts';
import { changed, source } from './from.ts';
import { PATH, snowflakeToken } from './lexer.ts';
import { printName, quoteName } from './names.ts';
import { nullsTail, parseSnowflakePrimary } from './primary.ts';
import { parseType } from './types.ts';

const infix: ReadonlyMap<string, number> = new Map([
  ['OR', Level.or],
  ['AND', Level.and],
  ...['=', '<>', '!=', '<', '<=', '>', '>='].map((sign): [string, number] => [sign, Level.equality]),
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
  tail: nullsTail,
  core: refuseForeign,
  star,
  join: refuseAsof,
  source,
  changed,
  grouping,
  ordering: everything,
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
  if (keyword === 'IS') return isPredicate(cursor, operand);
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

/** `IS NOT NULL`, `IS NOT DISTINCT FROM`, and IS TRUE and the like in other words. */
function isPredicate(cursor: Cursor, operand: Expr): Expr {
  const { at } = operand;
  const not = cursor.accept('NOT');
  const chain = (operator: string, right: Expr): Expr => ({
    kind: 'chain',
    at,
    level: Level.equality,
    operands: [operand, right],
    operators: [operator],
  });
  const truth = ['TRUE', 'FALSE'].find((word) => cursor.accept(word));
  if (truth !== undefined) {
    // What is NULL is neither.
    const known = form(at, 'COALESCE(', operand, truth === 'TRUE' ? ', FALSE)' : ', TRUE)');
    return (truth === 'TRUE') === not ? { kind: 'prefix', at, operator: 'NOT', operand: known } : known;
  }
  if (cursor.acceptWords('DISTINCT', 'FROM')) {
    return chain(not ? 'IS NOT DISTINCT FROM' : 'IS DISTINCT FROM', cursor.expression(Level.equality + 1));
  }
  if (!cursor.accept('UNKNOWN')) cursor.expect('NULL');
  return chain(not ? 'IS NOT' : 'IS', { kind: 'constant', at, value: 'NULL' });
}

/** `::type`, `:path.part[0]`, `[index]`, and `.part` of what is no plain name. */
function postfix(cursor: Cursor, operand: Expr): Expr | undefined {
  const { at, kind } = operand;
  if (cursor.acceptOperator('::')) return form(at, 'CAST(', operand, ` AS ${parseType(cursor)})`);
  if (kind === 'string' || kind === 'number') return undefined;
  const part = (...parts: Form['parts']): Form => ({
    kind: 'form',
    at,
    level: Level.postfix,
    parts: [{ expr: operand, minimum: Level.postfix }, ...parts],
  });
  if (cursor.acceptOperator(PATH)) return part(`:${element(cursor)}`);
  if (cursor.acceptOperator('[')) {
    const index = { expr: cursor.expression(), minimum: Level.arrow };
    cursor.expectOperator(']');
    return part('[', index, ']');
  }
  // Behind a name it would be that of a column, of a sequence or of a function.
  if (!cursor.isOperator('.') || kind !== 'form' || operand.level !== Level.postfix) return undefined;
  cursor.advance();
  return part(`.${element(cursor)}`);
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
  const params = lambdaParameters(cursor);
  if (params === undefined) return undefined;
  cursor.expectOperator('->');
  return { kind: 'lambda', at, params, isArrow: true, body: cursor.expression() };
}

/** The names before an arrow; `undefined`, with nothing consumed, where there is none. */
function lambdaParameters(cursor: Cursor): string[] | undefined {
  if (cursor.isName() && cursor.peekOperator('->')) return [cursor.advance().value];
  if (!cursor.isOperator('(')) return undefined;
  let ahead = 1;
  while (cursor.isName(cursor.peek(ahead)) && cursor.peekOperator(',', ahead + 1)) ahead += 2;
  const isLast = cursor.isName(cursor.peek(ahead)) && cursor.peekOperator(')', ahead + 1);
  return isLast && cursor.peekOperator('->', ahead + 2) ? parseNameList(cursor) : undefined;
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
    const { kind, value, start } = cursor.token;
    if (kind !== 'string') throw cursor.unexpected('a text');
    cursor.advance();
    const expr = form(at, `${printName(table)}.*`, ' ILIKE ', { kind: 'string', at: start, value });
    return { kind: 'column', expr, alias: undefined, text: undefined };
  }
  const name = () => ({ name: cursor.name('a column') });
  const nameAfterAs = () => {
    cursor.expect('AS');
    return cursor.name('a name after AS');
  };
  const exclude = cursor.accept('EXCLUDE') ? some(cursor, name) : undefined;
  const replace = cursor.accept('REPLACE')
    ? some(cursor, () => ({ expr: cursor.expression(), name: nameAfterAs() }))
    : undefined;
  const rename = cursor.accept('RENAME') ? some(cursor, () => ({ from: name(), to: nameAfterAs() })) : undefined;
  return { ...plain, ...(exclude && { exclude }), ...(replace && { replace }), ...(rename && { rename }) };
}

/** `item` or `(item, item, …)`. */
function some<T>(cursor: Cursor, item: () => T): T[] {
  if (!cursor.acceptOperator('(')) return [item()];
  const items = cursor.list(item);
  cursor.expectOperator(')');
  return items;
}

/** `ALL`, `ROLLUP (…)`, `CUBE (…)`, `GROUPING SETS (…)` and `()`. */
function grouping(cursor: Cursor): Expr | undefined {
  const at = cursor.token.start;
  const word = ['ROLLUP', 'CUBE'].find((choice) => cursor.is(choice) && cursor.peekOperator('('));
  if (word !== undefined) {
    cursor.advance();
    return sets(cursor, at, word);
  }
  if (cursor.acceptWords('GROUPING', 'SETS')) return sets(cursor, at, 'GROUPING SETS');
  if (cursor.isOperator('(') && cursor.peekOperator(')')) {
    cursor.advance();
    cursor.advance();
    return form(at, '()');
  }
  return everything(cursor);
}

function sets(cursor: Cursor, at: number, word: string): Form {
  cursor.expectOperator('(');
  const items = cursor.nested(() => cursor.list(() => grouping(cursor) ?? cursor.expression()));
  cursor.expectOperator(')');
  return listForm(at, `${word} (`, items, ')');
}

/** `ALL`: every column that is not aggregated, or every column of the result. */
function everything(cursor: Cursor): Expr | undefined {
  const at = cursor.token.start;
  return cursor.accept('ALL') ? { kind: 'constant', at, value: 'ALL' } : undefined;
}

/** `LIMIT n OFFSET m`, or `OFFSET m ROWS FETCH FIRST n ROWS ONLY`; the numbers are written out. */
function rows(cursor: Cursor): Pick<Select, 'limit' | 'offset'> {
  if (cursor.accept('LIMIT')) {
    const limit = cursor.accept('NULL') ? undefined : count(cursor);
    return { limit, offset: skipped(cursor) };
  }
  const offset = skipped(cursor);
  if (cursor.accept('LIMIT')) return { limit: count(cursor), offset };
  if (!cursor.accept('FETCH')) return { limit: undefined, offset };
  if (!cursor.accept('FIRST')) cursor.accept('NEXT');
  const limit = count(cursor);
  acceptRows(cursor);
  cursor.accept('ONLY');
  return { limit, offset };
}

function skipped(cursor: Cursor): Expr | undefined {
  if (!cursor.accept('OFFSET')) return undefined;
  const offset = count(cursor);
  acceptRows(cursor);
  return offset;
}

function acceptRows(cursor: Cursor): void {
  if (!cursor.accept('ROWS')) cursor.accept('ROW');
}

function count(cursor: Cursor): Expr {
  const { kind, value, start: at } = cursor.token;
  if (kind !== 'number' || !/^\d+$/.test(value)) throw cursor.unexpected('a number of rows');
  cursor.advance();
  return { kind: 'number', at, value };
}

/** OFFSET alone is not read: without a limit there is that of no number. */
export function printLimit(limit: string | undefined, offset: string | undefined): string {
  if (limit === undefined && offset === undefined) return '';
  return ` LIMIT ${limit ?? 'NULL'}${offset === undefined ? '' : ` OFFSET ${offset}`}`;
}
