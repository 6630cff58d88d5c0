/** Leaves code blocks out of a text that arrives in pieces. */

/** Also in a quote or a list. What has further backticks on its line is code within prose. */
const FENCE = /^[\s>*+\-\d.)]*(`{3,}(?=[^`]*$)|~{3,})/;
/** What may still become the beginning of a code block. */
const MAY_BE_FENCE = /^[\s>*+\-\d.)]*(?:`{0,2}|~{0,2})$/;
/** A longer indentation begins no code block. */
const MAX_HELD_CHARS = 100;
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

  add(text: string): string {
    let shown = '';
    for (const piece of text.split(/(?<=\n)/)) shown += this.#take(piece);
    return shown;
  }

  /** What is left when no further text comes; what comes all the same begins on a new line. */
  end(): string {
    const isProse = this.#isProse;
    this.#isProse = false;
    return isProse ? '' : this.#line();
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
    this.#isWaiting = FENCE.test(this.#held);
    const mayBeFence = this.#held.length <= MAX_HELD_CHARS && MAY_BE_FENCE.test(this.#held);
    if (this.#isWaiting || mayBeFence) return '';
    this.#isProse = true;
    return this.#release();
  }

  #line(): string {
    const line = this.#release();
    if (this.#fence !== undefined) {
      if (isEnd(line, this.#fence)) this.#fence = undefined;
      return '';
    }
    this.#fence = FENCE.exec(line)?.[1];
    return this.#fence === undefined ? line : HIDDEN;
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
