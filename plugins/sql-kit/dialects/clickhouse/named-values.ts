/**
 * Values that a WITH of ClickHouse names: `WITH today() - 7 AS start SELECT …`. Such a name stands for its expression in
 * the SELECT and in all inside it, before any column of that name, so the expression is put in its place.
 */
import type { Expr } from '../../ast/tree.ts';
import type { Cursor } from '../../parse/cursor.ts';

interface NamedValue {
  readonly name: string;
  readonly expr: Expr;
  /** Its length in characters, that of the values in it included. */
  readonly size: number;
  /** Where the parentheses around its SELECT end. */
  readonly end: number;
}

interface Names {
  readonly values: NamedValue[];
  /** Parameters of the lambdas that are being read: they come before all other names. */
  readonly parameters: string[];
  /** How many characters stand in the place of names so far. */
  placed: number;
}

/** Names that one statement may give to values, and characters that may stand in their places. */
const [MAX_VALUES, MAX_PLACED] = [100, 100_000];
/** How deep nodes may stand in each other, of which an expression has about three: more than any that is read by itself. */
const MAX_DEPTH = 900;

const namesOf = new WeakMap<Cursor, Names>();

function names(cursor: Cursor): Names {
  let found = namesOf.get(cursor);
  if (found === undefined) {
    found = { values: [], parameters: [], placed: 0 };
    namesOf.set(cursor, found);
  }
  return found;
}

/** `expression AS name` after WITH; `false`, with nothing consumed, for a common table. */
export function namedValue(cursor: Cursor): boolean {
  if (isCommonTable(cursor)) return false;
  const known = names(cursor);
  const [{ placed }, { start: at }] = [{ ...known }, cursor.token];
  const expr = cursor.expression();
  if (expr.kind === 'name') throw cursor.fail('syntax', 'WITH gives a name to a name', 'Write the name itself.', at);
  if (depthOf(expr) > MAX_DEPTH) throw cursor.fail('size', 'The values of WITH are nested too deeply', undefined, at);
  const size = cursor.token.start - at + known.placed - placed;
  if (!cursor.accept('AS')) {
    throw cursor.fail('syntax', 'A value after WITH has no name', 'Write WITH expression AS name.', at);
  }
  const name = cursor.name('a name for the value');
  if (known.values.length >= MAX_VALUES) throw cursor.fail('size', `WITH names more than ${MAX_VALUES} values`);
  known.values.push({ name, expr, size, end: endOfSelect(cursor) });
  return true;
}

/** How deep the nodes of a tree lie in each other. */
function depthOf(node: unknown): number {
  if (typeof node !== 'object' || node === null) return 0;
  let deepest = 0;
  for (const value of Object.values(node)) deepest = Math.max(deepest, depthOf(value));
  return deepest + 1;
}

/** `name AS (SELECT …)`, `name (columns) AS (…)`. */
function isCommonTable(cursor: Cursor): boolean {
  if (!cursor.isName()) return false;
  let ahead = 1;
  if (cursor.peekOperator('(')) {
    while (cursor.isName(cursor.peek(ahead + 1)) && cursor.peekOperator(',', ahead + 2)) ahead += 2;
    if (!cursor.isName(cursor.peek(ahead + 1)) || !cursor.peekOperator(')', ahead + 2)) return false;
    ahead += 3;
  }
  if (cursor.peek(ahead).keyword !== 'AS') return false;
  return cursor.peekOperator('(', ahead + 1) || cursor.peek(ahead + 1).keyword === 'MATERIALIZED';
}

/** The offset of the parenthesis that closes the SELECT around the place of the cursor. */
function endOfSelect(cursor: Cursor): number {
  let depth = 0;
  for (let ahead = 0; ; ahead += 1) {
    const { kind, value, start } = cursor.peek(ahead);
    if (kind === 'end') return start;
    if (kind !== 'operator') continue;
    if (value === '(') depth += 1;
    if (value === ')') depth -= 1;
    if (depth < 0) return start;
  }
}

/** What the name at the cursor stands for; `undefined`, with nothing consumed, where it is no value's. */
export function valueOfName(cursor: Cursor): Expr | undefined {
  const known = namesOf.get(cursor);
  if (known === undefined || known.values.length === 0 || !cursor.isName()) return undefined;
  const { value, start } = cursor.token;
  if (known.parameters.includes(value)) return undefined;
  const named = known.values.findLast(({ name, end }) => name === value && start < end);
  if (named === undefined) return undefined;
  if (cursor.peekOperator('.')) {
    const what = `"${value}" is a value of WITH, and may be a table`;
    throw cursor.fail('syntax', what, 'Give the value a name that no table has.');
  }
  known.placed += named.size;
  if (known.placed > MAX_PLACED) throw cursor.fail('size', 'The values of WITH are used too often', 'Use a subquery.');
  cursor.advance();
  // Each place has nodes of its own, as names are resolved in place.
  return structuredClone(named.expr);
}

/** Reads the body of a lambda, in which the parameters come before the names of values. */
export function withParameters<T>(cursor: Cursor, parameters: readonly string[], read: () => T): T {
  const known = names(cursor);
  known.parameters.push(...parameters);
  const result = read();
  known.parameters.length -= parameters.length;
  return result;
}
