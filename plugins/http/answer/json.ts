/** Writes JSON in pieces, so that a large answer is made as its client takes it and is not in memory twice. */

/** Characters after which a piece ends. */
const PIECE_LENGTH = 65_536;
/** Values, and each 64 characters of text, that are written at once. */
const SMALL = 200;
/** Items of a list with no more are written one by one: a few tables, each of which may be large. */
const FEW_ITEMS = 32;

/** What is left of `budget` after this value; negative, and no exact number, when it is larger. */
function remaining(value: unknown, budget: number): number {
  let left = budget - 1;
  if (typeof value === 'string') return left - value.length / 64;
  if (typeof value !== 'object' || value === null) return left;
  for (const [key, item] of Object.entries(value)) {
    left = remaining(item, left - key.length / 64);
    if (left < 0) return left;
  }
  return left;
}

/** Whether writing the value takes no time worth speaking of. */
export function isSmall(value: unknown): boolean {
  return remaining(value, SMALL) >= 0;
}

const isAbsent = (value: unknown) => value === undefined || typeof value === 'function' || typeof value === 'symbol';

function* parts(value: unknown): Generator<string> {
  if (Array.isArray(value) && value.length > FEW_ITEMS) yield* partsOfRows(value);
  else if (typeof value !== 'object' || value === null || 'toJSON' in value || isSmall(value)) {
    yield JSON.stringify(value) ?? 'null';
  } else {
    const isList = Array.isArray(value);
    let separator = isList ? '[' : '{';
    for (const [key, item] of Object.entries(value)) {
      if (!isList && isAbsent(item)) continue;
      yield isList ? separator : `${separator}${JSON.stringify(key)}:`;
      yield* parts(item);
      separator = ',';
    }
    yield `${separator === ',' ? '' : separator}${isList ? ']' : '}'}`;
  }
}

/** A long list is written some hundred items at a time, as many as make about a piece. */
function* partsOfRows(rows: readonly unknown[]): Generator<string> {
  let count = FEW_ITEMS;
  for (let at = 0; at < rows.length; ) {
    const text = JSON.stringify(rows.slice(at, at + count)).slice(1, -1);
    yield `${at === 0 ? '[' : ','}${text}`;
    at += count;
    count = Math.ceil(Math.min(2 * count, (count * PIECE_LENGTH) / text.length));
  }
  yield ']';
}

/** What `JSON.stringify` makes of the value, in pieces; each is made when it is asked for. */
export function* jsonPieces(value: unknown): Generator<string> {
  let piece = '';
  for (const part of parts(value)) {
    piece += part;
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
