/** Takes the values that people write into statements out of them, for logs that are kept. */
import type { Notation } from './dialects/notation.ts';
import { partAt } from './parse/parts.ts';

/** Typographic quotes: no engine reads them, and a text that was meant to be one is inside. */
const FANCY_TEXT = /[‘’‚‛“”„‟«»‹›][^‘’‚‛“”„‟«»‹›]*[‘’‚‛“”„‟«»‹›]?/y;
/** Whatever begins a text, a number or a comment in some engine, with all that follows. */
const FIRST_VALUE = /(?:["'`$#\d[‘’‚‛“”„‟«»‹›]|--|\/\*)[\s\S]*$/;
/** A quoted name that could stand without quotes, or with spaces. Anything else may be a text in the wrong quotes. */
const PLAIN_NAME = /^[\p{L}\p{M}_][\p{L}\p{M}\p{N}_$ ]{0,62}$/u;

/**
 * The statement with `?` for every text, number and binary value, without comments, on one line. Never fails: a text
 * that is not closed is left out with all that follows, so what no engine could parse shows no value either. Names in
 * quotes stay where they look like names. Without a notation it is unknown where a text ends: all is
 * left out from the first sign that may begin one.
 */
export function redactLiterals(sql: string, notation: Notation | undefined): string {
  if (notation === undefined) return sql.replace(FIRST_VALUE, '?');
  let result = '';
  for (let at = 0; at < sql.length; ) {
    const [end, shown] = next(sql, at, notation);
    result += shown;
    at = end;
  }
  return result.replace(/ {2,}/g, ' ').trim();
}

/** Where what begins at `at` ends, and what is shown of it. */
function next(sql: string, at: number, notation: Notation): readonly [end: number, shown: string] {
  FANCY_TEXT.lastIndex = at;
  if (FANCY_TEXT.test(sql)) return [FANCY_TEXT.lastIndex, '?'];
  const { kind, end } = partAt(sql, at, notation);
  if (kind === 'space') return [end, ' '];
  if (kind === 'text' || kind === 'number') return [end, '?'];
  return [end, kind === 'name' ? shownName(sql.slice(at, end)) : sql.slice(at, end)];
}

function shownName(name: string): string {
  const [open = ''] = name;
  const close = open === '[' ? ']' : open;
  const isPlain = name.endsWith(close) && PLAIN_NAME.test(name.slice(1, -1));
  return isPlain ? name : `${open}?${close}`;
}
