/** Writes JSON in pieces, so that a large answer neither blocks the event loop nor is in memory twice. */
import type { ServerResponse } from 'node:http';
import { Turns } from '../../event-loop-kit/index.ts';

/** What is written, or sent, at once. */
export const PIECE_BYTES = 65_536;
/** Of the pieces of all large answers, one is made in each turn of the event loop. */
export const pieceTurns = new Turns();
/** Values, and each 64 characters of text, that are written at once without a look at the clock. */
const SMALL = 1_000;
/** Characters after which a fragment ends, as soon as the value that it has come to is written. */
const FRAGMENT_LENGTH = 4_096;

/** What is left of `budget` after this value; negative, and no exact number, when it is larger. */
function remaining(value: unknown, budget: number): number {
  let left = budget - 1;
  if (typeof value === 'string') return left - value.length / 64;
  if (typeof value !== 'object' || value === null) return left;
  for (const key in value) {
    left = remaining((value as Record<string, unknown>)[key], left - key.length / 64);
    if (left < 0) return left;
  }
  return left;
}

/** Whether writing the value takes no time worth speaking of. */
export function isSmall(value: unknown): boolean {
  return remaining(value, SMALL) >= 0;
}

/** What `JSON.stringify` makes of the value, in fragments of bounded size; only a single text is never cut. */
function* fragments(value: object): Generator<string> {
  const list = Array.isArray(value) ? value : undefined;
  let text = list ? '[' : '{';
  let separator = '';
  for (const entry of list ?? Object.entries(value)) {
    const item: unknown = list ? entry : entry[1];
    if (!list && (item === undefined || typeof item === 'function' || typeof item === 'symbol')) continue;
    text += list ? separator : `${separator}${JSON.stringify(entry[0])}:`;
    separator = ',';
    if (isWhole(item)) text += JSON.stringify(item) ?? 'null';
    else {
      yield text;
      text = '';
      yield* fragments(item as object);
    }
    if (text.length < FRAGMENT_LENGTH) continue;
    yield text;
    text = '';
  }
  yield text + (list ? ']' : '}');
}

/** Whether it is written at once. */
const isWhole = (value: unknown) => typeof value !== 'object' || value === null || 'toJSON' in value || isSmall(value);

/** The JSON in texts of about `PIECE_BYTES`; each is made when it is asked for. */
export function* jsonTexts(value: unknown): Generator<string> {
  if (isWhole(value)) {
    yield JSON.stringify(value) ?? 'null';
    return;
  }
  let text = '';
  for (const fragment of fragments(value as object)) {
    text += fragment;
    if (text.length < PIECE_BYTES) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

/** How many bytes the JSON has; fewer when the client of the response leaves. Lets other work run in between. */
export async function jsonBytes(value: unknown, response: ServerResponse): Promise<number> {
  let bytes = 0;
  await pieceTurns.next();
  for (const text of jsonTexts(value)) {
    if (response.destroyed) break;
    bytes += Buffer.byteLength(text);
    await pieceTurns.next();
  }
  return bytes;
}
