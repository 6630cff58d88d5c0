/** Reads values that are nearly JSON: Python literals, single quotes, trailing commas, unquoted keys, bare line breaks. */

/** Deeper values are not read. */
const MAX_DEPTH = 32;

/** Where a value was read up to; `value` is missing when there is none, or when it breaks off inside a text. */
export interface ReadValue {
  readonly found?: { readonly value: unknown };
  readonly end: number;
  /** Closing signs are missing. */
  readonly isOpen: boolean;
}

const WORDS = new Map<string, unknown>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['null', null],
  ['None', null],
  ['undefined', null],
  ['NaN', null],
]);

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '\n': '' };

/** Quotation marks of texts, longest first; two are those of Gemma models, the last ones of word processors. */
const QUOTES = ['"""', "'''", '"', "'", '`', '<|"|>', '<escape>', '“', '”', '„', '‘', '’'] as const;
/** What ends a text whose end looks different from its beginning. */
const CLOSING: Readonly<Record<string, readonly string[]>> = {
  '“': ['”', '“', '"'],
  '”': ['”', '"'],
  '„': ['“', '”', '"'],
  '‘': ['’', '‘', "'"],
  '’': ['’', "'"],
};

/** Reads the value that begins at `at`, after white space. Takes linear time, also where nothing can be read. */
export function readValue(text: string, at = 0): ReadValue {
  const reader = { text, at, isOpen: false };
  return readBy(reader, anyValue(reader, MAX_DEPTH));
}

/** The arguments of a Python call whose opening parenthesis stands at `at`. One argument without a name is `''`. */
export function readKeywordArguments(text: string, at: number): ReadValue {
  const reader = { text, at: at + 1, isOpen: false };
  return readBy(reader, entries(reader, ')', MAX_DEPTH, /\s*([A-Za-z_]\w*)\s*=(?!=)\s*/y));
}

function readBy({ at: end, isOpen }: Reader, value: Read): ReadValue {
  return value === NOTHING ? { end, isOpen } : { found: { value }, end, isOpen };
}

interface Reader {
  readonly text: string;
  at: number;
  isOpen: boolean;
}

/** White space, and short comments as JavaScript has them. */
const BLANK = /(?:\s|\/\/[^\n]{0,400}\n|\/\*(?:[^*]|\*(?!\/)){0,400}\*\/)+/y;
const BETWEEN_ENTRIES = /(?:[\s,;]|\/\/[^\n]{0,400}\n|\/\*(?:[^*]|\*(?!\/)){0,400}\*\/)+/y;

/** A fence opens no text. */
const quoteAt = ({ text, at }: Reader) =>
  QUOTES.find((mark) => text.startsWith(mark, at) && !(mark === '`' && text.startsWith('``', at)));

/** Told apart from `undefined` and `null`, which are values. */
const NOTHING = Symbol('nothing');
type Read = unknown | typeof NOTHING;

/** Matches at the reader's place and moves behind the match. */
function take(reader: Reader, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = reader.at;
  const match = pattern.exec(reader.text);
  if (match !== null) reader.at = pattern.lastIndex;
  return match;
}

function anyValue(reader: Reader, depth: number): Read {
  take(reader, BLANK);
  const first = reader.text[reader.at];
  if (depth === 0 || first === undefined) return NOTHING;
  if (first === '{') {
    reader.at += 1;
    // Templates double the braces that they do not fill in, and models repeat it.
    if (take(reader, /(?=\s*\{)/y) !== null) {
      const inside = anyValue(reader, depth - 1);
      take(reader, /\s*\}/y);
      return inside;
    }
    return entries(reader, '}', depth - 1, undefined);
  }
  if (first === '[' || first === '(') {
    reader.at += 1;
    return list(reader, first === '[' ? ']' : ')', depth - 1);
  }
  const quote = quoteAt(reader);
  if (quote !== undefined) return quoted(reader, quote);
  const number = take(reader, /[-+]?\d[\d_]*(?:\.\d*)?(?:[eE][-+]?\d+)?/y);
  if (number !== null) return Number(number[0].replaceAll('_', ''));
  const word = take(reader, /[A-Za-z]{1,9}/y)?.[0];
  return word !== undefined && WORDS.has(word) ? WORDS.get(word) : NOTHING;
}

function list(reader: Reader, close: string, depth: number): Read {
  const items: unknown[] = [];
  for (;;) {
    take(reader, /[\s,]+/y);
    if (isOver(reader) && items.length > 0) return items;
    if (reader.text[reader.at] === close) {
      reader.at += 1;
      return items;
    }
    const item = anyValue(reader, depth);
    if (item === NOTHING) return NOTHING;
    items.push(item);
  }
}

/** Names with values up to `close`, which may be missing at the end of the text. `keyword`: how a name is written. */
function entries(reader: Reader, close: string, depth: number, keyword: RegExp | undefined): Read {
  const found: [string, unknown][] = [];
  for (;;) {
    take(reader, BETWEEN_ENTRIES);
    if (isOver(reader) && found.length > 0) return Object.fromEntries(found);
    if (reader.text[reader.at] === close) {
      reader.at += 1;
      return Object.fromEntries(found);
    }
    const name = keyword === undefined ? keyOf(reader) : (take(reader, keyword)?.[1] ?? '');
    // Only one argument may come without a name.
    if (name === undefined || (name === '' && found.length > 0)) return NOTHING;
    const value = anyValue(reader, depth);
    if (value === NOTHING) return NOTHING;
    found.push([name, value]);
  }
}

/** The end of the text, or of the markup around the value: closing signs that are missing are taken as written. */
function isOver(reader: Reader): boolean {
  const isOver =
    reader.at >= reader.text.length || /^(?:<[/|｜]|```)/.test(reader.text.slice(reader.at, reader.at + 3));
  reader.isOpen ||= isOver;
  return isOver;
}

function keyOf(reader: Reader): string | undefined {
  const quote = quoteAt(reader);
  const name = quote === undefined ? take(reader, /[A-Za-z_$][\w$-]*/y)?.[0] : quoted(reader, quote);
  return typeof name === 'string' && take(reader, /\s*:/y) !== null ? name : undefined;
}

/** What may follow a text: anything else means that the quotation mark is part of it. */
const AFTER_TEXT = /\s*(?:[,;:}\])]|\/[/*]|$)/y;
const PLAIN = { '"': /[^"\\]+/y, "'": /[^'\\]+/y, '`': /[^`\\]+/y, '<': /[^<\\]+/y } as const;
const TYPESET = /[^“”‘’"'\\]+/y;

function quoted(reader: Reader, quote: (typeof QUOTES)[number]): Read {
  const { text } = reader;
  const plain = PLAIN[quote[0] as keyof typeof PLAIN] ?? TYPESET;
  const closing = CLOSING[quote] ?? [quote];
  const pieces: string[] = [];
  reader.at += quote.length;
  while (reader.at < text.length) {
    const piece = take(reader, plain);
    if (piece !== null) pieces.push(piece[0]);
    else if (text[reader.at] === '\\' && quote.length !== 5 && quote.length !== 8) pieces.push(escaped(reader));
    else if (closing.some((mark) => text.startsWith(mark, reader.at))) {
      const mark = text.slice(reader.at, reader.at + quote.length);
      AFTER_TEXT.lastIndex = reader.at + quote.length;
      reader.at += quote.length;
      if (AFTER_TEXT.test(text)) return pieces.join('');
      pieces.push(mark);
    } else {
      pieces.push(text[reader.at] ?? '');
      reader.at += 1;
    }
  }
  return NOTHING;
}

function escaped(reader: Reader): string {
  const unicode = take(reader, /\\u([0-9a-fA-F]{4})/y)?.[1];
  if (unicode !== undefined) return String.fromCharCode(Number.parseInt(unicode, 16));
  const sign = reader.text[reader.at + 1] ?? '';
  reader.at += 2;
  return ESCAPES[sign] ?? ('"\'\\/`'.includes(sign) ? sign : `\\${sign}`);
}
