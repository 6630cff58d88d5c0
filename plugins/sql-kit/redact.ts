/** Takes the values that people write into statements out of them, for logs that are kept. */
import type { Notation } from './dialects/notation.ts';

const BLANK = /\s+/y;
const COMMENT_MARK = /\/\*|\*\//g;
const DOLLAR_TAG = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
/** Digits with all that sticks to them: what is no number is no name either. */
const NUMBER = /\.?\d(?:[eE][+-]\d|[\w.\u0080-\uffff])*/y;
const WORD = /[\p{L}\p{M}_][\p{L}\p{M}\p{N}_$]*/uy;
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
  let before = '';
  for (let at = 0; at < sql.length; ) {
    const [end, shown] = next(sql, at, notation, before);
    result += shown;
    before = (before + shown).slice(-2);
    at = end;
  }
  return result.replace(/ {2,}/g, ' ').trim();
}

/** Where what begins at `at` ends, and what is shown of it. */
function next(sql: string, at: number, notation: Notation, before: string): readonly [end: number, shown: string] {
  const one = sql.charAt(at);
  const blank = ending(BLANK, sql, at) ?? ending(notation.lineComment, sql, at);
  if (blank !== undefined) return [blank, ' '];
  if (sql.startsWith('/*', at)) return [endOfComment(sql, at, notation.hasNestedComments), ' '];
  if (notation.texts.includes(one)) {
    const hasEscapes =
      notation.escapes === 'always' || (notation.escapes === 'prefixed' && /(?:^|\W)[eE]$/.test(before));
    return [endOfQuoted(sql, at, one, hasEscapes), '?'];
  }
  if (notation.names.includes(one)) return quotedName(sql, at, one);
  const tag = notation.hasDollarQuotes ? ending(DOLLAR_TAG, sql, at) : undefined;
  if (tag !== undefined) {
    const close = sql.indexOf(sql.slice(at, tag), tag);
    return [close === -1 ? sql.length : close + tag - at, '?'];
  }
  const value = ending(NUMBER, sql, at) ?? ending(FANCY_TEXT, sql, at);
  if (value !== undefined) return [value, '?'];
  const end = ending(WORD, sql, at) ?? at + 1;
  return [end, sql.slice(at, end)];
}

function ending(pattern: RegExp, sql: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(sql) ? pattern.lastIndex : undefined;
}

function quotedName(sql: string, at: number, open: string): readonly [end: number, shown: string] {
  const close = open === '[' ? ']' : open;
  const end = open === '[' ? sql.indexOf(']', at) + 1 || sql.length : endOfQuoted(sql, at, open, false);
  const isPlain = sql.charAt(end - 1) === close && PLAIN_NAME.test(sql.slice(at + 1, end - 1));
  return [end, isPlain ? sql.slice(at, end) : `${open}?${close}`];
}

/** Behind the closing quote, or the end of the statement; a doubled quote stands for one. */
function endOfQuoted(sql: string, start: number, quote: string, hasEscapes: boolean): number {
  for (let at = start + 1; at < sql.length; at += 1) {
    const one = sql.charAt(at);
    if (one === '\\' && hasEscapes) at += 1;
    else if (one === quote) {
      if (sql.charAt(at + 1) !== quote) return at + 1;
      at += 1;
    }
  }
  return sql.length;
}

function endOfComment(sql: string, start: number, nests: boolean): number {
  let depth = 0;
  COMMENT_MARK.lastIndex = start;
  for (let mark = COMMENT_MARK.exec(sql); mark !== null; mark = COMMENT_MARK.exec(sql)) {
    if (mark[0] === '/*') depth = nests ? depth + 1 : 1;
    else depth -= 1;
    // What overlaps, as in `/*/`, begins a comment and does not end it.
    if (depth === 0) return COMMENT_MARK.lastIndex;
  }
  return sql.length;
}
