/** Reads what several engines write alike, and SQLite does not: grouping sets, lambdas, IS DISTINCT FROM, subscripts. */
import { form, listForm } from '../ast/forms.ts';
import { Level } from '../ast/precedence.ts';
import type { Expr, Form, FormOperand } from '../ast/tree.ts';
import { parseNameList } from './clauses.ts';
import type { Cursor } from './cursor.ts';

/** The level of each sign that compares. */
export const comparisons = (...further: string[]) =>
  ['=', '<>', '!=', '<', '<=', '>', '>=', ...further].map((sign): [string, number] => [sign, Level.equality]);

// ── operands ────────────────────────────────────────────────────────────────────────────────────────────────────

/** The text that comes next, as a node. */
export function parseText(cursor: Cursor): Expr {
  const { kind, value, start } = cursor.token;
  if (kind !== 'string') throw cursor.unexpected('a text');
  cursor.advance();
  return { kind: 'string', at: start, value };
}

/** The digits that come next, at most `most` of them. */
export function parseDigits(cursor: Cursor, most = 9): string {
  const { value } = cursor.token;
  if (value.length > most || !/^\d+$/.test(value)) throw cursor.unexpected('a number');
  return cursor.advance().value;
}

/** Refuses `catalog.schema.function(…)`: a function that is kept in a catalog may do anything. */
export function refuseQualifiedCall(cursor: Cursor): void {
  let ahead = 1;
  while (cursor.peekOperator('.', ahead) && cursor.isName(cursor.peek(ahead + 1))) ahead += 2;
  if (ahead > 1 && cursor.peekOperator('(', ahead)) {
    throw cursor.fail('function', 'A name with a dot is not the plain name of a function', 'Write name(…).');
  }
}

/** An operand with what stands behind it. */
export const postfixed = (operand: Expr, minimum: number, ...parts: (string | FormOperand)[]): Form => ({
  kind: 'form',
  at: operand.at,
  level: Level.postfix,
  parts: [{ expr: operand, minimum }, ...parts],
});

/** `[index]`; `undefined`, with nothing consumed, for anything else. */
export function parseIndex(cursor: Cursor, operand: Expr): Form | undefined {
  if (!cursor.acceptOperator('[')) return undefined;
  const index = { expr: cursor.expression(), minimum: Level.arrow };
  cursor.expectOperator(']');
  return postfixed(operand, Level.postfix, '[', index, ']');
}

/**
 * `IS NOT NULL`, `IS NOT DISTINCT FROM` and `IS TRUE`; behind IS. `coalesce`: the function that says IS TRUE and the like
 * where the engine has no such words.
 */
export function parseIs(cursor: Cursor, operand: Expr, coalesce?: string): Expr {
  const { at } = operand;
  const not = cursor.accept('NOT');
  const chain = (operator: string, right: Expr): Expr => ({
    kind: 'chain',
    at,
    level: Level.equality,
    operands: [operand, right],
    operators: [operator],
  });
  if (cursor.acceptWords('DISTINCT', 'FROM')) {
    return chain(not ? 'IS NOT DISTINCT FROM' : 'IS DISTINCT FROM', cursor.expression(Level.equality + 1));
  }
  const truth = ['TRUE', 'FALSE'].find((word) => cursor.accept(word));
  if (truth !== undefined && coalesce !== undefined) {
    // What is NULL is neither.
    const known = form(at, `${coalesce}(`, operand, truth === 'TRUE' ? ', FALSE)' : ', TRUE)');
    return (truth === 'TRUE') === not ? { kind: 'prefix', at, operator: 'NOT', operand: known } : known;
  }
  if (truth === undefined && !cursor.accept('UNKNOWN')) cursor.expect('NULL');
  return chain(not ? 'IS NOT' : 'IS', { kind: 'constant', at, value: truth ?? 'NULL' });
}

/** `x -> body`, `(x, y) -> body` and, with `mayBeEmpty`, `() -> body`; `undefined`, with nothing consumed, for others. */
export function parseLambda(cursor: Cursor, mayBeEmpty = false): Expr | undefined {
  const at = cursor.token.start;
  const params = parseParameters(cursor, mayBeEmpty);
  if (params === undefined) return undefined;
  cursor.expectOperator('->');
  return { kind: 'lambda', at, params, isArrow: true, body: cursor.expression() };
}

/** The names before an arrow, which is not consumed; `undefined`, with nothing consumed, where there is none. */
export function parseParameters(cursor: Cursor, mayBeEmpty = false): string[] | undefined {
  if (cursor.isName() && cursor.peekOperator('->')) return [cursor.advance().value];
  if (!cursor.isOperator('(')) return undefined;
  let ahead = 1;
  while (cursor.isName(cursor.peek(ahead)) && cursor.peekOperator(',', ahead + 1)) ahead += 2;
  const isEmpty = mayBeEmpty && ahead === 1 && cursor.peekOperator(')');
  if (!isEmpty && !cursor.isName(cursor.peek(ahead))) return undefined;
  const close = isEmpty ? ahead : ahead + 1;
  if (!cursor.peekOperator(')', close) || !cursor.peekOperator('->', close + 1)) return undefined;
  if (!isEmpty) return parseNameList(cursor);
  cursor.advance();
  cursor.advance();
  return [];
}

/** `IGNORE NULLS`, inside the parentheses of a call. */
export function parseNulls(cursor: Cursor): Form | undefined {
  const at = cursor.token.start;
  const word = ['IGNORE', 'RESPECT'].find((choice) => cursor.acceptWords(choice, 'NULLS'));
  return word === undefined ? undefined : form(at, ` ${word} NULLS`);
}

// ── clauses ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** `(item, item, …)`. */
export function parseInParentheses<T>(cursor: Cursor, item: () => T): T[] {
  cursor.expectOperator('(');
  const items = cursor.list(item);
  cursor.expectOperator(')');
  return items;
}

/** `item` or `(item, item, …)`. */
export const parseSome = <T>(cursor: Cursor, item: () => T): T[] =>
  cursor.isOperator('(') ? parseInParentheses(cursor, item) : [item()];

/** The parts of a type, as they print. */
export const parseTypeParts = (cursor: Cursor, part: () => string): string =>
  `(${cursor.nested(() => parseInParentheses(cursor, part)).join(', ')})`;

/** `AS name`. */
export function parseNameAfterAs(cursor: Cursor): string {
  cursor.expect('AS');
  return cursor.name('a name after AS');
}

/** `ROLLUP (…)`, `CUBE (…)`, `GROUPING SETS (…)` and `()`; `undefined`, with nothing consumed, for all others. */
export function parseGroupingSets(cursor: Cursor, item: (cursor: Cursor) => Expr): Expr | undefined {
  const at = cursor.token.start;
  let word = ['ROLLUP', 'CUBE'].find((choice) => cursor.is(choice) && cursor.peekOperator('('));
  if (word !== undefined) cursor.advance();
  else if (cursor.acceptWords('GROUPING', 'SETS')) word = 'GROUPING SETS';
  if (word !== undefined) {
    const items = cursor.nested(() => parseInParentheses(cursor, () => item(cursor)));
    return listForm(at, `${word} (`, items, ')');
  }
  if (!cursor.isOperator('(') || !cursor.peekOperator(')')) return undefined;
  cursor.advance();
  cursor.advance();
  return form(at, '()');
}

/** `ALL`: every column that is not aggregated, or every column of the result. */
export function parseAll(cursor: Cursor): Expr | undefined {
  const at = cursor.token.start;
  return cursor.accept('ALL') ? { kind: 'constant', at, value: 'ALL' } : undefined;
}

/** What may stand in GROUP BY besides expressions: grouping sets and ALL. */
export const parseGrouping = (cursor: Cursor): Expr | undefined =>
  parseGroupingSets(cursor, parseKey) ?? parseAll(cursor);

/** One key of GROUP BY. */
export const parseKey = (cursor: Cursor): Expr => parseGrouping(cursor) ?? cursor.expression();

/** A number of rows that is written out. */
export function parseRowCount(cursor: Cursor, digits = /^\d+$/): Expr {
  const { kind, value, start: at } = cursor.token;
  if (kind !== 'number' || !digits.test(value)) throw cursor.unexpected('a number of rows');
  cursor.advance();
  return { kind: 'number', at, value };
}
