/** Splits statements into tokens as ClickHouse does. */

import {
  BOUND_MARK,
  BYTE_ORDER_MARK,
  isDigit,
  isHexDigit,
  isSpace,
  isWordPart,
  isWordStart,
  type Lexer,
} from '../../parse/lexer.ts';
import { OWN_PREFIX } from './names.ts';

const [DOUBLE_QUOTE, HASH, DOLLAR, QUOTE, STAR, MINUS, DOT, SLASH, BACKTICK] = [34, 35, 36, 39, 42, 45, 46, 47, 96];
const VERTICAL_TAB = 11;

/** Longest first, so that the first that fits is the one that is meant. */
const OPERATORS = ['<=>', '||', '::', '->', '<=', '>=', '<>', '!=', '=='].concat([...'+-*/%=<>(),.;[]']);

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};
/** What loses its backslash; before any other character the backslash stays. */
const ESCAPED = new Set(['\\', '`', '"', "'", '/', '=']);

/** Takes the next token as ClickHouse does: a backslash escapes in texts and in names. */
export function clickhouseToken(lexer: Lexer, code: number): void {
  const next = lexer.text.charCodeAt(lexer.offset + 1);
  if (isSpace(code) || code === VERTICAL_TAB || code === BYTE_ORDER_MARK) lexer.offset += 1;
  else if (isCurved(code))
    throw lexer.refuse('syntax', 'Typographic quotes are not read here', lexer.offset, "Write '…'.");
  else if (next === QUOTE && /[xXbB]/.test(lexer.text.charAt(lexer.offset))) throw binary(lexer);
  else if (isWordStart(code)) word(lexer);
  else if (code === DOT && isDigit(next) && followsOperand(lexer)) part(lexer);
  else if (isDigit(code) || (code === DOT && isDigit(next))) number(lexer);
  else if (code === QUOTE) escaped(lexer, 'string', "'");
  else if (code === DOUBLE_QUOTE) escaped(lexer, 'name', '"');
  else if (code === BACKTICK) escaped(lexer, 'name', '`');
  else if (code === DOLLAR) heredoc(lexer);
  else if (code === MINUS && next === MINUS) lexer.lineComment();
  else if (code === HASH && (next === 32 || next === 33)) lexer.lineComment();
  else if (code === SLASH && next === STAR) lexer.plainComment();
  else operator(lexer);
}

/** Newer servers take typographic quotes for plain ones. */
const isCurved = (code: number) => [0x2018, 0x2019, 0x201c, 0x201d].includes(code);

function binary(lexer: Lexer) {
  const hint = "Write unhex('…') or unbin('…').";
  return lexer.refuse('syntax', 'Binary texts are not read here', lexer.offset, hint);
}

/** Plain letters, digits and underscores, or the name of a bound value. */
const WORD = new RegExp(`^${BOUND_MARK}?[\\w$]*$`, 'u');

function word(lexer: Lexer): void {
  lexer.word();
  const { value, start } = lexer.tokens.at(-1)!;
  if (value.startsWith(OWN_PREFIX)) throw reserved(lexer, start);
  if (WORD.test(value)) return;
  const hint = 'Names with other than plain letters stand in backticks.';
  throw lexer.refuse('syntax', `Unexpected character in ${JSON.stringify(value.slice(0, 40))}`, start, hint);
}

const reserved = (lexer: Lexer, at: number) =>
  lexer.refuse('syntax', `Names that begin with "${OWN_PREFIX}" are those of the guard`, at, 'Choose another name.');

/** Whether what stands right before is an operand, so that `.1` is a part of it. */
function followsOperand({ tokens, offset }: Lexer): boolean {
  const before = tokens.at(-1);
  if (before === undefined || before.end !== offset) return false;
  if (before.kind === 'operator') return before.value === ')' || before.value === ']' || /^\.\d/.test(before.value);
  return before.kind === 'word' || before.kind === 'name';
}

/** `.1` behind a tuple. */
function part(lexer: Lexer): void {
  const { text, offset } = lexer;
  const [digits] = /^\.\d{1,6}/.exec(text.slice(offset, offset + 8))!;
  const end = offset + digits.length;
  if (isWordPart(text.charCodeAt(end))) throw lexer.refuse('syntax', 'Unexpected character after a number', end);
  lexer.push('operator', digits, end);
}

/** Decimal, hexadecimal and binary numbers; hexadecimal ones have no fraction here. */
function number(lexer: Lexer): void {
  const { text, offset } = lexer;
  const bits = /^0[bB][01]+(?![\w.$])/.exec(text.slice(offset, offset + 70))?.[0];
  if (bits !== undefined) lexer.push('number', bits, offset + bits.length);
  else lexer.number();
  const token = lexer.tokens.at(-1)!;
  // Behind a word a dot would be one of a name.
  if (token.value.startsWith('.')) lexer.tokens[lexer.tokens.length - 1] = { ...token, value: `0${token.value}` };
  if (/^0[xX]/.test(token.value) && /[.pP]/.test(text.charAt(token.end))) {
    throw lexer.refuse(
      'syntax',
      'Hexadecimal fractions are not read here',
      offset,
      'Write the number in decimal digits.',
    );
  }
}

/** Text or a name in quotes; a doubled quote stands for one. */
function escaped(lexer: Lexer, kind: 'string' | 'name', quote: string): void {
  const { text, offset } = lexer;
  const what = kind === 'string' ? 'text' : 'name';
  let value = '';
  let end = offset + 1;
  for (;;) {
    const char = text.charAt(end);
    if (char === '')
      throw lexer.refuse('syntax', `The quoted ${what} is not closed`, offset, `Close it with ${quote}.`);
    if (char === quote && text.charAt(end + 1) !== quote) break;
    if (char === '\\') {
      const [meant, length] = unescaped(lexer, end);
      value += meant;
      end += length;
    } else {
      value += char;
      end += char === quote ? 2 : 1;
    }
  }
  if (kind === 'name' && value === '') throw lexer.refuse('syntax', 'A name is empty', offset);
  // A text may be the name of a column.
  if (value.startsWith(OWN_PREFIX)) throw reserved(lexer, offset);
  lexer.push(kind, value, end + 1);
}

/** What the escape at `at` stands for, and how long it is. */
function unescaped(lexer: Lexer, at: number): [meant: string, length: number] {
  const { text } = lexer;
  const char = text.charAt(at + 1);
  if (char === 'x' && isHexDigit(text.charCodeAt(at + 2)) && isHexDigit(text.charCodeAt(at + 3))) {
    const code = Number.parseInt(text.slice(at + 2, at + 4), 16);
    if (code > 0 && code < 128) return [String.fromCharCode(code), 4];
  }
  if (char === '' || /[0Nx\p{Cc}]/u.test(char) || char.charCodeAt(0) >= 128) {
    throw lexer.refuse('syntax', `The escape \\${char} is not read here`, at, 'Write the character itself.');
  }
  const control = ESCAPES[char];
  return [control ?? (ESCAPED.has(char) ? char : `\\${char}`), 2];
}

/** `$$…$$` or `$tag$…$tag$`. */
function heredoc(lexer: Lexer): void {
  const { text, offset } = lexer;
  const tag = /^\$\w*\$/.exec(text.slice(offset, offset + 100))?.[0];
  if (tag === undefined)
    throw lexer.refuse('parameter', 'Parameters have no value here', offset, 'Write the value itself.');
  const end = text.indexOf(tag, offset + tag.length);
  if (end === -1) throw lexer.refuse('syntax', 'The quoted text is not closed', offset, `Close it with ${tag}.`);
  const value = text.slice(offset + tag.length, end);
  if (value.startsWith(OWN_PREFIX)) throw reserved(lexer, offset);
  lexer.push('string', value, end + tag.length);
}

function operator(lexer: Lexer): void {
  const { text, offset } = lexer;
  const sign = OPERATORS.find((one) => text.startsWith(one, offset));
  if (sign !== undefined) {
    lexer.push('operator', sign, offset + sign.length);
    return;
  }
  const char = text.charAt(offset);
  if (char === '?') throw lexer.refuse('syntax', 'Unexpected "?"', offset, 'Write if(condition, a, b).');
  if (char === '{') {
    throw lexer.refuse(
      'parameter',
      'Parameters in braces have no value here',
      offset,
      "Write the value itself, or map('key', value).",
    );
  }
  throw lexer.refuse('syntax', `Unexpected character ${JSON.stringify(char)}`, offset);
}
