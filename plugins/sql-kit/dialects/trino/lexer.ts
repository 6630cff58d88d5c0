/** Splits statements into tokens as the lexer rules of Trino's published grammar do. */
import { isStable } from '../../ast/names.ts';
import { BYTE_ORDER_MARK, isDigit, isSpace, isWordStart, type Lexer } from '../../parse/lexer.ts';

const [DOUBLE_QUOTE, QUOTE, MINUS, DOT, SLASH, STAR] = [34, 39, 45, 46, 47, 42];

/** Longest first, so that the first that fits is the one that is meant. */
const OPERATORS = ['||', '->', '=>', '<=', '>=', '<>', '!='].concat([...'+-*/%=<>(),.;[]']);

/** Takes the next token; texts have no escapes, comments do not nest, and both ends of a line end a comment. */
export function trinoToken(lexer: Lexer, code: number): void {
  const { text, offset } = lexer;
  const next = text.charCodeAt(offset + 1);
  if (isSpace(code) || code === BYTE_ORDER_MARK) lexer.offset += 1;
  else if (next === QUOTE && (code | 32) === 120) binary(lexer);
  else if (/^u&'/i.test(text.slice(offset, offset + 3))) unicode(lexer);
  else if (isWordStart(code)) lexer.plainWord('Names with other than plain letters stand in double quotes.');
  else if (isDigit(code) || (code === DOT && isDigit(next))) number(lexer);
  else if (code === QUOTE) lexer.quoted('string', "'");
  else if (code === DOUBLE_QUOTE) name(lexer);
  else if (code === MINUS && next === MINUS) lexer.offset = /[\r\n]|$/.exec(text.slice(offset))!.index + offset;
  else if (code === SLASH && next === STAR) lexer.closedComment();
  else operator(lexer);
}

/** A name in quotes, which the engine compares in any case all the same. */
function name(lexer: Lexer): void {
  const at = lexer.offset;
  lexer.quoted('name', '"');
  const { value } = lexer.tokens.at(-1)!;
  if (value === '') throw lexer.refuse('syntax', 'A name is empty', at);
  if (value.startsWith('$')) {
    const hint = 'Read the columns of the table that are declared.';
    throw lexer.refuse('column', `Hidden columns such as "${value.slice(0, 40)}" cannot be read`, at, hint);
  }
  if (isStable(value)) return;
  const hint = 'Write its letters beyond A to Z in lower case.';
  throw lexer.refuse('syntax', `The name "${value.slice(0, 40)}" could be taken for another one`, at, hint);
}

/** Decimal, hexadecimal, octal and binary numbers, their digits grouped by underscores. */
function number(lexer: Lexer): void {
  const { text, offset } = lexer;
  const bits = /^0(?:[oO](?:_?[0-7])+|[bB](?:_?[01])+)(?![\w.])/.exec(text.slice(offset, offset + 80))?.[0];
  if (bits !== undefined) {
    lexer.push('number', bits, offset + bits.length);
    return;
  }
  lexer.number();
  // To the engine `1_0e5` is a name, and `1.0_0e5` a number and a name.
  if (/^(?!0x)(?=.*_).*e/i.test(lexer.tokens.at(-1)!.value)) {
    throw lexer.refuse('syntax', 'The digits of a number with an exponent stand together', offset);
  }
}

/** `X'65 66'`: blanks between the digits mean nothing. */
function binary(lexer: Lexer): void {
  const { text, offset } = lexer;
  const end = text.indexOf("'", offset + 2);
  const digits = text.slice(offset + 2, Math.max(end, offset + 2)).replaceAll(/\s/g, '');
  if (end === -1 || !/^(?:[0-9a-f]{2})*$/i.test(digits)) {
    throw lexer.refuse('syntax', "A binary value is X'…' with an even number of hex digits", offset);
  }
  lexer.push('blob', digits, end + 1);
}

const ESCAPED_BY = /^\s+UESCAPE\s+'([^'])'/i;

/** `U&'\0041\+01F600' UESCAPE '\'` is the text that it stands for. */
function unicode(lexer: Lexer): void {
  const { text, offset } = lexer;
  lexer.offset += 2;
  lexer.quoted('string', "'");
  const token = lexer.tokens.pop()!;
  const given = ESCAPED_BY.exec(text.slice(lexer.offset, lexer.offset + 60));
  const mark = given?.[1] ?? '\\';
  const wrong = () => lexer.refuse('syntax', 'An escape in the text stands for no character', offset);
  if (/[\p{L}\p{N}+"'\s]/u.test(mark)) throw wrong();
  let value = '';
  for (let at = 0; at < token.value.length; ) {
    const rest = token.value.slice(at, at + 8);
    const [whole, four, six] = /^.(?:([0-9a-f]{4})|\+([0-9a-f]{6}))/i.exec(rest) ?? [];
    if (!rest.startsWith(mark)) value += rest[0];
    else if (rest[1] === mark) value += mark;
    else {
      const code = Number.parseInt(four ?? six ?? '', 16);
      if (!(code > 0 && code <= 0x10ffff) || (code >= 0xd800 && code <= 0xdfff)) throw wrong();
      value += String.fromCodePoint(code);
    }
    at += !rest.startsWith(mark) ? 1 : rest[1] === mark ? 2 : whole!.length;
  }
  const end = lexer.offset + (given?.[0].length ?? 0);
  lexer.offset = offset;
  lexer.push('string', value, end);
}

const HINTS: Readonly<Record<string, string>> = {
  ':': 'Write CAST(value AS type) in place of value::type.',
  '`': 'Write names in double quotes.',
  '!': 'Write NOT.',
};

function operator(lexer: Lexer): void {
  const { text, offset } = lexer;
  const sign = OPERATORS.find((one) => text.startsWith(one, offset));
  const char = text.charAt(offset);
  if (sign !== undefined) lexer.push('operator', sign, offset + sign.length);
  else if (char === '?')
    throw lexer.refuse('parameter', 'Parameters have no value here', offset, 'Write the value itself.');
  else throw lexer.refuse('syntax', `Unexpected character ${JSON.stringify(char)}`, offset, HINTS[char]);
}
