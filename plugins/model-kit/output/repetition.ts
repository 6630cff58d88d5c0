/** Notices a model that writes the same words over and over, as small models do until their limit ends them. */

/** How much of a text is looked at, and how often. */
const TAIL_CHARS = 1_536;
/** Longest text that is repeated. */
const MAX_PERIOD = 192;
const NEEDLE_CHARS = 24;

export class Repetition {
  #nextAt = TAIL_CHARS;

  /** Whether the end of a text, as long as it is by now, only repeats itself. Rows of tables may well be alike. */
  isIn(text: string): boolean {
    if (text.length < this.#nextAt) return false;
    this.#nextAt = text.length + TAIL_CHARS / 2;
    const tail = text.slice(-TAIL_CHARS);
    const needle = tail.slice(-NEEDLE_CHARS);
    const period = tail.length - NEEDLE_CHARS - tail.lastIndexOf(needle, tail.length - NEEDLE_CHARS - 1);
    if (period > MAX_PERIOD || tail.includes('|')) return false;
    return /\p{L}/u.test(tail.slice(-period)) && tail.slice(period) === tail.slice(0, -period);
  }
}
