/** Describes how DuckDB writes SQL, for lexer and parser. */
import { form } from '../../ast/forms.ts';
import { Level } from '../../ast/precedence.ts';
import type { Expr, Form, Join, ResultColumn, Source, Star } from '../../ast/tree.ts';
import { baseSyntax } from '../../parse/base-syntax.ts';
import type { Cursor, Syntax } from '../../parse/cursor.ts';
import { parseMethod } from '../../parse/primary.ts';
import {
  comparisons,
  parseAll,
  parseDigits,
  parseGrouping,
  parseLambda,
  parseNameAfterAs,
  parseNulls,
  parseSome,
  parseText,
} from '../../parse/shared-syntax.ts';
import { duckdbToken } from './lexer.ts';
import { parsePivotedSource, parsePivotStatement, selectOf } from './pivot.ts';
import { parseDuckdbPrimary, parseStarName } from './primary.ts';
import { parseType } from './types.ts';

/** Operators that bind like those without a precedence level in PostgreSQL. */
const OTHER_OPERATORS = [
  '||',
  '&',
  '|',
  '<<',
  '>>',
  '&&',
  '@>',
  '<@',
  '^@',
  '~',
  '!~',
  '~~',
  '!~~',
  '~~*',
  '!~~*',
].concat(['~~~', '<->', '<=>']);

const infix: ReadonlyMap<string, number> = new Map([
  ['->', Level.arrow],
  ['->>', Level.arrow],
  ['OR', Level.or],
  ['AND', Level.and],
  ['IS', Level.is],
  ...comparisons('=='),
  ...OTHER_OPERATORS.map((sign): [string, number] => [sign, Level.bits]),
  ['+', Level.sum],
  ['-', Level.sum],
  ['*', Level.product],
  ['/', Level.product],
  ['//', Level.product],
  ['%', Level.product],
  ['^', Level.power],
  ['**', Level.power],
]);

export const duckdbSyntax: Syntax = {
  ...baseSyntax,
  token: duckdbToken,
  infix,
  // All to the left of `->>` is its operand, but only little to the right.
  rightLevels: new Map([['->>', Level.bits + 1]]),
  predicates: new Set(['BETWEEN', 'IN', 'LIKE', 'ILIKE', 'GLOB', 'SIMILAR']),
  predicateLevel: Level.predicate,
  betweenLevels: [Level.bits, Level.bits],
  spelling: new Map([
    ['==', '='],
    ['!=', '<>'],
    ['SIMILAR', 'SIMILAR TO'],
  ]),
  prefixes: new Map([
    ['-', Level.prefix],
    ['+', Level.prefix],
    ['~', Level.bits + 1],
    ['@', Level.bits + 1],
  ]),
  openers: new Set(['SELECT', 'VALUES', 'WITH', 'FROM', 'TABLE', 'PIVOT', 'UNPIVOT']),
  isStandard: true,
  isFriendly: true,
  textIsName: false,
  longestNamingText: 0,
  primary: parseDuckdbPrimary,
  postfix,
  argument,
  tail: parseNulls,
  join,
  star,
  sample,
  changed,
  limit,
  core: parsePivotStatement,
  grouping: parseGrouping,
  ordering: parseAll,
};

/** `::type`, `[index]`, `[from:to:step]`, and `.field` of what is no plain name. */
function postfix(cursor: Cursor, operand: Expr): Expr | undefined {
  if (cursor.acceptOperator('::')) return form(operand.at, 'CAST(', operand, ` AS ${parseType(cursor)})`);
  // In parentheses always after a dot: a bare name would be that of a table there.
  const whole = { expr: operand, minimum: cursor.isOperator('.') ? Level.primary + 1 : Level.primary };
  if (cursor.acceptOperator('[')) {
    return { kind: 'form', at: operand.at, level: Level.postfix, parts: [whole, ...parseSubscript(cursor)] };
  }
  if (!cursor.acceptOperator('.')) return undefined;
  const name = cursor.anyName('the name of a part');
  if (cursor.isOperator('(')) return parseMethod(cursor, operand, name);
  return { kind: 'form', at: operand.at, level: Level.postfix, parts: [whole, `."${name.replaceAll('"', '""')}"`] };
}

function parseSubscript(cursor: Cursor): Form['parts'] {
  const parts: (string | Expr)[] = ['['];
  const bound = () => {
    if (!cursor.isOperator(':') && !cursor.isOperator(']')) parts.push(cursor.expression());
  };
  bound();
  for (let colons = 0; colons < 2 && cursor.acceptOperator(':'); colons += 1) {
    parts.push(':');
    bound();
  }
  cursor.expectOperator(']');
  return form(0, ...parts, ']').parts;
}

/** `name := value`, `x -> body` and `(x, y) -> body`. */
function argument(cursor: Cursor): Expr | undefined {
  const { start: at, value } = cursor.token;
  if (cursor.isName() && (cursor.peekOperator(':=') || cursor.peekOperator('=>'))) {
    cursor.advance();
    cursor.advance();
    return form(at, `"${value.replaceAll('"', '""')}" := `, cursor.expression());
  }
  // `value -> 'key'` reads JSON.
  if (cursor.peekOperator('->') && ['string', 'number'].includes(cursor.peek(2).kind)) return undefined;
  return parseLambda(cursor);
}

const ASOF_KINDS = [
  ['LEFT', 'LEFT JOIN'],
  ['RIGHT', 'RIGHT JOIN'],
  ['FULL', 'FULL JOIN'],
  ['INNER', 'JOIN'],
] as const;

function join(cursor: Cursor): Pick<Join, 'kind' | 'natural' | 'asof'> | undefined {
  for (const word of ['SEMI', 'ANTI', 'POSITIONAL'] as const) {
    if (cursor.acceptWords(word, 'JOIN')) return { kind: `${word} JOIN`, natural: false };
  }
  if (!cursor.accept('ASOF')) return undefined;
  const [, kind] = ASOF_KINDS.find(([word]) => cursor.accept(word)) ?? ['', 'JOIN' as const];
  cursor.accept('OUTER');
  cursor.expect('JOIN');
  return { kind, natural: false, asof: true };
}

/** `EXCLUDE (…) REPLACE (…) RENAME (…)`; one column needs no parentheses. */
function star(cursor: Cursor, plain: Star): ResultColumn {
  const chosen = plain.table === undefined ? parseChosen(cursor, plain.at) : undefined;
  if (chosen !== undefined) return chosen;
  let changed = plain;
  if (cursor.accept('EXCLUDE')) changed = { ...changed, exclude: parseSome(cursor, () => parseStarName(cursor)) };
  if (cursor.accept('REPLACE')) {
    changed = {
      ...changed,
      replace: parseSome(cursor, () => ({ expr: cursor.expression(), name: parseNameAfterAs(cursor) })),
    };
  }
  if (cursor.accept('RENAME')) {
    changed = {
      ...changed,
      rename: parseSome(cursor, () => ({ from: parseStarName(cursor), to: parseNameAfterAs(cursor) })),
    };
  }
  return changed;
}

const PATTERNS = ['LIKE', 'ILIKE', 'GLOB', 'SIMILAR'] as const;

/** `* LIKE 'pattern'`: the columns whose names are so. */
function parseChosen(cursor: Cursor, at: number): ResultColumn | undefined {
  const not = cursor.is('NOT');
  const { keyword } = not ? cursor.peek() : cursor.token;
  const word = PATTERNS.find((pattern) => pattern === keyword);
  if (word === undefined) return undefined;
  if (not) cursor.advance();
  cursor.advance();
  if (word === 'SIMILAR') cursor.expect('TO');
  const pattern = parseText(cursor);
  const name: Expr = { kind: 'name', at, schema: undefined, table: undefined, name: 'c' };
  const operator = word === 'SIMILAR' ? 'SIMILAR TO' : word;
  const body: Expr = { kind: 'like', at, operator, not, operand: name, pattern, escape: undefined };
  const like: Expr = { kind: 'lambda', at, params: ['c'], isArrow: false, body };
  // Unlike NOT SIMILAR TO, for which the whole name counts, the engine looks for the pattern anywhere in it.
  const chosen = word === 'SIMILAR' && !not ? pattern : like;
  return { kind: 'column', expr: form(at, 'COLUMNS(', chosen, ')'), alias: undefined, text: undefined };
}

const SAMPLE_METHODS = new Set(['RESERVOIR', 'BERNOULLI', 'SYSTEM']);

/** `USING SAMPLE …`. */
function sample(cursor: Cursor): string | undefined {
  return cursor.acceptWords('USING', 'SAMPLE') ? parseSample(cursor) : undefined;
}

/** A source with TABLESAMPLE, PIVOT or UNPIVOT after it: what it stands for. */
function changed(cursor: Cursor, source: Source): Source {
  let whole = source;
  for (;;) {
    const pivoted = parsePivotedSource(cursor, whole);
    if (pivoted !== undefined) whole = pivoted;
    else if (cursor.accept('TABLESAMPLE')) whole = sampled(whole, parseSample(cursor));
    else return whole;
    cursor.stack();
  }
}

function sampled(source: Source, text: string): Source {
  const { at } = source;
  const name = source.alias ?? ('name' in source ? source.name : undefined);
  const columns: ResultColumn[] = [{ kind: 'star', at, table: undefined }];
  const nothing = { distinct: false, where: undefined, groupBy: [], having: undefined, windows: [] };
  const from = { first: source, joins: [] };
  const select = selectOf({ kind: 'core', at, columns, from, ...nothing, sample: text });
  return { kind: 'subquery', at, select, alias: name };
}

/** `10%`, `reservoir(50 ROWS) REPEATABLE (42)`, `10% (bernoulli, 42)`. */
function parseSample(cursor: Cursor): string {
  let method = sampleMethod(cursor);
  if (method !== undefined) cursor.expectOperator('(');
  const size = parseDigits(cursor);
  const isShare = cursor.acceptOperator('%') || cursor.accept('PERCENT');
  if (!isShare) cursor.accept('ROWS');
  if (method !== undefined) cursor.expectOperator(')');
  let seed: string | undefined;
  if (method === undefined && cursor.acceptOperator('(')) {
    method = sampleMethod(cursor);
    seed = cursor.acceptOperator(',') ? parseDigits(cursor) : undefined;
    cursor.expectOperator(')');
  } else if (cursor.accept('REPEATABLE')) {
    cursor.expectOperator('(');
    seed = parseDigits(cursor);
    cursor.expectOperator(')');
  }
  const amount = `${size}${isShare ? '%' : ' ROWS'}`;
  if (method === undefined) return `USING SAMPLE ${amount}`;
  return `USING SAMPLE ${amount} (${method}${seed === undefined ? '' : `, ${seed}`})`;
}

function sampleMethod(cursor: Cursor): string | undefined {
  const word = cursor.token.value.toUpperCase();
  if (cursor.token.kind !== 'word' || !SAMPLE_METHODS.has(word)) return undefined;
  cursor.advance();
  return word;
}

/** `10%` or `10 PERCENT` of the rows. */
function limit(cursor: Cursor): Expr | undefined {
  const { kind, value, start: at } = cursor.token;
  const next = cursor.peek();
  const isShare = next.keyword === 'PERCENT' || (cursor.peekOperator('%') && endsLimit(cursor, 2));
  if (kind !== 'number' || !isShare) return undefined;
  cursor.advance();
  cursor.advance();
  return form(at, { kind: 'number', at, value }, ' PERCENT');
}

function endsLimit(cursor: Cursor, ahead: number): boolean {
  const { kind, keyword } = cursor.peek(ahead);
  return kind === 'end' || keyword === 'OFFSET' || [')', ';'].some((sign) => cursor.peekOperator(sign, ahead));
}
