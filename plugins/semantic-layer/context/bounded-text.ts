/** Text in whole blocks, never more bytes than allowed. */

export function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

/** Blocks are separated by line ends; one that does not fit is left out whole, so no line is ever cut. */
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

  /** Keeps room for a block that is added after `release`. */
  reserve(block: string): void {
    this.#reserved = byteLength(block) + 1;
  }

  release(): void {
    this.#reserved = 0;
  }

  /** Whether the block was taken. */
  add(block: string): boolean {
    if (block === '') return true;
    const bytes = byteLength(block) + 1;
    if (bytes > this.spaceLeft) return false;
    this.#left -= bytes;
    this.#blocks.push(block);
    return true;
  }

  /** Adds a title and the lines of as many items as fit, from the first; whether all did. */
  addList<T>(title: string, items: Iterable<T>, render: (item: T) => string): boolean {
    let before = `${title}\n`;
    for (const item of items) {
      if (!this.add(`${before}${render(item)}`)) return false;
      before = '';
    }
    return true;
  }

  toString(): string {
    return this.#blocks.join('\n');
  }
}
