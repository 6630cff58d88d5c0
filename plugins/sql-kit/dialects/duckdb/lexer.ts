import { isDigit, isSpace, isWordPart, isWordStart, Lexer } from '../../parse/lexer.ts';

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

/** Reads as DuckDB does: PostgreSQL's rules, without its bit strings. */
export class DuckdbLexer extends Lexer {
  protected override token(code: number): void {
    const next = this.text.charCodeAt(this.offset + 1);
    if (isSpace(code) || code === BYTE_ORDER_MARK) this.offset += 1;
    else if (next === QUOTE && isWordStart(code)) this.prefixed(this.text.charAt(this.offset));
    else if (isWordStart(code)) this.word();
    else if (isDigit(code) || (code === DOT && isDigit(next))) this.number();
    else if (code === QUOTE) this.quoted('string', "'");
    else if (code === DOUBLE_QUOTE) this.quoted('name', '"');
    else if (code === DOLLAR) this.dollarQuoted();
    else if (code === MINUS && next === MINUS) this.lineComment();
    else if (code === SLASH && next === STAR) this.nestedComment();
    else this.operator();
  }

  /** `e'…'` has escapes; `x'…'` and `b'…'` do not mean here what they mean elsewhere. */
  private prefixed(letter: string): void {
    const { text, offset } = this;
    if (letter !== 'e' && letter !== 'E') {
      if (/[xbnu]/i.test(letter)) {
        throw this.refuse(
          'syntax',
          `Text with the prefix ${letter} is not read here`,
          offset,
          "Write plain text: '…'.",
        );
      }
      this.word();
      return;
    }
    let value = '';
    let end = offset + 2;
    for (;;) {
      const char = text.charAt(end);
      if (char === '') throw this.refuse('syntax', 'The quoted text is not closed', offset, "Close it with '.");
      if (char === "'" && text.charAt(end + 1) !== "'") break;
      if (char === '\\') {
        const escaped = text.charAt(end + 1);
        if (/[0-7xuU]/.test(escaped) || escaped === '') {
          throw this.refuse('syntax', `The escape \\${escaped} is not read here`, end, 'Write the character itself.');
        }
        value += ESCAPES[escaped] ?? escaped;
      } else value += char;
      end += char === '\\' || char === "'" ? 2 : 1;
    }
    this.push('string', value, end + 1);
  }

  /** `$$…$$` or `$tag$…$tag$`; anything else after `$` is a parameter. */
  private dollarQuoted(): void {
    const { text, offset } = this;
    const tag = /^\$(?:[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*)?\$/.exec(
      text.slice(offset, offset + 100),
    )?.[0];
    if (tag === undefined) {
      this.parameter();
      return;
    }
    const end = text.indexOf(tag, offset + tag.length);
    if (end === -1) throw this.refuse('syntax', 'The quoted text is not closed', offset, `Close it with ${tag}.`);
    this.push('string', text.slice(offset + tag.length, end), end + tag.length);
  }

  /** Comments nest, and one that is not closed is refused: the engine would not run it either. */
  private nestedComment(): void {
    const { text, offset } = this;
    const marks = /\/\*|\*\//g;
    marks.lastIndex = offset;
    let depth = 0;
    for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
      depth += mark[0] === '/*' ? 1 : -1;
      if (depth > 0) continue;
      this.offset = mark.index + 2;
      return;
    }
    throw this.refuse('syntax', 'The comment is not closed', offset, 'Close it with */.');
  }

  /** Neither hexadecimal nor binary: `0x1F` is `0` under the name `x1F` for the engine. */
  protected override number(): void {
    const { text, offset } = this;
    const end = this.digits(offset, isDigit);
    if (
      end === offset + 1 &&
      text[offset] === '0' &&
      isWordPart(text.charCodeAt(end)) &&
      !/e/i.test(text.charAt(end))
    ) {
      throw this.refuse('syntax', 'Only decimal numbers are read here', offset, 'Write the number in decimal digits.');
    }
    super.number();
  }

  protected override operator(): void {
    const { text, offset } = this;
    const operator = OPERATORS.find((sign) => text.startsWith(sign, offset));
    if (operator !== undefined) this.push('operator', operator, offset + operator.length);
    else if ('?$#'.includes(text.charAt(offset))) this.parameter();
    else throw this.refuse('syntax', `Unexpected character ${JSON.stringify(text.charAt(offset))}`, offset);
  }

  private parameter(): never {
    const what = `Parameters such as "${this.text.charAt(this.offset)}" have no value here`;
    throw this.refuse('parameter', what, this.offset, 'Write the value itself.');
  }
}
