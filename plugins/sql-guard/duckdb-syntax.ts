import type { Expr, Form, Join, Star } from './ast.ts';
import type { Cursor } from './cursor.ts';
import { DuckdbLexer } from './duckdb-lex.ts';
import { parseDuckdbPrimary } from './duckdb-primary.ts';
import { parseType } from './duckdb-types.ts';
import { form, listForm } from './parse-call-words.ts';
import { parseExpr } from './parse-expression.ts';
import { parseNameList } from './parse-select.ts';
import { Level } from './precedence.ts';
import { type Syntax, sqliteSyntax } from './syntax.ts';

/** What binds like an operator that PostgreSQL has no rung of its own for. */
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
  ...['=', '==', '<>', '!=', '<', '<=', '>', '>='].map((sign): [string, number] => [sign, Level.equality]),
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
  ...sqliteSyntax,
  Lexer: DuckdbLexer,
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
  openers: new Set(['SELECT', 'VALUES', 'WITH', 'FROM', 'TABLE']),
  isStandard: true,
  isFriendly: true,
  textIsName: false,
  longestNamingText: 0,
  primary: parseDuckdbPrimary,
  postfix,
  argument,
  tail,
  join,
  star,
  sample,
  grouping,
  ordering: everything,
};

/** `::type`, `[index]`, `[from:to:step]`, and `.field` of what is no plain name. */
function postfix(cursor: Cursor, operand: Expr): Form | undefined {
  const { start: at } = cursor.token;
  if (cursor.acceptOperator('::')) return form(operand.at, 'CAST(', operand, ` AS ${parseType(cursor)})`);
  // In parentheses always after a dot: a bare name would be that of a table there.
  const whole = { expr: operand, minimum: cursor.isOperator('.') ? Level.primary + 1 : Level.primary };
  if (cursor.acceptOperator('[')) {
    return { kind: 'form', at: operand.at, level: Level.postfix, parts: [whole, ...parseSubscript(cursor)] };
  }
  if (!cursor.acceptOperator('.')) return undefined;
  const name = cursor.anyName('the name of a part');
  if (cursor.isOperator('('))
    throw cursor.fail('function', 'Calls after a dot are not read here', `Write ${name}(…).`, at);
  return { kind: 'form', at: operand.at, level: Level.postfix, parts: [whole, `."${name.replaceAll('"', '""')}"`] };
}

function parseSubscript(cursor: Cursor): Form['parts'] {
  const parts: (string | Expr)[] = ['['];
  const bound = () => {
    if (!cursor.isOperator(':') && !cursor.isOperator(']')) parts.push(parseExpr(cursor));
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
    return form(at, `"${value.replaceAll('"', '""')}" := `, parseExpr(cursor));
  }
  const params = arrowParams(cursor);
  if (params === undefined) return undefined;
  cursor.expectOperator('->');
  return { kind: 'lambda', at, params, isArrow: true, body: parseExpr(cursor) };
}

/** The names before an arrow; `undefined`, with nothing consumed, for what may be JSON's `value -> 'key'`. */
function arrowParams(cursor: Cursor): string[] | undefined {
  if (cursor.isName() && cursor.peekOperator('->')) {
    const { kind } = cursor.peek(2);
    return kind === 'string' || kind === 'number' ? undefined : [cursor.advance().value];
  }
  if (!cursor.isOperator('(')) return undefined;
  let ahead = 1;
  while (cursor.isName(cursor.peek(ahead)) && cursor.peekOperator(',', ahead + 1)) ahead += 2;
  const isLast = cursor.isName(cursor.peek(ahead)) && cursor.peekOperator(')', ahead + 1);
  return isLast && cursor.peekOperator('->', ahead + 2) ? parseNameList(cursor) : undefined;
}

/** `IGNORE NULLS` after the arguments of a window function. */
function tail(cursor: Cursor): Form | undefined {
  const at = cursor.token.start;
  const word = ['IGNORE', 'RESPECT'].find((choice) => cursor.acceptWords(choice, 'NULLS'));
  return word === undefined ? undefined : form(at, ` ${word} NULLS`);
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
function star(cursor: Cursor, plain: Star): Star {
  let changed = plain;
  if (cursor.accept('EXCLUDE')) changed = { ...changed, exclude: some(cursor, () => cursor.name('a column')) };
  if (cursor.accept('REPLACE')) {
    changed = { ...changed, replace: some(cursor, () => ({ expr: parseExpr(cursor), name: nameAfterAs(cursor) })) };
  }
  if (cursor.accept('RENAME')) {
    changed = { ...changed, rename: some(cursor, () => ({ from: cursor.name('a column'), to: nameAfterAs(cursor) })) };
  }
  return changed;
}

function some<T>(cursor: Cursor, item: () => T): T[] {
  if (!cursor.acceptOperator('(')) return [item()];
  const items = cursor.list(item);
  cursor.expectOperator(')');
  return items;
}

function nameAfterAs(cursor: Cursor): string {
  cursor.expect('AS');
  return cursor.name('a name after AS');
}

const SAMPLE_METHODS = new Set(['RESERVOIR', 'BERNOULLI', 'SYSTEM']);

/** `USING SAMPLE 10%`, `USING SAMPLE reservoir(50 ROWS) REPEATABLE (42)`, `USING SAMPLE 10% (bernoulli, 42)`. */
function sample(cursor: Cursor): string | undefined {
  if (!cursor.acceptWords('USING', 'SAMPLE')) return undefined;
  let method = sampleMethod(cursor);
  if (method !== undefined) cursor.expectOperator('(');
  const size = wholeNumber(cursor);
  const isShare = cursor.acceptOperator('%') || cursor.accept('PERCENT');
  if (!isShare) cursor.accept('ROWS');
  if (method !== undefined) cursor.expectOperator(')');
  let seed: string | undefined;
  if (method === undefined && cursor.acceptOperator('(')) {
    method = sampleMethod(cursor);
    seed = cursor.acceptOperator(',') ? wholeNumber(cursor) : undefined;
    cursor.expectOperator(')');
  } else if (cursor.accept('REPEATABLE')) {
    cursor.expectOperator('(');
    seed = wholeNumber(cursor);
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

function wholeNumber(cursor: Cursor): string {
  if (!/^\d{1,9}$/.test(cursor.token.value)) throw cursor.unexpected('a number');
  return cursor.advance().value;
}

/** `ALL`, `ROLLUP (…)`, `CUBE (…)`, `GROUPING SETS (…)` and `()`. */
function grouping(cursor: Cursor): Expr | undefined {
  const at = cursor.token.start;
  const word = ['ROLLUP', 'CUBE'].find((choice) => cursor.is(choice) && cursor.peekOperator('('));
  if (word !== undefined) {
    cursor.advance();
    return parseSets(cursor, at, word);
  }
  if (cursor.acceptWords('GROUPING', 'SETS')) return parseSets(cursor, at, 'GROUPING SETS');
  if (cursor.isOperator('(') && cursor.peekOperator(')')) {
    cursor.advance();
    cursor.advance();
    return form(at, '()');
  }
  return everything(cursor);
}

function parseSets(cursor: Cursor, at: number, word: string): Form {
  cursor.expectOperator('(');
  const items = cursor.nested(() => cursor.list(() => grouping(cursor) ?? parseExpr(cursor)));
  cursor.expectOperator(')');
  return listForm(at, `${word} (`, items, ')');
}

/** `ALL`: every column that is not aggregated, or every column of the result. */
function everything(cursor: Cursor): Expr | undefined {
  const at = cursor.token.start;
  return cursor.accept('ALL') ? { kind: 'constant', at, value: 'ALL' } : undefined;
}
