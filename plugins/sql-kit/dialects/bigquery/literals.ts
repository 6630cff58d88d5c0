/** Reads texts and binary values of GoogleSQL: in single or double quotes or three of them, raw or with escapes. */
import { isHexDigit, type Lexer } from '../../parse/lexer.ts';

const PREFIXED = /^(?:r|b|rb|br)?(?='|")/i;

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '?': '?',
  '"': '"',
  "'": "'",
  '`': '`',
};

/** The letters before a text that begins here, or none; `undefined` where none begins. */
export const textPrefix = (text: string, offset: number): string | undefined =>
  PREFIXED.exec(text.slice(offset, offset + 3))?.[0];

/** Takes the text or binary value behind `prefix`. */
export function quotedText(lexer: Lexer, prefix: string): void {
  const { text, offset } = lexer;
  const start = offset + prefix.length;
  const quote = text.charAt(start);
  const mark = text.startsWith(quote.repeat(3), start) ? quote.repeat(3) : quote;
  const end = endOf(lexer, start + mark.length, mark);
  // The ends of lines in it are all one.
  const inner = text.slice(start + mark.length, end).replace(/\r\n?/g, '\n');
  const isBytes = /b/i.test(prefix);
  const value = /r/i.test(prefix) ? encoded(inner, isBytes) : unescaped(lexer, inner, isBytes);
  lexer.push(isBytes ? 'blob' : 'string', value, end + mark.length);
}

/** Where the closing mark begins. A backslash and what follows it end nothing, in raw texts too. */
function endOf(lexer: Lexer, from: number, mark: string): number {
  const { text } = lexer;
  const unclosed = (hint: string) => lexer.refuse('syntax', 'The quoted text is not closed', lexer.offset, hint);
  for (let at = from; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (mark.length === 1 && /[\r\n]/.test(char)) {
      throw unclosed('A text over several lines stands in three quotes; elsewhere write \\n.');
    }
    if (text.startsWith(mark, at)) return at;
    if (char === '\\') {
      at += 1;
      if (/[\r\n]/.test(text.charAt(at))) throw unclosed('No backslash stands at the end of a line.');
    }
  }
  throw unclosed(`Close it with ${mark}.`);
}

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const encoded = (inner: string, isBytes: boolean) => (isBytes ? hexOf(Buffer.from(inner)) : inner);

function unescaped(lexer: Lexer, inner: string, isBytes: boolean): string {
  const parts: (string | Buffer)[] = [];
  for (let at = 0; at < inner.length; ) {
    const next = inner.indexOf('\\', at);
    if (next !== at) parts.push(inner.slice(at, next === -1 ? undefined : next));
    if (next === -1) break;
    const [value, length] = escapeAt(lexer, inner, next, isBytes);
    parts.push(value);
    at = next + length;
  }
  return isBytes ? hexOf(Buffer.concat(parts.map((part) => Buffer.from(part as string)))) : parts.join('');
}

const DIGITS: Readonly<Record<string, number>> = { x: 2, X: 2, u: 4, U: 8 };

/** What the escape at `at` stands for, and its length. */
function escapeAt(lexer: Lexer, inner: string, at: number, isBytes: boolean): [value: string | Buffer, length: number] {
  const wrong = () => {
    const hint = "Write r'…' for a text without escapes, or two backslashes for one.";
    return lexer.refuse('syntax', 'An escape in the text stands for nothing', lexer.offset, hint);
  };
  const letter = inner.charAt(at + 1);
  const plain = ESCAPES[letter];
  if (plain !== undefined) return [plain, 2];
  const octal = /^[0-3][0-7]{2}/.exec(inner.slice(at + 1, at + 4))?.[0];
  const count = DIGITS[letter] ?? 0;
  const digits = inner.slice(at + 2, at + 2 + count);
  if (octal === undefined) {
    const isHex = [...digits].every((char) => isHexDigit(char.charCodeAt(0)));
    if (count === 0 || digits.length !== count || !isHex) throw wrong();
  }
  const code = octal === undefined ? Number.parseInt(digits, 16) : Number.parseInt(octal, 8);
  const length = octal === undefined ? 2 + count : 4;
  if (isBytes) {
    if (count > 2) throw wrong();
    return [Buffer.from([code]), length];
  }
  // Of bytes only those that are a letter by themselves stand in a text.
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) || (count <= 2 && code > 0x7f)) throw wrong();
  return [String.fromCodePoint(code), length];
}
