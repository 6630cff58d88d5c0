/** Reads operands that Snowflake has and SQLite has not: lists, typed literals, intervals, casts, and calls with what may follow. */
import { form, listForm } from '../../ast/forms.ts';
import type { Call, Expr, Form } from '../../ast/tree.ts';
import { parseCallInWords, parseCastCall } from '../../parse/call-words.ts';
import type { Cursor } from '../../parse/cursor.ts';
import { parseCallRest } from '../../parse/primary.ts';
import { withNulls } from '../../parse/window.ts';
import { snowflakeFunctions } from './functions.ts';
import { snowflakeKeywords } from './keywords.ts';
import { parseType } from './types.ts';

const TIMES = new Set(['CURRENT_DATE', 'CURRENT_TIME', 'CURRENT_TIMESTAMP', 'LOCALTIME', 'LOCALTIMESTAMP']);
/** Reserved words that are called like functions. */
const CALLED = new Set(['INSERT', 'LEFT', 'RIGHT', 'LIKE', 'ILIKE', 'RLIKE']);

/** `undefined`, with nothing consumed, for all that every engine has. */
export function parseSnowflakePrimary(cursor: Cursor): Expr | undefined {
  const { kind, value, start: at, keyword } = cursor.token;
  if (kind === 'number') return fraction(cursor, at);
  if (cursor.isOperator('[')) return parseList(cursor, at);
  if (kind !== 'word' && kind !== 'name') return undefined;
  if (kind === 'word') {
    if (keyword === 'CURRENT_USER')
      throw cursor.fail('function', `${keyword} tells about the session`, 'Leave it out.');
    if (TIMES.has(keyword)) return currentTime(cursor, at, keyword);
    const typed = parseTyped(cursor, at, keyword);
    if (typed !== undefined) return typed;
  }
  if (!cursor.peekOperator('(')) {
    refuseQualified(cursor);
    return undefined;
  }
  if (kind === 'word') {
    if (keyword === 'CAST' || keyword === 'TRY_CAST') return parseCastCall(cursor, parseType);
    if (keyword === 'EXTRACT' || keyword === 'POSITION') return asCall(parseCallInWords(cursor)!);
    if (!cursor.isName() && !CALLED.has(keyword)) return undefined;
  }
  cursor.advance();
  cursor.expectOperator('(');
  return asCall(withNulls(cursor, parseCallRest(cursor, at, value) as Call));
}

/** What a number with a fraction is compared with may not have its digits, unlike with an integer. */
function fraction(cursor: Cursor, at: number): Expr | undefined {
  const { value } = cursor.token;
  if (/^\d+$/.test(value)) return undefined;
  cursor.advance();
  return form(at, value);
}

/** `[a, b]`. */
function parseList(cursor: Cursor, at: number): Form {
  cursor.advance();
  const items = cursor.isOperator(']') ? [] : cursor.list(() => cursor.expression());
  cursor.expectOperator(']');
  return listForm(at, '[', items, ']');
}

/** `DATE '2024-01-31'`, `TIMESTAMP '…'`, `INTERVAL '3 days, 1 hour'`, and `INTERVAL '3' DAY` as the same. */
function parseTyped(cursor: Cursor, at: number, keyword: string): Form | undefined {
  if (!/^(?:DATE|TIME|TIMESTAMP|INTERVAL)$/.test(keyword)) return undefined;
  const { kind, value, start } = cursor.peek();
  if (keyword === 'INTERVAL' && kind === 'number') {
    throw cursor.fail('syntax', 'An interval stands in quotes', "For example INTERVAL '1 day'.", at);
  }
  if (kind !== 'string') return undefined;
  cursor.advance();
  cursor.advance();
  const unit = keyword === 'INTERVAL' && PARTS.has(cursor.token.value) && /^\d+$/.test(value);
  const whole = unit ? `${value} ${cursor.advance().value.toLowerCase()}` : value;
  return form(at, `${keyword} `, { kind: 'string', at: start, value: whole });
}

/** `CURRENT_TIMESTAMP`, `CURRENT_TIMESTAMP()` and `CURRENT_TIMESTAMP(3)`. */
function currentTime(cursor: Cursor, at: number, word: string): Expr {
  cursor.advance();
  if (!cursor.acceptOperator('(')) return { kind: 'constant', at, value: word };
  const { value } = cursor.token;
  const isSized = /^\d$/.test(value);
  if (isSized) cursor.advance();
  cursor.expectOperator(')');
  return { kind: 'constant', at, value: isSized ? `${word}(${value})` : word };
}

/** `schema.function(…)` may do anything, and `sequence.NEXTVAL` takes the next number of a sequence. */
function refuseQualified(cursor: Cursor): void {
  let ahead = 1;
  while (cursor.peekOperator('.', ahead)) ahead += 2;
  if (ahead === 1) return;
  if (cursor.peekOperator('(', ahead)) {
    throw cursor.fail('function', 'A name with a dot is not the plain name of a function', 'Write name(…).');
  }
  if (cursor.peek(ahead - 1).value === 'NEXTVAL') {
    throw cursor.fail('function', 'NEXTVAL changes a sequence', 'Number rows by ROW_NUMBER() OVER (ORDER BY column).');
  }
}

/** Parts of dates and times with their other names, as the documentation lists them. */
const PARTS = new Set(
  `YEAR YEARS Y YY YYY YYYY YR YRS MONTH MONTHS MM MON MONS DAY DAYS D DD DAYOFMONTH DAYOFWEEK WEEKDAY DOW DW DAYOFWEEKISO
  WEEKDAY_ISO DOW_ISO DW_ISO DAYOFYEAR YEARDAY DOY DY WEEK WEEKS W WK WEEKOFYEAR WOY WY WEEKISO WEEK_ISO WEEKOFYEARISO
  WEEKOFYEAR_ISO QUARTER QUARTERS Q QTR QTRS YEAROFWEEK YEAROFWEEKISO HOUR HOURS H HH HR HRS MINUTE MINUTES M MI MIN MINS
  SECOND SECONDS S SEC SECS MILLISECOND MILLISECONDS MS MSEC MICROSECOND MICROSECONDS US USEC NANOSECOND NANOSECONDS NS NSEC
  NANOSEC EPOCH_SECOND EPOCH EPOCH_SECONDS EPOCH_MILLISECOND EPOCH_MICROSECOND EPOCH_NANOSECOND TIMEZONE_HOUR TZH
  TIMEZONE_MINUTE TZM`.split(/\s+/),
);

/** Functions to the argument that may be a part of a date, as a word. */
const PART_AT: ReadonlyMap<string, number> = new Map([
  ...['DATEADD', 'DATEDIFF', 'DATE_PART', 'DATE_TRUNC', 'TIMEADD', 'TIMEDIFF', 'TIMESTAMPADD', 'TIMESTAMPDIFF'].map(
    (name): [string, number] => [name, 0],
  ),
  ['TRUNC', 1],
  ['LAST_DAY', 1],
]);

const isPart = (arg: Expr | undefined) =>
  (arg?.kind === 'string' && PARTS.has(arg.value.toUpperCase())) ||
  (arg?.kind === 'name' && arg.table === undefined && PARTS.has(arg.name));

/** DATE_TRUNC takes the two in either order: a part in quotes is one, and of two words the first; the other is a column. */
function partPlace({ name, args }: Call): number | undefined {
  const isSwapped = name === 'DATE_TRUNC' && isPart(args[1]) && (args[1]?.kind === 'string' || !isPart(args[0]));
  return isSwapped ? 1 : PART_AT.get(name);
}

/** A call whose parts of dates are texts, so that none of them is taken for a column, and that prints as the function it is. */
function asCall(call: Expr): Expr {
  if (call.kind !== 'call') return call;
  const place = partPlace(call);
  const args = call.args.map(
    (arg, at): Expr =>
      at === place && arg.kind === 'name' && isPart(arg)
        ? { kind: 'string', at: arg.at, value: arg.name.toLowerCase() }
        : arg,
  );
  // In quotes a word of the grammar would be no function.
  const isWord = snowflakeKeywords.has(call.name) && snowflakeFunctions.has(call.name);
  return { ...call, args, ...(isWord && { isWord }) };
}
