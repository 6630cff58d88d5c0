/** Reads operands that only DuckDB has: lists, structs, lambdas, COLUMNS. */
import { form, listForm } from '../../ast/forms.ts';
import { fold } from '../../ast/names.ts';
import type { Expr, Form, StarName } from '../../ast/tree.ts';
import { parseCallInWords, parseCastCall } from '../../parse/call-words.ts';
import { parseNameList, parseParenthesizedSelect } from '../../parse/clauses.ts';
import type { Cursor } from '../../parse/cursor.ts';
import { parseSome } from '../../parse/shared-syntax.ts';
import { isDuckdbType, parseType } from './types.ts';

const UNITS = new Set(
  `CENTURY CENTURIES DAY DAYS DECADE DECADES HOUR HOURS MICROSECOND MICROSECONDS MILLENNIUM MILLENNIA MILLISECOND
  MILLISECONDS MINUTE MINUTES MONTH MONTHS QUARTER QUARTERS SECOND SECONDS WEEK WEEKS YEAR YEARS`.split(/\s+/),
);

/** What the engine takes for a function without parentheses where no column has the name. */
const SESSION = new Set(['current_catalog', 'current_role', 'current_schema', 'current_user', 'session_user']);

/** Operands that DuckDB has and SQLite has not; `undefined`, with nothing consumed, for all others. */
export function parseDuckdbPrimary(cursor: Cursor): Expr | undefined {
  const { kind, value, start: at, keyword } = cursor.token;
  const next = cursor.peek();
  if (kind === 'operator') {
    if (value === '[') return parseList(cursor, at, '[');
    if (value === '*' && next.keyword === 'COLUMNS' && cursor.peekOperator('(', 2)) {
      cursor.advance();
      return form(at, '*', parseColumns(cursor, at));
    }
    return value === '{' ? parseEntries(cursor, at, '{', structKey) : undefined;
  }
  if (kind !== 'word' && kind !== 'name') return undefined;
  if (SESSION.has(value.toLowerCase()) && !cursor.peekOperator('.')) {
    throw cursor.fail('function', `"${value}" tells about the session`, `Leave it out; a column is table."${value}".`);
  }
  if (fold(value) === 'date' && cursor.peekOperator('(')) return parseDate(cursor, at);
  if (kind === 'name') return undefined;
  if (next.kind === 'string' && isDuckdbType(value) && keyword !== 'INTERVAL') return parseTypedText(cursor, at);
  switch (keyword) {
    case 'CURRENT_DATE':
    case 'CURRENT_TIMESTAMP':
      // As it is written: the engine names the column after it.
      cursor.advance();
      return { kind: 'constant', at, value };
    case 'INTERVAL':
      return parseInterval(cursor, at);
    case 'MAP':
      if (!cursor.peekOperator('{')) return undefined;
      cursor.advance();
      return parseEntries(cursor, at, 'MAP {', () => cursor.expression());
    case 'ARRAY':
      return parseArray(cursor, at);
    case 'LAMBDA':
      return parseLambda(cursor, at);
    case 'CAST':
    case 'TRY_CAST':
      return cursor.peekOperator('(') ? parseCastCall(cursor, parseType) : undefined;
    case 'COLUMNS':
      return cursor.peekOperator('(') ? parseColumns(cursor, at) : undefined;
    case 'OVERLAY':
      return parseOverlay(cursor, at);
    case 'TIMESTAMP':
    case 'TIME':
      return next.keyword === 'WITH' || next.keyword === 'WITHOUT' ? parseTypedText(cursor, at) : undefined;
    default:
      return parseCallInWords(cursor);
  }
}

/** `[a, b]`. */
function parseList(cursor: Cursor, at: number, opening: string): Expr {
  cursor.expectOperator('[');
  const items = cursor.isOperator(']') ? [] : cursor.list(() => cursor.expression());
  const [only] = items;
  if (only !== undefined && items.length === 1 && opening === '[' && cursor.accept('FOR')) {
    return parseComprehension(cursor, at, only);
  }
  cursor.expectOperator(']');
  return listForm(at, opening, items, ']');
}

/** The rest of `[value FOR x IN list IF condition]`, as the functions that it stands for. */
function parseComprehension(cursor: Cursor, at: number, value: Expr): Expr {
  const params = cursor.list(() => cursor.name('a name for each element'));
  cursor.expect('IN');
  let list = cursor.expression();
  const each = (name: string, body: Expr): Expr => {
    const nothing = { distinct: false, star: false, orderBy: [], filter: undefined, over: undefined };
    return { kind: 'call', at, name, args: [list, { kind: 'lambda', at, params, isArrow: false, body }], ...nothing };
  };
  if (cursor.accept('IF')) {
    if (params.length > 1) {
      const hint = 'Filter the list first, in a separate list.';
      throw cursor.fail('syntax', 'A list with FOR has either the place of each element or IF', hint);
    }
    list = each('list_filter', cursor.expression());
  }
  cursor.expectOperator(']');
  return each('list_apply', value);
}

/** `ARRAY[a, b]`, or `ARRAY(SELECT …)`. */
function parseArray(cursor: Cursor, at: number): Expr {
  cursor.advance();
  if (cursor.isOperator('[')) return parseList(cursor, at, 'ARRAY[');
  return form(at, 'ARRAY', { kind: 'scalar', at, select: parseParenthesizedSelect(cursor) });
}

/** `{key: value, …}`. */
function parseEntries(cursor: Cursor, at: number, opening: string, key: (cursor: Cursor) => string | Expr): Form {
  cursor.expectOperator('{');
  const entries = cursor.isOperator('}')
    ? []
    : cursor.list(() => {
        const name = key(cursor);
        cursor.expectOperator(':');
        return [name, ': ', cursor.expression()];
      });
  cursor.expectOperator('}');
  const parts = entries.flatMap((entry, index) => (index === 0 ? entry : [', ', ...entry]));
  return form(at, opening, ...parts, '}');
}

function structKey(cursor: Cursor): string {
  const { kind } = cursor.token;
  if (kind !== 'word' && kind !== 'name' && kind !== 'string') throw cursor.unexpected('the name of a part');
  return `'${cursor.advance().value.replaceAll("'", "''")}'`;
}

/** `DATE '2024-01-31'` is a cast. */
function parseTypedText(cursor: Cursor, at: number): Form {
  const type = parseType(cursor);
  if (cursor.token.kind !== 'string') throw cursor.unexpected('a text');
  const { value, start } = cursor.advance();
  return form(at, 'CAST(', { kind: 'string', at: start, value }, ` AS ${type})`);
}

/** `date(value)` is a cast, too. */
function parseDate(cursor: Cursor, at: number): Form {
  cursor.advance();
  cursor.expectOperator('(');
  const operand = cursor.expression();
  cursor.expectOperator(')');
  return form(at, 'CAST(', operand, ' AS DATE)');
}

/** `INTERVAL '1 day'`, `INTERVAL 1 DAY`, `INTERVAL (a + 1) DAYS`; a column may be called so too. */
function parseInterval(cursor: Cursor, at: number): Form | undefined {
  const { kind } = cursor.peek();
  const isOpen = cursor.peekOperator('(');
  if (kind !== 'string' && kind !== 'number' && !isOpen) return undefined;
  cursor.advance();
  const inner = isOpen ? cursor.advance() : undefined;
  const amount: Expr = inner ? cursor.expression() : literal(cursor);
  if (inner) cursor.expectOperator(')');
  const unit = UNITS.has(cursor.token.keyword) ? cursor.advance().keyword : undefined;
  if (unit !== undefined)
    return form(at, isOpen ? 'INTERVAL (' : 'INTERVAL ', amount, isOpen ? `) ${unit}` : ` ${unit}`);
  if (kind !== 'string') throw cursor.unexpected('a unit such as DAY or MONTH');
  return form(at, 'CAST(', amount, ' AS INTERVAL)');
}

function literal(cursor: Cursor): Expr {
  const { kind, value, start: at } = cursor.advance();
  return { kind: kind === 'string' ? 'string' : 'number', at, value };
}

/** `LAMBDA x, y: body`. */
function parseLambda(cursor: Cursor, at: number): Expr {
  cursor.expect('LAMBDA');
  const params = cursor.isOperator('(') ? parseNameList(cursor) : cursor.list(() => cursor.name('a parameter'));
  cursor.expectOperator(':');
  return { kind: 'lambda', at, params, isArrow: false, body: cursor.expression() };
}

/** `COLUMNS(*)`, `COLUMNS('pattern')`, `COLUMNS(LAMBDA c: …)`: columns of what FROM shows, so none that is hidden. */
function parseColumns(cursor: Cursor, at: number): Form {
  cursor.advance();
  cursor.expectOperator('(');
  const isStar = cursor.acceptOperator('*');
  const chosen = isStar ? excluded(cursor) : (cursor.dialect.syntax.argument?.(cursor) ?? cursor.expression());
  cursor.expectOperator(')');
  return form(at, isStar ? 'COLUMNS(*' : 'COLUMNS(', chosen, ')');
}

function excluded(cursor: Cursor): string {
  if (!cursor.accept('EXCLUDE')) return '';
  const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
  const names = parseSome(cursor, () => parseStarName(cursor)).map(({ table, name }) =>
    table === undefined ? quoted(name) : `${quoted(table)}.${quoted(name)}`,
  );
  return ` EXCLUDE (${names.join(', ')})`;
}

/** `column` or `table.column`, as EXCLUDE and RENAME name it. */
export function parseStarName(cursor: Cursor): StarName {
  const first = cursor.name('a column');
  return cursor.acceptOperator('.') ? { table: first, name: cursor.anyName('a column') } : { name: first };
}

/** `OVERLAY(text PLACING part FROM start [FOR length])`. */
function parseOverlay(cursor: Cursor, at: number): Form | undefined {
  if (!cursor.peekOperator('(')) return undefined;
  cursor.advance();
  cursor.expectOperator('(');
  const text = cursor.expression();
  cursor.expect('PLACING');
  const part = cursor.expression();
  cursor.expect('FROM');
  const from = cursor.expression();
  const end = cursor.accept('FOR') ? [' FOR ', cursor.expression(), ')'] : [')'];
  cursor.expectOperator(')');
  return form(at, 'OVERLAY(', text, ' PLACING ', part, ' FROM ', from, ...end);
}
