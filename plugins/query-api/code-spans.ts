/** Leaves statements within backticks out of a text that arrives in pieces. */

const STATEMENT = /\bselect\s+\S|\bfrom\s+\S+\s+(?:where|select|group|order|join)\b/i;
const HIDDEN = '(SQL is not shown to you)';

const shown = (code: string) => (STATEMENT.test(code) ? HIDDEN : code);

/** Passes text on as it comes, but for what may be code: that waits for the signs that close it, or the end of its line. */
export class CodeSpans {
  /** The backticks that opened what is held. */
  #open: string | undefined;
  #held = '';
  /** Backticks at the end of the text, of which more may come. */
  #signs = '';

  add(text: string): string {
    const whole = this.#signs + text;
    let end = whole.length;
    while (whole[end - 1] === '`') end -= 1;
    this.#signs = whole.slice(end);
    return this.#read(whole.slice(0, end));
  }

  /** What is left when no further text comes. */
  end(): string {
    const left = this.#read(this.#signs);
    this.#signs = '';
    return left + this.#release();
  }

  #read(text: string): string {
    let out = '';
    for (const token of text.split(/(`+|\n)/)) {
      if (this.#open === undefined && token.startsWith('`')) {
        this.#open = token;
        this.#held = token;
      } else if (this.#open === undefined) out += token;
      else if (token === '\n') out += this.#release() + token;
      else {
        this.#held += token;
        if (token === this.#open) out += this.#release();
      }
    }
    return out;
  }

  #release(): string {
    const code = shown(this.#held);
    this.#open = undefined;
    this.#held = '';
    return code;
  }
}
