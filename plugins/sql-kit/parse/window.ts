/** Reads windows: OVER, WINDOW and frames. */
import { form } from '../ast/forms.ts';
import type { Call, Frame, FrameBound, Window } from '../ast/tree.ts';
import { parseOrderBy } from './clauses.ts';
import type { Cursor } from './cursor.ts';

const FRAME_UNITS = ['ROWS', 'RANGE', 'GROUPS'] as const;

/** `WINDOW name AS (…), …`. */
export function parseNamedWindows(cursor: Cursor): { name: string; window: Window }[] {
  cursor.expect('WINDOW');
  return cursor.list(() => {
    const name = cursor.name('the name of a window');
    cursor.expect('AS');
    return { name, window: parseWindow(cursor) };
  });
}

/** After a call: `OVER (…)` or `OVER name`; anything else called OVER is an alias. */
export function parseOver(cursor: Cursor): Window | string | undefined {
  if (!cursor.is('OVER')) return undefined;
  if (cursor.peekOperator('(')) {
    cursor.advance();
    return parseWindow(cursor);
  }
  if (!cursor.isName(cursor.peek())) return undefined;
  cursor.advance();
  return cursor.name('a window');
}

/** `([base] [PARTITION BY …] [ORDER BY …] [frame])`. */
function parseWindow(cursor: Cursor): Window {
  cursor.expectOperator('(');
  const base = startsPart(cursor) ? undefined : cursor.name('a window');
  let partitionBy: Window['partitionBy'] = [];
  if (cursor.accept('PARTITION')) {
    cursor.expect('BY');
    partitionBy = cursor.list(() => cursor.expression());
  }
  const orderBy = parseOrderBy(cursor);
  const frame = parseFrame(cursor);
  cursor.expectOperator(')');
  return { base, partitionBy, orderBy, frame };
}

function startsPart(cursor: Cursor): boolean {
  const { keyword } = cursor.token;
  return (
    cursor.isOperator(')') ||
    keyword === 'PARTITION' ||
    keyword === 'ORDER' ||
    FRAME_UNITS.some((unit) => unit === keyword)
  );
}

/** `ROWS bound`, or `ROWS BETWEEN bound AND bound`, with EXCLUDE. */
function parseFrame(cursor: Cursor): Frame | undefined {
  const unit = FRAME_UNITS.find((word) => cursor.accept(word));
  if (unit === undefined) return undefined;
  if (!cursor.accept('BETWEEN')) {
    return { unit, start: parseBound(cursor), end: undefined, exclude: parseExclude(cursor) };
  }
  const start = parseBound(cursor);
  cursor.expect('AND');
  return { unit, start, end: parseBound(cursor), exclude: parseExclude(cursor) };
}

/** `CURRENT ROW`, `UNBOUNDED PRECEDING`, or a distance in rows, values or groups. */
function parseBound(cursor: Cursor): FrameBound {
  if (cursor.accept('CURRENT')) {
    cursor.expect('ROW');
    return { kind: 'CURRENT ROW' };
  }
  if (cursor.accept('UNBOUNDED')) return { kind: `UNBOUNDED ${parseDirection(cursor)}` };
  const distance = cursor.expression();
  return { kind: parseDirection(cursor), distance };
}

function parseDirection(cursor: Cursor): 'PRECEDING' | 'FOLLOWING' {
  if (cursor.accept('PRECEDING')) return 'PRECEDING';
  cursor.expect('FOLLOWING');
  return 'FOLLOWING';
}

function parseExclude(cursor: Cursor): Frame['exclude'] {
  if (!cursor.accept('EXCLUDE')) return undefined;
  if (cursor.accept('NO')) {
    cursor.expect('OTHERS');
    return 'NO OTHERS';
  }
  if (cursor.accept('CURRENT')) {
    cursor.expect('ROW');
    return 'CURRENT ROW';
  }
  if (cursor.accept('GROUP')) return 'GROUP';
  cursor.expect('TIES');
  return 'TIES';
}

/** `IGNORE NULLS` stands between the call, with its FILTER, and OVER. */
export function withNulls(cursor: Cursor, call: Call): Call {
  const word = ['IGNORE', 'RESPECT'].find((choice) => cursor.isWords(choice, 'NULLS'));
  if (word === undefined || call.over !== undefined) return call;
  const at = cursor.token.start;
  cursor.advance();
  cursor.advance();
  if (!cursor.is('OVER')) throw cursor.unexpected('OVER');
  return { ...call, nulls: form(at, ` ${word} NULLS`), over: parseOver(cursor) };
}
