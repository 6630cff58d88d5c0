/** Leaves code blocks, and statements within a line, out of a text that arrives in pieces. */
import { CodeSpans } from './code-spans.ts';

/** Also in a quote or a list. What has further backticks on its line is code within prose. */
const FENCE = /^[\s>*+\-\d.)]*(`{3,}(?=[^`]*$)|~{3,})/;
/** What may still become the beginning of a code block. */
const MAY_BE_FENCE = /^[\s>*+\-\d.)]*(?:`{0,2}|~{0,2})$/;
/** What stands further before a fence makes it none. */
const MAX_HELD_CHARS = 100;
/** Behind an empty line, a code block as well; in a list it may be prose. */
const INDENTED = /^(?: {4}| {0,3}\t)/;
const STATEMENT = /^\s*\(*\s*(?:select|with|from|values|table|explain|insert|update|delete|merge|create)\b/i;
const HIDDEN = '(SQL is not shown to you.)\n';

/** A block ends with the signs that began it, at least as many, and nothing else. */
function isEnd(line: string, fence: string): boolean {
  const signs = line.replace(/^[\s>]*/, '').trimEnd();
  return signs.length >= fence.length && signs === fence.charAt(0).repeat(signs.length);
}

/** Passes text on as it comes, but for lines that may begin a code block: they wait for their end. */
export class CodeFilter {
  /** What has come of a line and was not passed on. */
  #held = '';
  /** What is held begins like a code block, and waits for the end of its line. */
  #isWaiting = false;
  /** The beginning of the line was passed on, so that it is no fence. */
  #isProse = false;
  /** What began the code block that the text is in. */
  #fence: string | undefined;
  #isAfterEmptyLine = true;
  /** In a statement that is indented. */
  #isIndented = false;
  readonly #spans = new CodeSpans();

  add(text: string): string {
    let shown = '';
    for (const piece of text.split(/(?<=\n)/)) shown += this.#take(piece);
    return this.#spans.add(shown);
  }

  /** What is left when no further text comes; what comes all the same begins on a new line. */
  end(): string {
    const isProse = this.#isProse;
    this.#isProse = false;
    return this.#spans.add(isProse ? '' : this.#line()) + this.#spans.end();
  }

  #take(piece: string): string {
    const isEnded = piece.endsWith('\n');
    if (this.#isProse) {
      this.#isProse = !isEnded;
      return piece;
    }
    this.#held += piece;
    if (isEnded) return this.#line();
    if (this.#fence !== undefined || this.#isWaiting) return '';
    const isInBlock = this.#isIndented || this.#isAfterEmptyLine;
    this.#isWaiting = FENCE.test(this.#held) || (isInBlock && INDENTED.test(this.#held));
    const mayBeFence = this.#held.length <= MAX_HELD_CHARS && MAY_BE_FENCE.test(this.#held);
    if (this.#isWaiting || mayBeFence) return '';
    this.#isProse = true;
    this.#isIndented = false;
    this.#isAfterEmptyLine = false;
    return this.#release();
  }

  #line(): string {
    const line = this.#release();
    if (this.#fence !== undefined) {
      if (isEnd(line, this.#fence)) this.#fence = undefined;
      return '';
    }
    this.#fence = FENCE.exec(line)?.[1];
    return this.#fence === undefined ? this.#unfenced(line) : HIDDEN;
  }

  #unfenced(line: string): string {
    const isEmpty = line.trim() === '';
    const begins = !this.#isIndented && this.#isAfterEmptyLine && STATEMENT.test(line);
    this.#isIndented = (isEmpty && this.#isIndented) || (INDENTED.test(line) && (this.#isIndented || begins));
    this.#isAfterEmptyLine = isEmpty;
    if (isEmpty || !this.#isIndented) return line;
    return begins ? HIDDEN : '';
  }

  #release(): string {
    const held = this.#held;
    this.#held = '';
    this.#isWaiting = false;
    return held;
  }
}

/** The whole text without its code blocks. */
export function withoutCode(text: string): string {
  const filter = new CodeFilter();
  return filter.add(text) + filter.end();
}
