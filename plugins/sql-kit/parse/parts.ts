/** Finds where texts, names and comments of any statement end, also of one that no parser reads. */
import type { Notation } from '../dialects/notation.ts';

/** `space` also stands for a comment, `sign` for any other single character. */
export interface Part {
  readonly kind: 'space' | 'text' | 'name' | 'number' | 'word' | 'sign';
  /** Exclusive. What is not closed reaches to the end of the statement. */
  readonly end: number;
}

const BLANK = /\s+/y;
const COMMENT_MARK = /\/\*|\*\//g;
const DOLLAR_TAG = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
/** Digits with all that sticks to them: what is no number is no name either. */
const NUMBER = /\.?\d(?:[eE][+-]\d|[\w.\u0080-\uffff])*/y;
/** Between the pieces of a text, of which each begins with a quote. */
const CONTINUED = /[ \t\r\f]*\n\s*'/y;
const WORD = /[\p{L}\p{M}_][\p{L}\p{M}\p{N}_$]*/uy;

/** The part that begins at `at`, which is where another one ends. Never fails. */
export function partAt(sql: string, at: number, notation: Notation): Part {
  const one = sql.charAt(at);
  const space = ending(BLANK, sql, at) ?? ending(notation.lineComment, sql, at);
  if (space !== undefined) return { kind: 'space', end: space };
  if (sql.startsWith('/*', at)) return { kind: 'space', end: endOfComment(sql, at, notation.hasNestedComments) };
  if (notation.hasTripleQuotes && notation.texts.includes(one) && sql.startsWith(one.repeat(3), at)) {
    return { kind: 'text', end: endOfTriple(sql, at, one) };
  }
  if (notation.texts.includes(one)) {
    return { kind: 'text', end: endOfQuoted(sql, at, one, notation.escapes === 'always') };
  }
  if (notation.names.includes(one)) {
    const end = one === '[' ? sql.indexOf(']', at) + 1 || sql.length : endOfQuoted(sql, at, one, false);
    return { kind: 'name', end };
  }
  const tag = notation.hasDollarQuotes ? ending(DOLLAR_TAG, sql, at) : undefined;
  if (tag !== undefined) {
    const close = sql.indexOf(sql.slice(at, tag), tag);
    return { kind: 'text', end: close === -1 ? sql.length : close + tag - at };
  }
  const number = ending(NUMBER, sql, at);
  if (number !== undefined) return { kind: 'number', end: number };
  const word = ending(WORD, sql, at);
  if (word === undefined) return { kind: 'sign', end: at + 1 };
  const isPrefix = notation.escapes === 'prefixed' && word === at + 1 && 'eE'.includes(one) && sql[word] === "'";
  if (!isPrefix) return { kind: 'word', end: word };
  let end = endOfQuoted(sql, word, "'", true);
  // A text goes on after a line break.
  for (let next = ending(CONTINUED, sql, end); next !== undefined; next = ending(CONTINUED, sql, end)) {
    end = endOfQuoted(sql, next - 1, "'", true);
  }
  return { kind: 'text', end };
}

function ending(pattern: RegExp, sql: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(sql) ? pattern.lastIndex : undefined;
}

/** Behind the closing quote; a doubled quote stands for one. */
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

/** Behind the three quotes that close. */
function endOfTriple(sql: string, start: number, quote: string): number {
  for (let at = start + 3; at < sql.length; at += 1) {
    if (sql.charAt(at) === '\\') at += 1;
    else if (sql.startsWith(quote.repeat(3), at)) return at + 3;
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
