/**
 * SQLite's values as JSON: integers in the safe range and reals as numbers, larger integers as text, infinities as
 * null, text as stored, binary as base64. Long values are cut. What was changed is noted by column.
 */
import type { Cell } from './protocol.ts';

export interface Limits {
  readonly maxRows: number;
  readonly maxBytes: number;
  readonly maxCellBytes: number;
}

/** Two columns of one name would lose one of them in a row object: the second becomes `name_2`. */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set(names);
  const used = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let count = 2; used.has(unique); count += 1) {
      const candidate = `${name}_${count}`;
      if (!taken.has(candidate)) unique = candidate;
    }
    used.add(unique);
    return unique;
  });
}

/** Takes rows until a limit is reached. */
export class RowCollector {
  readonly rows: Cell[][] = [];
  truncated = false;
  readonly #columns: readonly string[];
  readonly #limits: Limits;
  readonly #notes = new Set<string>();
  #bytes = 0;

  constructor(columns: readonly string[], limits: Limits) {
    this.#columns = columns;
    this.#limits = limits;
  }

  get notes(): string[] {
    return [...this.#notes];
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** `false`: the row did not fit, no more are wanted. */
  add(values: readonly unknown[]): boolean {
    const { maxRows, maxBytes } = this.#limits;
    if (this.rows.length >= maxRows) return this.#stop(`Only the first ${maxRows} rows are given; there are more.`);
    const row = values.map((value, index) => this.#cell(value, index));
    // Brackets, quotes and commas count too: the limit is on what is sent.
    let bytes = 2;
    for (const cell of row) bytes += 3 + (typeof cell === 'string' ? Buffer.byteLength(cell) : 8);
    if (this.#bytes + bytes > maxBytes) {
      return this.#stop(
        `Only the first ${this.rows.length} rows are given; the result is larger than ${maxBytes} bytes.`,
      );
    }
    this.#bytes += bytes;
    this.rows.push(row);
    return true;
  }

  #cell(value: unknown, index: number): Cell {
    if (typeof value === 'bigint') {
      const number = Number(value);
      return Number.isSafeInteger(number) ? number : value.toString();
    }
    if (typeof value === 'number') {
      if (Number.isFinite(value)) return value;
      this.#note(index, 'has infinite values, given as null');
      return null;
    }
    if (typeof value === 'string') return this.#text(value, index);
    if (value instanceof Uint8Array) return this.#binary(value, index);
    return null;
  }

  #text(value: string, index: number): string {
    const { maxCellBytes } = this.#limits;
    // At most three bytes for each UTF-16 unit.
    if (value.length * 3 <= maxCellBytes || Buffer.byteLength(value) <= maxCellBytes) return value;
    this.#cut(index);
    const head = Buffer.from(value.slice(0, maxCellBytes)).subarray(0, maxCellBytes);
    // A character cut in half decodes to U+FFFD at the very end.
    return head.toString('utf8').replace(/\uFFFD+$/, '');
  }

  #binary(value: Uint8Array, index: number): string {
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    this.#note(index, 'is binary, given as base64');
    const wholeTriples = Math.floor(this.#limits.maxCellBytes / 4) * 3;
    if (bytes.length <= wholeTriples) return bytes.toString('base64');
    this.#cut(index);
    return bytes.subarray(0, wholeTriples).toString('base64');
  }

  #cut(index: number): void {
    this.truncated = true;
    this.#note(index, `has values cut to ${this.#limits.maxCellBytes} bytes`);
  }

  #note(index: number, what: string): void {
    this.#notes.add(`Column "${this.#columns[index] ?? index + 1}" ${what}.`);
  }

  #stop(note: string): false {
    this.truncated = true;
    this.#notes.add(note);
    return false;
  }
}
