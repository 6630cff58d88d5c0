/** Leaves code blocks out of a text that arrives in pieces. */

const FENCE = /^\s*(?:```|~~~)/;
/** What may still become the beginning of a code block. */
const MAY_BE_FENCE = /^\s*(?:`{0,2}|~{0,2})$/;
/** A longer indentation begins no code block. */
const MAX_HELD_CHARS = 100;
const HIDDEN = '(SQL is not shown to you.)\n';

/** Passes text on as it comes, but for lines that may begin a code block: they wait for their end. */
export class CodeFilter {
  /** What has come of a line and was not passed on. */
  #held = '';
  /** The beginning of the line was passed on, so that it is no fence. */
  #isProse = false;
  #isInCode = false;

  add(text: string): string {
    let shown = '';
    for (const piece of text.split(/(?<=\n)/)) shown += this.#take(piece);
    return shown;
  }

  /** What is left when no further text comes. */
  end(): string {
    return this.#isProse ? '' : this.#line();
  }

  #take(piece: string): string {
    const isEnded = piece.endsWith('\n');
    if (this.#isProse) {
      this.#isProse = !isEnded;
      return piece;
    }
    this.#held += piece;
    if (isEnded) return this.#line();
    const mayBeFence = this.#held.length <= MAX_HELD_CHARS && MAY_BE_FENCE.test(this.#held);
    if (this.#isInCode || mayBeFence || FENCE.test(this.#held)) return '';
    this.#isProse = true;
    return this.#release();
  }

  #line(): string {
    const line = this.#release();
    const wasInCode = this.#isInCode;
    if (!FENCE.test(line)) return wasInCode ? '' : line;
    this.#isInCode = !wasInCode;
    return wasInCode ? '' : HIDDEN;
  }

  #release(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }
}

/** The whole text without its code blocks. */
export function withoutCode(text: string): string {
  const filter = new CodeFilter();
  return filter.add(text) + filter.end();
}
