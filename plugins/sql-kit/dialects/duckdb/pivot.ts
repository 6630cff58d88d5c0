/**
 * PIVOT and UNPIVOT as what they stand for: aggregates with FILTER, and lists side by side. The engine would read the
 * values of a PIVOT without IN from the data, in a separate statement; here they have to be named.
 */

import { listForm } from '../../ast/forms.ts';
import { fold } from '../../ast/names.ts';
import { Level } from '../../ast/precedence.ts';
import type { Call, Core, Expr, OrderTerm, ResultColumn, Select, SelectCore, Source } from '../../ast/tree.ts';
import { forEachOperand, forEachPart } from '../../ast/walk.ts';
import type { Cursor } from '../../parse/cursor.ts';
import { parseAlias, parseSource } from '../../parse/from.ts';
import { duckdbAggregates } from './functions.ts';

/** Most columns that one PIVOT makes. */
const MAX_PIVOT_COLUMNS = 1_000;
/** Most characters of what these columns calculate, which each of them says anew. */
const MAX_PIVOT_TEXT = 400_000;

/** One column to turn, and what of it becomes a column of the result. */
interface Turned {
  readonly expr: Expr;
  /** Characters of the expression. */
  readonly length: number;
  readonly values: readonly { readonly literal: Expr; readonly name: string }[];
}

interface Value {
  /** One aggregate, and what is made of it. */
  readonly expr: Expr;
  readonly length: number;
  readonly alias: string | undefined;
}

/** `PIVOT source ON … USING … GROUP BY …`, or `UNPIVOT source ON … INTO NAME … VALUE …`. */
export function parsePivotStatement(cursor: Cursor): Core | undefined {
  const at = cursor.token.start;
  if (cursor.accept('PIVOT')) {
    const source = parseSource(cursor);
    cursor.expect('ON');
    const turned = cursor.list(() => parseTurned(cursor));
    const values = cursor.accept('USING') ? cursor.list(() => parseValue(cursor)) : [countOf(at)];
    return pivot(cursor, at, source, turned, values, parseGroups(cursor));
  }
  if (!cursor.accept('UNPIVOT')) return undefined;
  const source = parseSource(cursor);
  const keepsNulls = acceptNulls(cursor);
  cursor.expect('ON');
  const columns = cursor.list(() => parseUnpivoted(cursor));
  cursor.expect('INTO');
  cursor.expect('NAME');
  const name = cursor.name('a column');
  cursor.expect('VALUE');
  return unpivot(at, source, columns, name, cursor.name('a column'), keepsNulls);
}

/** `source PIVOT (… FOR … IN (…))` and `source UNPIVOT (… FOR … IN (…))`; `undefined` for all others. */
export function parsePivotedSource(cursor: Cursor, source: Source): Source | undefined {
  const at = cursor.token.start;
  let core: Core;
  if (cursor.accept('PIVOT')) {
    cursor.expectOperator('(');
    const values = cursor.list(() => parseValue(cursor));
    cursor.expect('FOR');
    const turned = [parseTurned(cursor)];
    while (!cursor.isOperator(')') && !cursor.is('GROUP')) turned.push(parseTurned(cursor));
    core = pivot(cursor, at, source, turned, values, parseGroups(cursor));
  } else if (cursor.accept('UNPIVOT')) {
    const keepsNulls = acceptNulls(cursor);
    cursor.expectOperator('(');
    const value = cursor.name('a column');
    cursor.expect('FOR');
    const name = cursor.name('a column');
    cursor.expect('IN');
    cursor.expectOperator('(');
    const columns = cursor.list(() => parseUnpivoted(cursor));
    cursor.expectOperator(')');
    core = unpivot(at, source, columns, name, value, keepsNulls);
  } else return undefined;
  cursor.expectOperator(')');
  return { kind: 'subquery', at, select: selectOf(core), ...parseAlias(cursor) };
}

// ── PIVOT ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** `column IN ('a', 'b' AS name)`. */
function parseTurned(cursor: Cursor): Turned {
  const { start } = cursor.token;
  const expr = cursor.expression(Level.predicate + 1);
  const length = cursor.peek(-1).end - start;
  if (!cursor.accept('IN')) {
    const hint = "Name them, as in PIVOT … ON column IN ('a', 'b') USING sum(amount): ask for SELECT DISTINCT first.";
    throw cursor.fail('syntax', 'PIVOT needs the values that become columns', hint);
  }
  return { expr, length, values: parsePivotValues(cursor) };
}

function parsePivotValues(cursor: Cursor): Turned['values'] {
  cursor.expectOperator('(');
  const values = cursor.list(() => {
    const literal = cursor.expression();
    if (literal.kind !== 'string' && literal.kind !== 'number') {
      throw cursor.fail('syntax', 'The values of PIVOT are texts or numbers', "Write IN ('a', 'b').", literal.at);
    }
    return { literal, name: cursor.alias() ?? literal.value };
  });
  cursor.expectOperator(')');
  return values;
}

function parseValue(cursor: Cursor): Value {
  const { start } = cursor.token;
  const expr = cursor.expression();
  const length = cursor.peek(-1).end - start;
  const [aggregate, another] = aggregatesIn(expr);
  if (
    aggregate === undefined ||
    another !== undefined ||
    aggregate.filter !== undefined ||
    aggregate.over !== undefined
  ) {
    const hint = 'Write one aggregate, such as sum(amount), and calculate with several of them in an outer SELECT.';
    throw cursor.fail('syntax', 'A value of PIVOT has one aggregate in it', hint, expr.at);
  }
  return { expr, length, alias: cursor.alias() };
}

function aggregatesIn(expr: Expr): Call[] {
  if (expr.kind === 'call' && duckdbAggregates.has(fold(expr.name))) return [expr];
  const found: Call[] = [];
  forEachOperand(expr, (operand) => found.push(...aggregatesIn(operand)));
  return found;
}

function countOf(at: number): Value {
  const nothing = { distinct: false, args: [], orderBy: [], filter: undefined, over: undefined };
  return { expr: { kind: 'call', at, name: 'count', star: true, ...nothing }, length: 8, alias: undefined };
}

function parseGroups(cursor: Cursor): Expr[] {
  if (!cursor.acceptWords('GROUP', 'BY')) return [];
  return cursor.list(() => cursor.expression());
}

function pivot(
  cursor: Cursor,
  at: number,
  source: Source,
  turned: readonly Turned[],
  values: readonly Value[],
  groups: readonly Expr[],
): SelectCore {
  if (values.length > 1 && values.some(({ alias }) => alias === undefined)) {
    throw cursor.fail('syntax', 'Several values of PIVOT need names', 'Write sum(amount) AS amount.', at);
  }
  const count = turned.reduce((product, one) => product * one.values.length, values.length);
  const length = [...turned, ...values].reduce((sum, one) => sum + one.length, 0);
  if (count > MAX_PIVOT_COLUMNS || count * length > MAX_PIVOT_TEXT) {
    const hint = 'Name fewer values, or group the rows instead.';
    throw cursor.fail('size', `PIVOT makes more than ${MAX_PIVOT_COLUMNS} columns, or too long ones`, hint, at);
  }
  const used = namesIn([...turned.map(({ expr }) => expr), ...values.map(({ expr }) => expr)]);
  const rest: ResultColumn[] =
    groups.length === 0
      ? [{ kind: 'star', at, table: undefined, exclude: used.map((name) => ({ name })) }]
      : groups.map((expr) => column(expr));
  const pivoted = combinations(turned).flatMap(({ condition, name }) =>
    values.map(({ expr, alias }) => {
      // Checking changes the tree in place, so none of it may stand there twice.
      const own = structuredClone(expr);
      for (const aggregate of aggregatesIn(own)) Object.assign(aggregate, { filter: structuredClone(condition) });
      return column(own, alias === undefined ? name : `${name}_${alias}`);
    }),
  );
  const all: Expr = { kind: 'constant', at, value: 'ALL' };
  return core(at, [...rest, ...pivoted], source, { groupBy: groups.length === 0 ? [all] : structuredClone(groups) });
}

/** Every value of one column with every value of the next. */
function combinations([first, ...others]: readonly Turned[]): { condition: Expr; name: string }[] {
  if (first === undefined) return [];
  const { expr } = first;
  const own = first.values.map(({ literal, name }) => {
    const condition: Expr = {
      kind: 'chain',
      at: expr.at,
      level: Level.equality,
      operands: [expr, literal],
      operators: ['='],
    };
    return { condition, name };
  });
  if (others.length === 0) return own;
  const further = combinations(others);
  return own.flatMap(({ condition, name }) =>
    further.map((next): { condition: Expr; name: string } => {
      const operands = [condition, next.condition];
      const both: Expr = { kind: 'chain', at: expr.at, level: Level.and, operands, operators: ['AND'] };
      return { condition: both, name: `${name}_${next.name}` };
    }),
  );
}

/** Names of the columns in the expressions, each once. */
function namesIn(exprs: readonly Expr[]): string[] {
  const names = new Map<string, string>();
  forEachPart(exprs, (expr) => {
    if (expr.kind === 'name') names.set(fold(expr.name), expr.name);
  });
  return [...names.values()];
}

// ── UNPIVOT ─────────────────────────────────────────────────────────────────────────────────────────────────────

function parseUnpivoted(cursor: Cursor): { readonly name: string; readonly shown: string } {
  if (cursor.isOperator('(') || cursor.isOperator('*') || cursor.is('COLUMNS')) {
    throw cursor.fail(
      'syntax',
      'UNPIVOT needs its columns by name',
      'Write UNPIVOT … ON jan, feb INTO NAME … VALUE ….',
    );
  }
  const name = cursor.name('a column');
  return { name, shown: cursor.alias() ?? name };
}

function acceptNulls(cursor: Cursor): boolean {
  const keeps = cursor.acceptWords('INCLUDE', 'NULLS');
  if (!keeps) cursor.acceptWords('EXCLUDE', 'NULLS');
  return keeps;
}

function unpivot(
  at: number,
  source: Source,
  columns: readonly { readonly name: string; readonly shown: string }[],
  name: string,
  value: string,
  keepsNulls: boolean,
): SelectCore {
  const nothing = { distinct: false, star: false, orderBy: [] as OrderTerm[], filter: undefined, over: undefined };
  const unnest = (items: Expr[], alias: string) =>
    column({ kind: 'call', at, name: 'unnest', args: [listForm(at, '[', items, ']')], ...nothing }, alias);
  const names = columns.map(({ shown }): Expr => ({ kind: 'string', at, value: shown }));
  const values = columns.map((of): Expr => ({ kind: 'name', at, schema: undefined, table: undefined, name: of.name }));
  const star: ResultColumn = { kind: 'star', at, table: undefined, exclude: columns.map(({ name }) => ({ name })) };
  const inner = core(at, [star, unnest(names, name), unnest(values, value)], source, {});
  if (keepsNulls) return inner;
  const isThere: Expr = {
    kind: 'chain',
    at,
    level: Level.is,
    operands: [
      { kind: 'name', at, schema: undefined, table: undefined, name: value },
      { kind: 'constant', at, value: 'NULL' },
    ],
    operators: ['IS NOT'],
  };
  const everything: ResultColumn = { kind: 'star', at, table: undefined };
  return core(at, [everything], subquery(inner, 'unpivoted'), { where: isThere });
}

// ── nodes ───────────────────────────────────────────────────────────────────────────────────────────────────────

const column = (expr: Expr, alias?: string): ResultColumn => ({ kind: 'column', expr, alias, text: undefined });

function core(at: number, columns: ResultColumn[], source: Source, more: Partial<SelectCore>): SelectCore {
  const nothing = { distinct: false, where: undefined, groupBy: [], having: undefined, windows: [] };
  return { kind: 'core', at, columns, from: { first: source, joins: [] }, ...nothing, ...more };
}

/** The core as a whole SELECT. */
export const selectOf = (first: Core): Select => ({
  kind: 'select',
  at: first.at,
  with: undefined,
  first,
  rest: [],
  orderBy: [],
  limit: undefined,
  offset: undefined,
});

function subquery(first: Core, alias: string): Source {
  return { kind: 'subquery', at: first.at, select: selectOf(first), alias };
}
