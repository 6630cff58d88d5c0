/** Splits the text of a statement into tokens. */
import { positionAt, type RefusalRule, SqlRefusal } from './errors.ts';

/** `word` is bare, `name` a quoted identifier, `end` closes every list. */
export type TokenKind = 'word' | 'name' | 'string' | 'number' | 'blob' | 'operator' | 'end';

export interface Token {
  readonly kind: TokenKind;
  /** `name` and `string`: without quotes, escapes resolved. `blob`: its hex digits. Otherwise as written. */
  readonly value: string;
  /** The keyword in upper case; empty for everything else. */
  readonly keyword: string;
  /** Offsets into the text; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
}

export interface LexLimits {
  readonly maxTextLength: number;
  readonly maxTokens: number;
}

export const DEFAULT_LIMITS: LexLimits = { maxTextLength: 100_000, maxTokens: 20_000 };

const TWO_CHARACTER_OPERATORS = new Set(['||', '<<', '>>', '<=', '>=', '<>', '!=', '==', '->']);
const ONE_CHARACTER_OPERATORS = new Set([...'()+-*/%&|~=<>,.;']);
const LONGEST_KEYWORD = 17;

const [DOUBLE_QUOTE, QUOTE, STAR, MINUS, DOT, SLASH, BRACKET, BACKTICK] = [34, 39, 42, 45, 46, 47, 91, 96];
export const BYTE_ORDER_MARK = 0xfeff;

/** How names begin that stand for bound values: a letter to every lexer, and in no name of a table. */
export const BOUND_MARK = '\u{10FFFF}';

export const isDigit = (code: number) => code >= 48 && code <= 57;
export const isHexDigit = (code: number) => isDigit(code) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102);
export const isSpace = (code: number) => code === 32 || (code >= 9 && code <= 13 && code !== 11);
export const isWordStart = (code: number) =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || (code >= 128 && code !== BYTE_ORDER_MARK);
export const isWordPart = (code: number) => isWordStart(code) || isDigit(code) || code === 36;

/** Characters that look like nothing or like a space: in a bare word they are a trick or an accident, never a name. */
const INVISIBLE = /[\p{White_Space}\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Splits `text` into tokens in one pass; comments and white space are dropped. Throws `SqlRefusal`. */
export function lex(
  text: string,
  { keywords, syntax }: { readonly keywords: ReadonlyMap<string, unknown>; readonly syntax: LexicalRules },
  limits: LexLimits,
): Token[] {
  const lexer = new Lexer(text, keywords);
  if (text.length > limits.maxTextLength) {
    throw lexer.refuse('size', `The statement is longer than ${limits.maxTextLength} characters`, 0);
  }
  const nul = text.indexOf('\0');
  if (nul !== -1) throw lexer.refuse('syntax', 'The statement contains a NUL character', nul);
  while (lexer.offset < text.length) {
    syntax.token(lexer, text.charCodeAt(lexer.offset));
    if (lexer.tokens.length > limits.maxTokens) {
      throw lexer.refuse('size', `The statement has more than ${limits.maxTokens} words and signs`, lexer.offset);
    }
  }
  lexer.push('end', '', text.length);
  return lexer.tokens;
}

interface LexicalRules {
  /** Takes the token, comment or white space that begins at the lexer's offset with the character `code`. */
  token(lexer: Lexer, code: number): void;
}

/** Takes the next token as SQLite does; other engines have another function in its place. */
export function baseToken(lexer: Lexer, code: number): void {
  const next = lexer.text.charCodeAt(lexer.offset + 1);
  if (isSpace(code) || code === BYTE_ORDER_MARK) lexer.offset += 1;
  else if (next === QUOTE && (code | 32) === 120) lexer.blob();
  else if (isWordStart(code)) lexer.word();
  else if (isDigit(code) || (code === DOT && isDigit(next))) lexer.number();
  else if (code === QUOTE) lexer.quoted('string', "'");
  else if (code === DOUBLE_QUOTE) lexer.quoted('name', '"');
  else if (code === BACKTICK) lexer.quoted('name', '`');
  else if (code === BRACKET) lexer.bracketed();
  else if (code === MINUS && next === MINUS) lexer.lineComment();
  else if (code === SLASH && next === STAR) lexer.blockComment();
  else lexer.operator();
}

const PLAIN_WORD = new RegExp(`^${BOUND_MARK}?\\w*$`, 'u');

/** The place in a text, the tokens found so far, and how to take those that most engines write alike. */
export class Lexer {
  readonly text: string;
  readonly tokens: Token[] = [];
  offset = 0;
  readonly #keywords: ReadonlyMap<string, unknown>;

  constructor(text: string, keywords: ReadonlyMap<string, unknown>) {
    this.text = text;
    this.#keywords = keywords;
  }

  push(kind: TokenKind, value: string, end: number, keyword = ''): void {
    this.tokens.push({ kind, value, keyword, start: this.offset, end });
    this.offset = end;
  }

  /** Text or a name in quotes; a doubled quote stands for one. */
  quoted(kind: 'string' | 'name', quote: string): void {
    const { text, offset } = this;
    let end = text.indexOf(quote, offset + 1);
    let doubled = false;
    while (end !== -1 && text[end + 1] === quote) {
      doubled = true;
      end = text.indexOf(quote, end + 2);
    }
    if (end === -1) {
      const what = kind === 'string' ? 'text' : 'name';
      throw this.refuse('syntax', `The quoted ${what} is not closed`, offset, `Close it with ${quote}.`);
    }
    const inner = text.slice(offset + 1, end);
    this.push(kind, doubled ? inner.replaceAll(quote + quote, quote) : inner, end + 1);
  }

  /** `[name]`, which has no escape. */
  bracketed(): void {
    const end = this.text.indexOf(']', this.offset);
    if (end === -1) throw this.refuse('syntax', 'The quoted name is not closed', this.offset, 'Close it with ].');
    this.push('name', this.text.slice(this.offset + 1, end), end + 1);
  }

  lineComment(): void {
    const end = this.text.indexOf('\n', this.offset);
    this.offset = end === -1 ? this.text.length : end + 1;
  }

  /** Not nested; one that is not closed reaches to the end, as in SQLite. */
  blockComment(): void {
    const end = this.text.indexOf('*/', this.offset + 2);
    this.offset = end === -1 ? this.text.length : end + 2;
  }

  /** A word of plain letters; `hint`: how other names are written. */
  plainWord(hint: string): void {
    this.word();
    const { value, start } = this.tokens.at(-1)!;
    if (PLAIN_WORD.test(value)) return;
    throw this.refuse('syntax', `Unexpected character in ${JSON.stringify(value.slice(0, 40))}`, start, hint);
  }

  /** Not nested, and refused where it is not closed. */
  closedComment(): void {
    const end = this.text.indexOf('*/', this.offset + 2);
    if (end === -1) throw this.refuse('syntax', 'The comment is not closed', this.offset, 'Close it with */.');
    this.offset = end + 2;
  }

  /** Refused where another begins within it: for some readers it would end earlier, or later. */
  plainComment(): void {
    const { text, offset } = this;
    this.closedComment();
    const inner = text.indexOf('/*', offset + 2);
    if (inner === -1 || inner >= this.offset - 2) return;
    throw this.refuse('syntax', 'A comment begins within another', inner, 'Leave it out.');
  }

  blob(): void {
    const { text, offset } = this;
    let end = offset + 2;
    while (isHexDigit(text.charCodeAt(end))) end += 1;
    if (text[end] !== "'" || (end - offset) % 2 !== 0) {
      throw this.refuse('syntax', "A binary value is x'…' with an even number of hex digits", offset);
    }
    this.push('blob', text.slice(offset + 2, end), end + 1);
  }

  /** `12`, `1.5e-3`, `.5`, `0x1F`, digits grouped as in `1_000`. */
  number(): void {
    const { text, offset } = this;
    let end = offset;
    if (text[end] === '0' && (text.charCodeAt(end + 1) | 32) === 120 && isHexDigit(text.charCodeAt(end + 2))) {
      end = this.digits(end + 2, isHexDigit);
    } else {
      end = this.digits(end, isDigit);
      if (text[end] === '.') end = this.digits(end + 1, isDigit);
      if ((text.charCodeAt(end) | 32) === 101) {
        const sign = text[end + 1] === '+' || text[end + 1] === '-' ? 1 : 0;
        if (isDigit(text.charCodeAt(end + 1 + sign))) end = this.digits(end + 1 + sign, isDigit);
      }
    }
    if (isWordPart(text.charCodeAt(end))) {
      throw this.refuse('syntax', `Unexpected "${text[end]}" right after a number`, end);
    }
    this.push('number', text.slice(offset, end), end);
  }

  /** End of a run of digits, which may be grouped by single underscores. */
  digits(start: number, accepts: (code: number) => boolean): number {
    const { text } = this;
    let end = start;
    for (;;) {
      if (accepts(text.charCodeAt(end))) end += 1;
      else if (text[end] === '_' && end > start && accepts(text.charCodeAt(end + 1))) end += 2;
      else return end;
    }
  }

  /** A bare name or a keyword; only ASCII can be a keyword. */
  word(): void {
    const { text, offset } = this;
    let end = offset;
    let ascii = true;
    for (let code = text.charCodeAt(end); isWordPart(code); code = text.charCodeAt(end)) {
      if (code >= 128) ascii = false;
      end += 1;
    }
    const value = text.slice(offset, end);
    if (!ascii && INVISIBLE.test(value)) {
      const at = offset + value.search(INVISIBLE);
      const hex = text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0');
      throw this.refuse('syntax', `Unexpected invisible character U+${hex}`, at, 'Use plain spaces.');
    }
    const upper = ascii && value.length <= LONGEST_KEYWORD ? value.toUpperCase() : '';
    this.push('word', value, end, this.#keywords.has(upper) ? upper : '');
  }

  operator(): void {
    const { text, offset } = this;
    const one = text.charAt(offset);
    const two = text.slice(offset, offset + 2);
    if (two === '->' && text[offset + 2] === '>') this.push('operator', '->>', offset + 3);
    else if (TWO_CHARACTER_OPERATORS.has(two)) this.push('operator', two, offset + 2);
    else if (ONE_CHARACTER_OPERATORS.has(one)) this.push('operator', one, offset + 1);
    else if (two === '::') throw this.refuse('syntax', 'Unexpected "::"', offset, 'Write CAST(value AS type).');
    else if ('?:@$#'.includes(one)) {
      throw this.refuse(
        'parameter',
        `Parameters such as "${one}" have no value here`,
        offset,
        'Write the value itself.',
      );
    } else throw this.refuse('syntax', `Unexpected character ${JSON.stringify(one)}`, offset);
  }

  refuse(rule: RefusalRule, reason: string, at: number, hint?: string): SqlRefusal {
    return new SqlRefusal(rule, reason, positionAt(this.text, at), hint);
  }
}
