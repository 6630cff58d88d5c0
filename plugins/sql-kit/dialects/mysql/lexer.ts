import { isDigit, isHexDigit, isSpace, isWordStart, Lexer } from '../../parse/lexer.ts';

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

/** Reads as MySQL and MariaDB do in their default mode: `"x"` is text, and a backslash escapes. */
export class MysqlLexer extends Lexer {
  protected override token(code: number): void {
    const next = this.text.charCodeAt(this.offset + 1);
    if (isSpace(code) || code === 11 || code === BYTE_ORDER_MARK) this.offset += 1;
    else if (next === QUOTE && isWordStart(code)) this.prefixed(this.text.charAt(this.offset).toLowerCase());
    else if (isWordStart(code)) this.wordOrIntroducer();
    else if (isDigit(code) || (code === DOT && isDigit(next))) this.number();
    else if (code === QUOTE) this.escapedText("'");
    else if (code === DOUBLE_QUOTE) this.escapedText('"');
    else if (code === BACKTICK) this.quoted('name', '`');
    else if (code === HASH) this.lineComment();
    else if (code === MINUS && next === MINUS && this.endsDashes()) this.lineComment();
    else if (code === SLASH && next === STAR) this.blockComment();
    else this.operator();
  }

  /** `x'41'` is binary, `b'101'` bits, `n'…'` text; anything else before a quote is a word. */
  private prefixed(letter: string): void {
    if (letter === 'x') this.blob();
    else if (letter === 'b') this.bits();
    else if (letter === 'n') {
      this.offset += 1;
      this.escapedText("'");
    } else this.wordOrIntroducer();
  }

  private bits(): void {
    const { text, offset } = this;
    const [bits] = /^[bB]'[01]*'/.exec(text.slice(offset, offset + 70)) ?? [];
    if (bits === undefined) throw this.refuse('syntax', "Bits are b'…' with zeros and ones", offset);
    this.push('number', bits, offset + bits.length);
  }

  /** A character set before a text changes how the text is read, unless it is that of the connection. */
  private wordOrIntroducer(): void {
    const { text, offset } = this;
    const own = /^_utf8mb4(?=\s*['"])/i.exec(text.slice(offset, offset + 40));
    if (own !== null) {
      this.offset += own[0].length;
      return;
    }
    const introducer =
      text[offset] === '_' ? /^_[a-z0-9]+(?=\s*(?:['"]|[xXbB]'|0x|0b))/i.exec(text.slice(offset, offset + 40)) : null;
    if (introducer !== null) {
      throw this.refuse(
        'syntax',
        `The character set ${introducer[0]} before a text is not read here`,
        offset,
        "Write plain text: '…'.",
      );
    }
    this.word();
  }

  /** Adjoining quotes stand for one; what a backslash escapes is resolved, but for the two signs of LIKE. */
  private escapedText(quote: string): void {
    const { text, offset } = this;
    let value = '';
    let end = offset + 1;
    for (;;) {
      const char = text.charAt(end);
      if (char === '') throw this.refuse('syntax', 'The quoted text is not closed', offset, `Close it with ${quote}.`);
      if (char === quote && text.charAt(end + 1) !== quote) break;
      if (char === '\\') {
        const escaped = text.charAt(end + 1);
        if (escaped === '0') throw this.refuse('syntax', 'The text contains a NUL character', end);
        value += ESCAPES[escaped] ?? escaped;
      } else value += char;
      end += char === '\\' || char === quote ? 2 : 1;
    }
    this.push('string', value, end + 1);
  }

  /** Two dashes begin a comment only before a blank or the end. */
  private endsDashes(): boolean {
    const code = this.text.charCodeAt(this.offset + 2);
    return Number.isNaN(code) || isSpace(code) || code < 32;
  }

  /** Comments that a server would run are refused, and so is one that is not closed. */
  protected override blockComment(): void {
    const { text, offset } = this;
    if (/^\/\*M?!/.test(text.slice(offset, offset + 4))) {
      throw this.refuse('syntax', 'Comments with a version are not read here', offset, 'Leave the comment out.');
    }
    const end = text.indexOf('*/', offset + 2);
    if (end === -1) throw this.refuse('syntax', 'The comment is not closed', offset, 'Close it with */.');
    this.offset = end + 2;
  }

  /** `0x41` is binary, and `0b101` bits. */
  protected override number(): void {
    const { text, offset } = this;
    const [hex] = /^0x[0-9a-fA-F]+/.exec(text.slice(offset, offset + 10_000)) ?? [];
    const bits = hex === undefined ? /^0b[01]+/.exec(text.slice(offset, offset + 70))?.[0] : undefined;
    const plain = hex ?? bits;
    if (plain === undefined) super.number();
    else if (
      isHexDigit(text.charCodeAt(offset + plain.length)) ||
      isWordStart(text.charCodeAt(offset + plain.length))
    ) {
      throw this.refuse('syntax', 'Unexpected character right after a number', offset + plain.length);
    } else this.push('number', plain, offset + plain.length);
  }

  protected override operator(): void {
    const { text, offset } = this;
    const char = text.charAt(offset);
    if (char === '@') {
      throw this.refuse(
        'parameter',
        'Variables such as @name and @@name are not read here',
        offset,
        'Write the value itself.',
      );
    }
    if (text.startsWith('::', offset)) {
      throw this.refuse('syntax', 'Unexpected "::"', offset, 'Write CAST(value AS type).');
    }
    if (char === '?' || char === ':') {
      throw this.refuse(
        'parameter',
        `Parameters such as "${char}" have no value here`,
        offset,
        'Write the value itself.',
      );
    }
    const operator = OPERATORS.find((sign) => text.startsWith(sign, offset));
    if (operator === undefined) throw this.refuse('syntax', `Unexpected character ${JSON.stringify(char)}`, offset);
    this.push('operator', operator, offset + operator.length);
  }
}
