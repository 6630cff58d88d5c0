/** Collects blocks of text up to a number of bytes. */

export function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

/** Text of at most `maxBytes` UTF-8 bytes. A block that does not fit is left out whole, so no line is ever cut. */
export class BoundedText {
  readonly #blocks: string[] = [];
  #left: number;
  #reserved = 0;

  constructor(maxBytes: number) {
    this.#left = Math.floor(maxBytes);
  }

  get spaceLeft(): number {
    return this.#left - this.#reserved;
  }

  /** Reserves space for a block that is added after `release`. */
  reserve(block: string): void {
    this.#reserved = byteLength(block) + 1;
  }

  release(): void {
    this.#reserved = 0;
  }

  /** Adds the block when it fits; whether it did. */
  add(block: string): boolean {
    if (block === '') return true;
    const bytes = byteLength(block) + 1;
    if (bytes > this.spaceLeft) return false;
    this.#left -= bytes;
    this.#blocks.push(block);
    return true;
  }

  /** Adds a title and as many items as fit, in order; whether all did. */
  addList<T>(title: string, items: Iterable<T>, render: (item: T) => string): boolean {
    let before = `${title}\n`;
    for (const item of items) {
      if (!this.add(`${before}${render(item)}`)) return false;
      before = '';
    }
    return true;
  }

  /** Adds a title and those of the items that fit, in order. */
  addFitting<T>(title: string, items: Iterable<T>, render: (item: T) => string): void {
    let before = `${title}\n`;
    for (const item of items) if (this.add(`${before}${render(item)}`)) before = '';
  }

  toString(): string {
    return this.#blocks.join('\n');
  }
}
