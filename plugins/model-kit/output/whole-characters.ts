/** Joins the halves of characters that a stream has cut in two, and leaves out what no text should hold. */
const HALF_AT_END = /[\ud800-\udbff]$/;
/** Null characters, and byte order marks inside of a text. */
const UNREADABLE = /[\0\ufeff]/g;

export class WholeCharacters {
  #half = '';

  /** Takes a piece; returns what is complete of it. A half that stays alone is replaced, at the end left out. */
  add(piece: string): string {
    const text = this.#half + piece;
    this.#half = HALF_AT_END.exec(text)?.[0] ?? '';
    const whole = this.#half === '' ? text : text.slice(0, -1);
    return (whole.isWellFormed() ? whole : whole.toWellFormed()).replace(UNREADABLE, '');
  }
}
