/** Reads operands that only ClickHouse has: arrays, parametric calls, units of time, COLUMNS. */
import { form, listForm } from '../../ast/forms.ts';
import { Level } from '../../ast/precedence.ts';
import type { Call, Expr, Form, ResultColumn, Star } from '../../ast/tree.ts';
import { parseCallInWords } from '../../parse/call-words.ts';
import type { Cursor } from '../../parse/cursor.ts';
import { parseCallRest, parseFilter } from '../../parse/primary.ts';
import { refuseQualifiedCall } from '../../parse/shared-syntax.ts';
import { parseOver } from '../../parse/window.ts';
import { clickhouseFunctionName } from './functions.ts';
import { UNITS } from './keywords.ts';
import { valueOfName } from './named-values.ts';
import { printName, printText } from './names.ts';
import { isTypeText, parseType } from './types.ts';

/** What the engine takes for a function without parentheses where no column has the name. */
const SESSION = new Set(['current_database', 'current_user', 'currentdatabase', 'currentuser', 'session_user']);

/** Operands that ClickHouse has and SQLite has not; `undefined`, with nothing consumed, for all others. */
export function parseClickhousePrimary(cursor: Cursor): Expr | undefined {
  const { kind, value, start: at, keyword } = cursor.token;
  if (kind === 'operator') return value === '[' ? parseArray(cursor, at) : undefined;
  if (kind !== 'word' && kind !== 'name') return undefined;
  const isCalled = cursor.peekOperator('(');
  if (!isCalled) {
    const typed = kind === 'word' ? parseTyped(cursor, at, keyword) : undefined;
    if (typed !== undefined) return typed;
    refuseQualifiedCall(cursor);
    const named = valueOfName(cursor);
    if (named === undefined && SESSION.has(value.toLowerCase()) && !cursor.peekOperator('.')) {
      throw cursor.fail('function', `"${value}" tells about the session`, `Leave it out; a column is table.${value}.`);
    }
    return named;
  }
  if (kind === 'word') {
    if (keyword === 'CASE' || keyword === 'EXISTS' || keyword === 'NOT') return undefined;
    if (keyword === 'CAST') return parseCast(cursor, at);
    if (keyword === 'COLUMNS') return parseColumns(cursor, at);
    if (keyword === 'INTERVAL') return parseInterval(cursor, at);
    const inWords = parseCallInWords(cursor);
    if (inWords !== undefined) return inWords.kind === 'call' ? named(inWords) : inWords;
  }
  return cursor.isName() ? (parseDateStep(cursor, at) ?? parseCall(cursor, at)) : undefined;
}

const named = (call: Call): Call => ({ ...call, name: clickhouseFunctionName(call.name) });

/** `[a, b]`. */
function parseArray(cursor: Cursor, at: number): Form {
  cursor.expectOperator('[');
  const items = cursor.isOperator(']') ? [] : cursor.list(() => cursor.expression());
  cursor.expectOperator(']');
  return listForm(at, '[', items, ']');
}

/** `DATE '2024-01-31'`, `TIMESTAMP '…'`, and intervals. */
function parseTyped(cursor: Cursor, at: number, keyword: string): Form | undefined {
  if (keyword === 'INTERVAL') return parseInterval(cursor, at);
  if ((keyword !== 'DATE' && keyword !== 'TIMESTAMP') || cursor.peek().kind !== 'string') return undefined;
  cursor.advance();
  const { value, start } = cursor.advance();
  return form(at, `${keyword === 'DATE' ? 'toDate' : 'toDateTime'}(`, { kind: 'string', at: start, value }, ')');
}

/** `INTERVAL '1 day'`, `INTERVAL 1 DAY`, `INTERVAL a + 1 DAY`; a column may be called so too. */
function parseInterval(cursor: Cursor, at: number): Form | undefined {
  const next = cursor.peek();
  const isEnd = next.kind === 'end' || (next.kind === 'operator' && !['(', '-', '+'].includes(next.value));
  if (isEnd || (next.keyword !== '' && !cursor.isName(next))) return undefined;
  cursor.advance();
  const amount = cursor.expression(Level.sum);
  const unit = UNITS.get(cursor.token.value.toUpperCase());
  if (unit === undefined && amount.kind === 'string') return form(at, 'INTERVAL ', amount);
  if (unit === undefined || cursor.token.kind !== 'word') throw cursor.unexpected('a unit such as DAY or MONTH');
  cursor.advance();
  return { ...form(at), parts: ['INTERVAL ', { expr: amount, minimum: Level.postfix }, ` ${unit}`] };
}

/** `CAST(value AS type)`, or with the type as a text. */
function parseCast(cursor: Cursor, at: number): Form {
  cursor.advance();
  cursor.expectOperator('(');
  const operand = cursor.expression();
  if (cursor.accept('AS')) {
    const type = parseType(cursor);
    cursor.expectOperator(')');
    return form(at, 'CAST(', operand, ` AS ${type})`);
  }
  cursor.expectOperator(',');
  const { kind, value } = cursor.token;
  if (kind !== 'string' || !isTypeText(value)) throw cursor.unexpected('the name of a type');
  cursor.advance();
  cursor.expectOperator(')');
  return form(at, 'CAST(', operand, `, ${printText(value)})`);
}

/** Functions of dates that take a unit as a word, by their names without underscores. */
const STEPS: ReadonlyMap<string, 'add' | 'subtract' | 'difference' | 'truncate'> = new Map([
  ['dateadd', 'add'],
  ['timestampadd', 'add'],
  ['datesub', 'subtract'],
  ['timestampsub', 'subtract'],
  ['datediff', 'difference'],
  ['timestampdiff', 'difference'],
  ['datetrunc', 'truncate'],
]);

/** `date_add(DAY, 1, column)`, `date_diff(DAY, a, b)`; `undefined` where the unit is no word. */
function parseDateStep(cursor: Cursor, at: number): Expr | undefined {
  const step = STEPS.get(cursor.token.value.toLowerCase().replaceAll('_', ''));
  if (step === undefined) return undefined;
  const isWord = cursor.peek(2).kind === 'word' && cursor.peekOperator(',', 3) && cursor.peek(4).keyword !== 'INTERVAL';
  const unit = isWord ? UNITS.get(cursor.peek(2).value.toUpperCase()) : undefined;
  if (unit === undefined) return step === 'add' || step === 'subtract' ? parseDateSum(cursor, at, step) : undefined;
  for (let count = 0; count < 4; count += 1) cursor.advance();
  const args = cursor.list(() => cursor.expression());
  cursor.expectOperator(')');
  const lower: Expr = { kind: 'string', at, value: unit.toLowerCase() };
  if (step === 'difference') return callOf(at, 'dateDiff', [lower, ...args]);
  if (step === 'truncate') return callOf(at, 'dateTrunc', [lower, ...args]);
  const [amount, moment, other] = args;
  if (amount === undefined || moment === undefined || other !== undefined) throw cursor.unexpected();
  return callOf(at, `${step}${unit.charAt(0)}${unit.slice(1).toLowerCase()}s`, [moment, amount]);
}

/** `date_add(column, INTERVAL 1 DAY)`. */
function parseDateSum(cursor: Cursor, at: number, step: 'add' | 'subtract'): Expr {
  cursor.advance();
  cursor.expectOperator('(');
  const [moment, interval, other] = cursor.list(() => cursor.expression());
  if (moment === undefined || interval === undefined || other !== undefined) throw cursor.unexpected('two arguments');
  cursor.expectOperator(')');
  return callOf(at, step === 'add' ? 'plus' : 'minus', [moment, interval]);
}

const NOTHING = { distinct: false, star: false, orderBy: [], filter: undefined, over: undefined };

const callOf = (at: number, name: string, args: readonly Expr[]): Call => ({
  kind: 'call',
  at,
  name,
  args,
  ...NOTHING,
});

/** `name(args)`, `name(parameters)(args)`, with FILTER and OVER. */
function parseCall(cursor: Cursor, at: number): Call {
  const name = clickhouseFunctionName(cursor.advance().value);
  cursor.expectOperator('(');
  const first = parseCallRest(cursor, at, name) as Call;
  let call = first;
  if (cursor.isOperator('(') && first.over === undefined && first.filter === undefined) {
    if (first.distinct || first.star || first.orderBy.length > 0) throw cursor.unexpected();
    cursor.expectOperator('(');
    call = { ...(parseCallRest(cursor, at, name) as Call), parameters: first.args };
  }
  return parseNulls(cursor, call);
}

/** Aggregates that can keep NULL, to the name under which they do. */
const KEEPING_NULLS: ReadonlyMap<string, string> = new Map([
  ['any', 'any_respect_nulls'],
  ['any_value', 'any_respect_nulls'],
  ['first_value', 'first_value_respect_nulls'],
  ['anyLast', 'anyLast_respect_nulls'],
  ['last_value', 'last_value_respect_nulls'],
]);

/** `RESPECT NULLS` and `IGNORE NULLS` stand behind the arguments; the latter is what the engine does anyway. */
function parseNulls(cursor: Cursor, call: Call): Call {
  const keeps = cursor.isWords('RESPECT', 'NULLS');
  if (!keeps && !cursor.isWords('IGNORE', 'NULLS')) return call;
  const keeping = KEEPING_NULLS.get(call.name);
  if (keeping === undefined || call.over !== undefined) throw cursor.unexpected();
  cursor.advance();
  cursor.advance();
  return { ...call, name: keeps ? keeping : call.name, filter: parseFilter(cursor), over: parseOver(cursor) };
}

/** `COLUMNS('pattern') EXCEPT (…) REPLACE (…)`: columns of what FROM shows, so none that is hidden. */
function parseColumns(cursor: Cursor, at: number): Form | undefined {
  if (cursor.peek(2).kind !== 'string' || !cursor.peekOperator(')', 3)) return undefined;
  cursor.advance();
  cursor.advance();
  const pattern = printText(cursor.advance().value);
  cursor.advance();
  return changedColumns(cursor, at, `COLUMNS(${pattern})`);
}

/** `* EXCEPT (…)`: written as COLUMNS with a pattern that any name has. */
export function parseStar(cursor: Cursor, star: Star): ResultColumn {
  const isChanged = ['EXCEPT', 'EXCLUDE', 'REPLACE', 'APPLY'].includes(cursor.token.keyword) && !startsSelect(cursor);
  if (!isChanged) return star;
  if (star.table !== undefined && printName(star.table) !== star.table) {
    throw cursor.fail('syntax', `The columns of "${star.table}" cannot be changed`, 'Give the table a plain alias.');
  }
  const columns = star.table === undefined ? "COLUMNS('')" : `${star.table}.*`;
  const expr = changedColumns(cursor, star.at, columns);
  return { kind: 'column', expr, alias: undefined, text: undefined };
}

/** Whether EXCEPT begins the next SELECT instead. */
function startsSelect(cursor: Cursor): boolean {
  const ahead = ['ALL', 'DISTINCT'].includes(cursor.peek().keyword) ? 2 : 1;
  const { keyword } = cursor.peek(cursor.peekOperator('(', ahead) ? ahead + 1 : ahead);
  return cursor.is('EXCEPT') && (keyword === 'SELECT' || keyword === 'WITH');
}

function changedColumns(cursor: Cursor, at: number, columns: string): Form {
  const parts: (string | Expr)[] = [columns];
  if (!startsSelect(cursor) && (cursor.accept('EXCEPT') || cursor.accept('EXCLUDE'))) {
    const isList = cursor.acceptOperator('(');
    const names = isList ? cursor.list(() => cursor.name('a column')) : [cursor.name('a column')];
    if (isList) cursor.expectOperator(')');
    parts.push(` EXCEPT (${names.map(printName).join(', ')})`);
  }
  if (cursor.accept('REPLACE')) {
    const isList = cursor.acceptOperator('(');
    const changed = () => {
      const expr = cursor.expression();
      cursor.expect('AS');
      return [expr, ` AS ${printName(cursor.name('a column'))}`];
    };
    const changes = isList ? cursor.list(changed) : [changed()];
    if (isList) cursor.expectOperator(')');
    parts.push(' REPLACE (', ...changes.flatMap((change, index) => (index === 0 ? change : [', ', ...change])), ')');
  }
  if (cursor.is('APPLY')) throw cursor.fail('syntax', 'APPLY is not read here', 'Write the function for each column.');
  return form(at, ...parts);
}
