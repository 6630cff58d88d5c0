/** Splits statements into tokens as MySQL and MariaDB do. */
import { isDigit, isHexDigit, isSpace, isWordStart, type Lexer } from '../../parse/lexer.ts';

const [DOUBLE_QUOTE, HASH, QUOTE, STAR, MINUS, DOT, SLASH, BACKTICK] = [34, 35, 39, 42, 45, 46, 47, 96];
const BYTE_ORDER_MARK = 0xfeff;

/** Longest first, so that the first that fits is the one that is meant. */
const OPERATORS = ['<=>', '->>', '||', '&&', '<<', '>>', '<=', '>=', '<>', '!=', '->'].concat([
  ...'+-*/%^&|~!=<>(),.;',
]);

const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  n: '\n',
  r: '\r',
  t: '\t',
  Z: '\x1a',
  '%': '\\%',
  _: '\\_',
};

/** Takes the next token as MySQL and MariaDB do in their default mode: `"x"` is text, and a backslash escapes. */
export function mysqlToken(lexer: Lexer, code: number): void {
  const next = lexer.text.charCodeAt(lexer.offset + 1);
  if (isSpace(code) || code === 11 || code === BYTE_ORDER_MARK) lexer.offset += 1;
  else if (next === QUOTE && isWordStart(code)) prefixed(lexer, lexer.text.charAt(lexer.offset).toLowerCase());
  else if (isWordStart(code)) wordOrIntroducer(lexer);
  else if (isDigit(code) || (code === DOT && isDigit(next))) number(lexer);
  else if (code === QUOTE) escapedText(lexer, "'");
  else if (code === DOUBLE_QUOTE) escapedText(lexer, '"');
  else if (code === BACKTICK) lexer.quoted('name', '`');
  else if (code === HASH) lexer.lineComment();
  else if (code === MINUS && next === MINUS && endsDashes(lexer)) lexer.lineComment();
  else if (code === SLASH && next === STAR) blockComment(lexer);
  else operator(lexer);
}

/** `x'41'` is binary, `b'101'` bits, `n'…'` text; anything else before a quote is a word. */
function prefixed(lexer: Lexer, letter: string): void {
  if (letter === 'x') lexer.blob();
  else if (letter === 'b') bits(lexer);
  else if (letter === 'n') {
    lexer.offset += 1;
    escapedText(lexer, "'");
  } else wordOrIntroducer(lexer);
}

function bits(lexer: Lexer): void {
  const { text, offset } = lexer;
  const [bits] = /^[bB]'[01]*'/.exec(text.slice(offset, offset + 70)) ?? [];
  if (bits === undefined) throw lexer.refuse('syntax', "Bits are b'…' with zeros and ones", offset);
  lexer.push('number', bits, offset + bits.length);
}

/** A character set before a text changes how the text is read, unless it is that of the connection. */
function wordOrIntroducer(lexer: Lexer): void {
  const { text, offset } = lexer;
  const own = /^_utf8mb4(?=\s*['"])/i.exec(text.slice(offset, offset + 40));
  if (own !== null) {
    lexer.offset += own[0].length;
    return;
  }
  const introducer =
    text[offset] === '_' ? /^_[a-z0-9]+(?=\s*(?:['"]|[xXbB]'|0x|0b))/i.exec(text.slice(offset, offset + 40)) : null;
  if (introducer !== null) {
    throw lexer.refuse(
      'syntax',
      `The character set ${introducer[0]} before a text is not read here`,
      offset,
      "Write plain text: '…'.",
    );
  }
  lexer.word();
}

/** Adjoining quotes stand for one; what a backslash escapes is resolved, but for the two signs of LIKE. */
function escapedText(lexer: Lexer, quote: string): void {
  const { text, offset } = lexer;
  let value = '';
  let end = offset + 1;
  for (;;) {
    const char = text.charAt(end);
    if (char === '') throw lexer.refuse('syntax', 'The quoted text is not closed', offset, `Close it with ${quote}.`);
    if (char === quote && text.charAt(end + 1) !== quote) break;
    if (char === '\\') {
      const escaped = text.charAt(end + 1);
      if (escaped === '0') throw lexer.refuse('syntax', 'The text contains a NUL character', end);
      value += ESCAPES[escaped] ?? escaped;
    } else value += char;
    end += char === '\\' || char === quote ? 2 : 1;
  }
  lexer.push('string', value, end + 1);
}

/** Two dashes begin a comment only before a blank or the end. */
function endsDashes(lexer: Lexer): boolean {
  const code = lexer.text.charCodeAt(lexer.offset + 2);
  return Number.isNaN(code) || isSpace(code) || code < 32;
}

/** Comments that a server would run are refused, and so is one that is not closed. */
function blockComment(lexer: Lexer): void {
  const { text, offset } = lexer;
  if (/^\/\*M?!/.test(text.slice(offset, offset + 4))) {
    throw lexer.refuse('syntax', 'Comments with a version are not read here', offset, 'Leave the comment out.');
  }
  const end = text.indexOf('*/', offset + 2);
  if (end === -1) throw lexer.refuse('syntax', 'The comment is not closed', offset, 'Close it with */.');
  lexer.offset = end + 2;
}

/** `0x41` is binary, and `0b101` bits. */
function number(lexer: Lexer): void {
  const { text, offset } = lexer;
  const [hex] = /^0x[0-9a-fA-F]+/.exec(text.slice(offset, offset + 10_000)) ?? [];
  const bits = hex === undefined ? /^0b[01]+/.exec(text.slice(offset, offset + 70))?.[0] : undefined;
  const plain = hex ?? bits;
  if (plain === undefined) lexer.number();
  else if (isHexDigit(text.charCodeAt(offset + plain.length)) || isWordStart(text.charCodeAt(offset + plain.length))) {
    throw lexer.refuse('syntax', 'Unexpected character right after a number', offset + plain.length);
  } else lexer.push('number', plain, offset + plain.length);
}

function operator(lexer: Lexer): void {
  const { text, offset } = lexer;
  const char = text.charAt(offset);
  if (char === '@') {
    throw lexer.refuse(
      'parameter',
      'Variables such as @name and @@name are not read here',
      offset,
      'Write the value itself.',
    );
  }
  if (text.startsWith('::', offset)) {
    throw lexer.refuse('syntax', 'Unexpected "::"', offset, 'Write CAST(value AS type).');
  }
  if (char === '?' || char === ':') {
    throw lexer.refuse(
      'parameter',
      `Parameters such as "${char}" have no value here`,
      offset,
      'Write the value itself.',
    );
  }
  const operator = OPERATORS.find((sign) => text.startsWith(sign, offset));
  if (operator === undefined) throw lexer.refuse('syntax', `Unexpected character ${JSON.stringify(char)}`, offset);
  lexer.push('operator', operator, offset + operator.length);
}
