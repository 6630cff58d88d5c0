/** Splits statements into tokens as Snowflake's documentation describes them: names without quotes are in capital letters. */
import { BOUND_MARK, BYTE_ORDER_MARK, isDigit, isSpace, isWordStart, type Lexer } from '../../parse/lexer.ts';

const [DOUBLE_QUOTE, DOLLAR, QUOTE, STAR, MINUS, DOT, SLASH] = [34, 36, 39, 42, 45, 46, 47];

/** The colon of `column:path`, which is no sign that other engines have. */
export const PATH = ':path';

/** Longest first, so that the first that fits is the one that is meant. */
const OPERATORS = ['||', '::', '->', '=>', '<=', '>=', '<>', '!='].concat([...'+-*/%=<>(),.;[]']);

/** Takes the next token; comments do not nest, and `//` begins one too. */
export function snowflakeToken(lexer: Lexer, code: number): void {
  const { text, offset } = lexer;
  const next = text.charCodeAt(offset + 1);
  if (isSpace(code) || code === BYTE_ORDER_MARK) lexer.offset += 1;
  else if (next === QUOTE && (code | 32) === 120) lexer.blob();
  else if (isWordStart(code)) word(lexer);
  else if (isDigit(code) || (code === DOT && isDigit(next))) number(lexer);
  else if (code === QUOTE) quotedText(lexer);
  else if (code === DOUBLE_QUOTE) name(lexer);
  else if (code === DOLLAR) dollar(lexer);
  else if ((code === MINUS || code === SLASH) && next === code)
    lexer.offset = /[\r\n]|$/.exec(text.slice(offset))!.index + offset;
  else if (code === SLASH && next === STAR) lexer.plainComment();
  else operator(lexer);
}

const WORD = new RegExp(`^${BOUND_MARK}?[\\w$]*$`, 'u');

/** In capital letters. */
function word(lexer: Lexer): void {
  lexer.word();
  const token = lexer.tokens.pop()!;
  const { value, start, keyword, end } = token;
  if (!WORD.test(value)) {
    const what = `Unexpected character in ${JSON.stringify(value.slice(0, 40))}`;
    throw lexer.refuse('syntax', what, start, 'Names with other than plain letters stand in double quotes.');
  }
  if (lexer.text[end] === "'") {
    const hint = "Write plain text: '…'.";
    if (/^[BENUR]$/i.test(value))
      throw lexer.refuse('syntax', `Texts with the prefix ${value} are not read here`, start, hint);
  }
  refuseHidden(lexer, value.toUpperCase(), start);
  lexer.tokens.push({ ...token, value: value.toUpperCase(), keyword: meantBy(lexer, value.toUpperCase(), keyword) });
}

/** MINUS is EXCEPT under another name, and NAME a keyword in UNION BY NAME alone: columns are called so. */
function meantBy({ tokens }: Lexer, word: string, keyword: string): string {
  if (keyword === 'MINUS') return 'EXCEPT';
  const isSet = tokens.at(-1)?.keyword === 'BY' && /^(?:UNION|ALL|DISTINCT)$/.test(tokens.at(-2)?.keyword ?? '');
  return word === 'NAME' && isSet ? word : keyword;
}

/** A name in quotes, which has no escapes. */
function name(lexer: Lexer): void {
  const at = lexer.offset;
  lexer.quoted('name', '"');
  const { value } = lexer.tokens.at(-1)!;
  if (value === '') throw lexer.refuse('syntax', 'A name is empty', at);
  refuseHidden(lexer, value, at);
}

/** Columns of streams, stages and external tables that nobody has declared. */
function refuseHidden(lexer: Lexer, value: string, at: number): void {
  if (!value.startsWith('METADATA$')) return;
  const hint = 'Read the columns of the table that are declared.';
  throw lexer.refuse('column', `Hidden columns such as "${value.slice(0, 40)}" cannot be read`, at, hint);
}

/** Decimal numbers: to the engine `0x1F` is a number and a name, and so is `1_000`. */
function number(lexer: Lexer): void {
  const { offset } = lexer;
  lexer.number();
  if (/^0x|_/i.test(lexer.tokens.at(-1)!.value)) {
    throw lexer.refuse('syntax', 'Only decimal numbers are read here', offset, 'Write the number in decimal digits.');
  }
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** `'it''s \'so\''`: a doubled quote stands for one, and a backslash escapes. */
function quotedText(lexer: Lexer): void {
  const { text, offset } = lexer;
  let value = '';
  let end = offset + 1;
  for (;;) {
    const char = text.charAt(end);
    if (char === '') throw lexer.refuse('syntax', 'The quoted text is not closed', offset, "Close it with '.");
    if (char === "'" && text.charAt(end + 1) !== "'") break;
    const [meant, length] = char === '\\' ? unescaped(lexer, end) : [char, char === "'" ? 2 : 1];
    value += meant;
    end += length;
  }
  lexer.push('string', value, end + 1);
}

/** What the escape at `at` stands for, and how long it is. */
function unescaped(lexer: Lexer, at: number): [meant: string, length: number] {
  const [whole, two, four] = /^\\(?:x([0-9a-f]{2})|u([0-9a-f]{4}))/i.exec(lexer.text.slice(at, at + 6)) ?? [];
  const code = Number.parseInt(two ?? four ?? '', 16);
  const isPlain = code > 0 && (two === undefined ? code < 0xd800 || code > 0xdfff : code < 0x80);
  if (whole !== undefined && isPlain) return [String.fromCharCode(code), whole.length];
  const char = lexer.text.charAt(at + 1);
  if (/^[0-9xu]?$/i.test(char) || /\p{Cc}/u.test(char) || char.charCodeAt(0) >= 128) {
    throw lexer.refuse('syntax', `The escape \\${char} is not read here`, at, 'Write the character itself.');
  }
  return [ESCAPES[char] ?? char, 2];
}

/** `$$…$$` is a text without escapes; anything else is a variable of the session or a column by its place. */
function dollar(lexer: Lexer): void {
  const { text, offset } = lexer;
  if (text.startsWith('$$', offset)) {
    const end = text.indexOf('$$', offset + 2);
    if (end === -1) throw lexer.refuse('syntax', 'The quoted text is not closed', offset, 'Close it with $$.');
    lexer.push('string', text.slice(offset + 2, end), end + 2);
    return;
  }
  if (isDigit(text.charCodeAt(offset + 1))) {
    throw lexer.refuse('column', 'Columns cannot be read by their places', offset, 'Write the name of the column.');
  }
  throw lexer.refuse('parameter', 'Variables of the session have no value here', offset, 'Write the value itself.');
}

const HINTS: Readonly<Record<string, string>> = {
  '`': 'Write names in double quotes.',
  '!': 'Write NOT.',
  '{': "Write OBJECT_CONSTRUCT('key', value).",
  '&': 'Write BITAND(a, b).',
  '|': 'Write BITOR(a, b), or || between texts.',
  '^': 'Write POWER(a, b), or BITXOR(a, b).',
};

function operator(lexer: Lexer): void {
  const { text, offset } = lexer;
  const char = text.charAt(offset);
  if (text.startsWith('->>', offset)) {
    throw lexer.refuse(
      'several_statements',
      '->> hands rows to another statement',
      offset,
      'Use WITH for the inner parts.',
    );
  }
  const sign = OPERATORS.find((one) => text.startsWith(one, offset));
  if (sign !== undefined) lexer.push('operator', sign, offset + sign.length);
  else if (char === ':') lexer.push('operator', PATH, offset + 1);
  else if (char === '?') {
    throw lexer.refuse('parameter', 'Parameters have no value here', offset, 'Write the value itself.');
  } else if (char === '@') {
    throw lexer.refuse('table', 'Stages and their files cannot be read', offset, 'Read tables of the semantic layer.');
  } else throw lexer.refuse('syntax', `Unexpected character ${JSON.stringify(char)}`, offset, HINTS[char]);
}
