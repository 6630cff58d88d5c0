/** Splits statements into tokens as DuckDB does. */
import { isDigit, isSpace, isWordPart, isWordStart, type Lexer } from '../../parse/lexer.ts';

const [DOUBLE_QUOTE, DOLLAR, QUOTE, MINUS, DOT, SLASH, STAR] = [34, 36, 39, 45, 46, 47, 42];
const BYTE_ORDER_MARK = 0xfeff;

/** Longest first, so that the first that fits is the one that is meant. */
const OPERATORS = [
  '!~~*',
  '!~~',
  '->>',
  '~~~',
  '~~*',
  '<->',
  '<=>',
  '||',
  '::',
  ':=',
  '=>',
  '->',
  '<=',
  '>=',
  '<>',
  '!=',
]
  .concat(['==', '<<', '>>', '&&', '@>', '<@', '^@', '!~', '~~', '**', '//'])
  .concat([...'+-*/%^&|~=<>(),.;[]{}:@']);

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** Takes the next token as DuckDB does: by PostgreSQL's rules, without its bit strings. */
export function duckdbToken(lexer: Lexer, code: number): void {
  const next = lexer.text.charCodeAt(lexer.offset + 1);
  if (isSpace(code) || code === BYTE_ORDER_MARK) lexer.offset += 1;
  else if (next === QUOTE && isWordStart(code)) prefixed(lexer, lexer.text.charAt(lexer.offset));
  else if (isWordStart(code)) lexer.word();
  else if (isDigit(code) || (code === DOT && isDigit(next))) number(lexer);
  else if (code === QUOTE) lexer.quoted('string', "'");
  else if (code === DOUBLE_QUOTE) lexer.quoted('name', '"');
  else if (code === DOLLAR) dollarQuoted(lexer);
  else if (code === MINUS && next === MINUS) lexer.lineComment();
  else if (code === SLASH && next === STAR) nestedComment(lexer);
  else operator(lexer);
}

/** `e'…'` has escapes; `x'…'` and `b'…'` do not mean here what they mean elsewhere. */
function prefixed(lexer: Lexer, letter: string): void {
  const { text, offset } = lexer;
  if (letter !== 'e' && letter !== 'E') {
    if (/[xbnu]/i.test(letter)) {
      throw lexer.refuse('syntax', `Text with the prefix ${letter} is not read here`, offset, "Write plain text: '…'.");
    }
    lexer.word();
    return;
  }
  let value = '';
  let end = offset + 2;
  for (;;) {
    const char = text.charAt(end);
    if (char === '') throw lexer.refuse('syntax', 'The quoted text is not closed', offset, "Close it with '.");
    if (char === "'" && text.charAt(end + 1) !== "'") break;
    if (char === '\\') {
      const escaped = text.charAt(end + 1);
      if (/[0-7xuU]/.test(escaped) || escaped === '') {
        throw lexer.refuse('syntax', `The escape \\${escaped} is not read here`, end, 'Write the character itself.');
      }
      value += ESCAPES[escaped] ?? escaped;
    } else value += char;
    end += char === '\\' || char === "'" ? 2 : 1;
  }
  lexer.push('string', value, end + 1);
}

/** `$$…$$` or `$tag$…$tag$`; anything else after `$` is a parameter. */
function dollarQuoted(lexer: Lexer): void {
  const { text, offset } = lexer;
  const tag = /^\$(?:[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*)?\$/.exec(text.slice(offset, offset + 100))?.[0];
  if (tag === undefined) {
    parameter(lexer);
    return;
  }
  const end = text.indexOf(tag, offset + tag.length);
  if (end === -1) throw lexer.refuse('syntax', 'The quoted text is not closed', offset, `Close it with ${tag}.`);
  lexer.push('string', text.slice(offset + tag.length, end), end + tag.length);
}

/** Comments nest, and one that is not closed is refused: the engine would not run it either. */
function nestedComment(lexer: Lexer): void {
  const { text, offset } = lexer;
  const marks = /\/\*|\*\//g;
  marks.lastIndex = offset;
  let depth = 0;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    depth += mark[0] === '/*' ? 1 : -1;
    if (depth > 0) continue;
    lexer.offset = mark.index + 2;
    return;
  }
  throw lexer.refuse('syntax', 'The comment is not closed', offset, 'Close it with */.');
}

/** Neither hexadecimal nor binary: `0x1F` is `0` under the name `x1F` for the engine. */
function number(lexer: Lexer): void {
  const { text, offset } = lexer;
  const end = lexer.digits(offset, isDigit);
  if (end === offset + 1 && text[offset] === '0' && isWordPart(text.charCodeAt(end)) && !/e/i.test(text.charAt(end))) {
    throw lexer.refuse('syntax', 'Only decimal numbers are read here', offset, 'Write the number in decimal digits.');
  }
  lexer.number();
}

function operator(lexer: Lexer): void {
  const { text, offset } = lexer;
  const operator = OPERATORS.find((sign) => text.startsWith(sign, offset));
  if (operator !== undefined) lexer.push('operator', operator, offset + operator.length);
  else if ('?$#'.includes(text.charAt(offset))) parameter(lexer);
  else throw lexer.refuse('syntax', `Unexpected character ${JSON.stringify(text.charAt(offset))}`, offset);
}

function parameter(lexer: Lexer): never {
  const what = `Parameters such as "${lexer.text.charAt(lexer.offset)}" have no value here`;
  throw lexer.refuse('parameter', what, lexer.offset, 'Write the value itself.');
}
