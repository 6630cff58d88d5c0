/** Bounds the text that PostgreSQL's parser is given. */
import { positionAt, type RefusalRule, SqlRefusal } from '../../parse/errors.ts';
import type { LexLimits } from '../../parse/lexer.ts';

/** Deepest nesting of brackets, and most operators: each costs the server's parser time and memory. */
const MAX_NESTING = 200;
const MAX_OPERATORS = 2_500;
const MAX_COMMENT_BRACKETS = 200;
/** So short a text costs little, whatever it holds. */
const SMALL = 1_000;

/** Words that make a tree deeper or longer. */
const GROWING = new Set(
  'or and not union intersect except join case select is isnull notnull like ilike in between when collate'.split(' '),
);
const LONGEST_WORD = 9;

const ROUND = '('.charCodeAt(0);
const SQUARE = '['.charCodeAt(0);

const TAG = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
const BRACKET = /\/\*|\*\//g;
const WORD = /[\w$\u0080-\uffff]+/y;
const SIGNS = /[-+*/<>=~!@#%^&|`?:]+?(?=--|\/\*|[^-+*/<>=~!@#%^&|`?:]|$)/y;

/**
 * Bounds what the server's parser is given, in one pass before it sees it: what the text means is for the parser to
 * say. Throws `SqlRefusal`.
 */
export function boundText(text: string, limits: LexLimits): void {
  const refuse = (rule: RefusalRule, what: string, at: number, hint?: string): SqlRefusal =>
    new SqlRefusal(rule, what, positionAt(text, at), hint);
  if (text.length > limits.maxTextLength) {
    throw refuse('size', `The statement is longer than ${limits.maxTextLength} characters`, 0);
  }
  const nul = text.indexOf('\0');
  if (nul !== -1) throw refuse('syntax', 'The statement contains a NUL character', nul);
  if (text.length <= limits.maxTokens && isSmall(text)) return;
  let [tokens, operators, depth] = [0, 0, 0];
  for (let at = 0; at < text.length; ) {
    const one = text.charAt(at);
    if (one <= ' ') {
      at += 1;
      continue;
    }
    tokens += 1;
    const end = endOfToken(text, at, one);
    if (end === undefined) throw refuse('syntax', 'The comment is not closed', at, 'Close it with */.');
    if (one === '(' || one === '[') depth += 1;
    else if (one === ')' || one === ']') depth -= 1;
    else if (isSign(one)) operators += 1;
    else if (end - at <= LONGEST_WORD && GROWING.has(text.slice(at, end).toLowerCase())) operators += 1;
    if (depth > MAX_NESTING) {
      throw refuse('size', 'The statement is nested too deeply', at, 'Use WITH to name the inner parts.');
    }
    if (operators > MAX_OPERATORS) {
      const hint = 'Use IN (…) for a list of values.';
      throw refuse('size', `The statement has more than ${MAX_OPERATORS} operators`, at, hint);
    }
    if (tokens > limits.maxTokens) {
      throw refuse('size', `The statement has more than ${limits.maxTokens} words and signs`, at);
    }
    at = end;
  }
}

/** Whether the text cannot exceed a bound, whatever it holds. */
function isSmall(text: string): boolean {
  if (text.length <= SMALL) return true;
  // An operator and what it stands between take two characters.
  if (text.length > 2 * MAX_OPERATORS || text.includes('/*')) return false;
  let brackets = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === ROUND || code === SQUARE) brackets += 1;
  }
  return brackets <= MAX_NESTING;
}

const isSign = (one: string) => '-+*/<>=~!@#%^&|`?:'.includes(one);

/** Where what begins at `at` ends: a comment, a text, a name, a run of signs, or one character. */
function endOfToken(text: string, at: number, one: string): number | undefined {
  const two = text.slice(at, at + 2);
  if (two === '--') return orEnd(text, text.indexOf('\n', at));
  if (two === '/*') return endOfComment(text, at);
  if (one === "'" || one === '"') return endOfQuote(text, at, one, false);
  if (two === "E'" || two === "e'") return endOfQuote(text, at + 1, "'", true);
  const tag = one === '$' ? matchAt(TAG, text, at) : 0;
  if (tag > 0) {
    const close = text.indexOf(text.slice(at, at + tag), at + tag);
    return close === -1 ? text.length : close + tag;
  }
  return at + (matchAt(isSign(one) ? SIGNS : WORD, text, at) || 1);
}

function matchAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}

const orEnd = (text: string, at: number) => (at === -1 ? text.length : at);

/** Comments nest; the server's parser takes quadratic time over many that begin in one place. */
function endOfComment(text: string, start: number): number | undefined {
  let depth = 0;
  BRACKET.lastIndex = start;
  for (let count = 0; count < MAX_COMMENT_BRACKETS; count += 1) {
    const bracket = BRACKET.exec(text);
    if (bracket === null) break;
    depth += bracket[0] === '/*' ? 1 : -1;
    if (depth === 0) return BRACKET.lastIndex;
  }
  return undefined;
}

/** A doubled quote stands for one, and closes and opens here, which comes to the same. */
function endOfQuote(text: string, start: number, quote: string, hasEscapes: boolean): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const one = text.charAt(at);
    if (one === quote) return at + 1;
    if (hasEscapes && one === '\\') at += 1;
  }
  return text.length;
}
