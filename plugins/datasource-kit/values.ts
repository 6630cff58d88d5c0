/**
 * One way to give values as JSON, whatever the engine: integers in the safe range and reals as numbers, larger integers
 * and decimals that a number would round as text, infinities and NaN as text, binary as base64. Long values are cut.
 * What was changed is noted by column.
 */
import type { SqlResult } from '../../kernel/index.ts';
import type { Cell } from './cell.ts';
import type { RowSink, SinkType } from './row-sink.ts';

export type { Cell } from './cell.ts';

/** A value that is given as something else than it is, or is no plain one. */
export class Converted {
  readonly value: Cell;
  /** What it weighs in the result. */
  readonly bytes: number;
  /** Completes "Column "x" …". */
  readonly note: string | undefined;

  constructor(value: Cell, bytes: number, note?: string) {
    this.value = value;
    this.bytes = bytes;
    this.note = note;
  }
}

/** What drivers hand over. */
export type Value = string | number | bigint | boolean | Uint8Array | Converted | null;

/** Memory that the rows of a result share with others. */
export interface ResultMemory {
  /** How much there is for further rows. */
  readonly roomBytes: number;
  /** Counts rows that are kept from now on. */
  hold(bytes: number): void;
  /** Rows were left out for want of room. */
  exceeded(): void;
}

export interface RowLimits {
  readonly maxRows: number;
  readonly maxBytes: number;
  readonly maxCellBytes: number;
  readonly memory?: ResultMemory;
  /** Takes the rows. */
  readonly sink?: RowSink;
  /** Makes the error that is thrown where otherwise something would be left out or cut. */
  readonly fail?: (message: string) => Error;
}

/** A value that JSON has no number for, as the text `Infinity`, `-Infinity` or `NaN`. */
function notFinite(value: number): Converted {
  const what = Number.isNaN(value) ? 'values that are not a number' : 'infinite values';
  return new Converted(String(value), 9, `has ${what}, given as text`);
}

/** A date or an interval without end, as PostgreSQL and DuckDB write it: `infinity` or `-infinity`. */
export function infiniteTime(isNegative: boolean): Converted {
  return new Converted(isNegative ? '-infinity' : 'infinity', 9, 'has infinite values, given as text');
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

function toObject(columns: readonly string[], row: readonly Cell[]): Record<string, Cell> {
  const object: Record<string, Cell> = {};
  for (let index = 0; index < columns.length; index += 1) object[columns[index] as string] = row[index] as Cell;
  return object;
}

/** The answer of a database as it arrives. */
export interface ArrivedResult {
  /** Unique names. */
  readonly columns: readonly string[];
  readonly rows: readonly Cell[][];
  readonly truncated: boolean;
  readonly notes: readonly string[];
}

type ColumnType = NonNullable<SqlResult['columnTypes']>[number];

/**
 * Gives the column at `at` one JSON type and returns it. Where some values are numbers and others are not, such as
 * decimals with more digits than a number holds, all of them become text.
 */
function unifyColumn(rows: readonly Cell[][], at: number): ColumnType {
  let found: ColumnType = 'null';
  let isMixed = false;
  for (const row of rows) {
    const cell = row[at];
    if (cell === null || cell === undefined) continue;
    const type = typeof cell === 'object' ? 'json' : (typeof cell as 'number' | 'string' | 'boolean');
    if (type === 'json') return 'json';
    isMixed ||= found !== 'null' && found !== type;
    found = type;
  }
  if (!isMixed) return found;
  for (const row of rows) {
    const cell = row[at];
    if (typeof cell === 'number' || typeof cell === 'boolean') row[at] = String(cell);
  }
  return 'string';
}

/** Makes objects of the rows, each column with one JSON type. Half a million values take 80 ms. */
export function withObjects<R extends ArrivedResult>(result: R) {
  const { columns, rows } = result;
  // Assigning to `__proto__` would set the prototype instead.
  const isUnsafe = columns.includes('__proto__');
  const columnTypes = columns.map((_, at) => unifyColumn(rows, at));
  const objects = rows.map((row) =>
    isUnsafe ? Object.fromEntries(columns.map((name, at) => [name, row[at] ?? null])) : toObject(columns, row),
  );
  return { ...result, columnTypes, rows: objects };
}

export function integer(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}

/** Sign, significant digits and exponent: `-12.50` is `-125e-1`. */
function significant(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const all = whole + fraction;
  // A regular expression would begin anew at each zero of a long run.
  let end = all.length;
  while (all[end - 1] === '0') end -= 1;
  const digits = all.slice(0, end);
  const zeros = all.length - end;
  return `${sign}${digits.replace(/^0+/, '')}e${Number(exponent) - fraction.length + zeros}`;
}

/** The text of a decimal or an integer as a number when that says the same, else as it is. */
export function decimal(text: string): number | string {
  const number = Number(text);
  if (!Number.isFinite(number) || (Number.isInteger(number) && !Number.isSafeInteger(number))) return text;
  // Fifteen digits always survive the way into a number and back.
  if (text.length <= 15) return number;
  return significant(String(number)) === significant(text) ? number : text;
}

/** The text of a real number, which the engine has already rounded to what it holds. */
export function real(text: string): number | Converted {
  const number = Number(text);
  if (Number.isFinite(number)) return number;
  const infinite = /^([+-]?)inf/i.exec(text);
  return notFinite(
    infinite === null ? Number.NaN : infinite[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY,
  );
}

/** Writing JSON goes as deep as the value does, and so does the reader of the answer. */
const MAX_DEPTH = 100;

function isDeep(value: Cell, left = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return left === 0 || Object.values(value).some((item) => isDeep(item, left - 1));
}

/** JSON parsed, its numbers by the same rule. Text that is too long or too deep, or no JSON, stays text. */
export function json(text: string, maxCellBytes: number): string | Converted {
  const bytes = Buffer.byteLength(text);
  if (bytes > maxCellBytes) return text;
  try {
    const value = parseJson(text);
    return isDeep(value) ? text : new Converted(value, bytes);
  } catch {
    return text;
  }
}

/** What does not fit, or is nested too deep for programs that write it again, is given as text and cut as such. */
export function fitting(read: Converted, maxCellBytes: number): Value {
  const { value, note } = read;
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'string' && Buffer.byteLength(value) > maxCellBytes ? value : read;
  }
  const text = JSON.stringify(value);
  const bytes = Buffer.byteLength(text);
  return bytes > maxCellBytes || isDeep(value) ? text : new Converted(value, bytes, note);
}

/** Longer than any time is. */
const LONGEST_TIME = 100;

/** Fractions of times as short as they are exact. */
export const shortFraction = (text: string): string =>
  text.length > LONGEST_TIME
    ? text
    : text.replace(/\.(\d*?)0*(?=(?:Z|[+-]\d\d:\d\d)?$)/, (_, kept: string) => kept && `.${kept}`);

/** Texts, and numbers of sixteen digits or more or with an exponent, which alone can be rounded. */
const TEXTS_AND_LONG_NUMBERS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?(?=[\d.]{16}|[\d.]*e)\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;

/**
 * JSON parsed, its numbers by the same rule. Throws `SyntaxError`. Numbers that a number cannot hold are put in quotes
 * first: `JSON.parse` with a function for each value takes 0.9 s for 8 MB of long fractions, this 0.5 s, and of long
 * integers 0.45 and 0.13 s.
 */
export function parseJson(text: string): Cell {
  if (!/\d(?:\.?\d){15}|\de[+-]?\d/i.test(text)) return JSON.parse(text) as Cell;
  const exact = text.replace(TEXTS_AND_LONG_NUMBERS, (found) =>
    found.startsWith('"') || typeof decimal(found) === 'number' ? found : `"${found}"`,
  );
  return JSON.parse(exact) as Cell;
}

/** One value without limits, as an element of an array is given. */
export function toCell(value: Value): Cell {
  if (typeof value === 'bigint') return integer(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Converted) return value.value;
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}

/** About how much a sink is given at a time: what is gone soon costs least. A row is never cut. */
const PART_BYTES = 16 * 1024;
/** A row is held whole on its way. */
const LONGEST_ROW_BYTES = 16 * 1024 * 1024;

const lengthOf = (text: string) => text.length;

/** Takes rows until a limit is reached. */
export class RowCollector {
  readonly rows: Cell[][] = [];
  truncated = false;
  readonly #columns: readonly string[];
  readonly #limits: RowLimits;
  readonly #notes = new Set<string>();
  /** Bytes of the column names in one row, with quotes and colons. Answers repeat them; in memory all rows share them. */
  readonly #nameBytes: number;
  #count = 0;
  #bytes = 0;
  #sentBytes = 0;
  #sending: Promise<void> | undefined;

  constructor(columns: readonly string[], limits: RowLimits) {
    this.#columns = columns;
    this.#limits = limits;
    this.#nameBytes = columns.reduce((sum, name) => sum + Buffer.byteLength(name) + 3, 0);
  }

  get notes(): string[] {
    return [...this.#notes];
  }

  /** Bytes of the values. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Says what the columns hold, before the first row: a sink must know. */
  describe(types: () => readonly SinkType[]): void {
    this.#limits.sink?.begin(this.#columns, types());
  }

  /** Whether the sink has rows to deal with: wait for `sent` before reading more, or they pile up. */
  get isSending(): boolean {
    return this.#sending !== undefined;
  }

  async sent(): Promise<void> {
    await this.#sending;
  }

  /** Resolves to the result once the sink, if there is one, has all rows. */
  async result(): Promise<ArrivedResult> {
    const { truncated, notes } = this;
    if (this.#limits.sink === undefined) return { columns: this.#columns, rows: this.rows, truncated, notes };
    if (this.rows.length > 0) this.#send(this.#limits.sink);
    await this.#sending;
    return { columns: this.#columns, rows: [], truncated, notes };
  }

  #send(sink: RowSink): void {
    const rows = this.take();
    this.#sentBytes = this.#bytes;
    const sending = this.#sending === undefined ? sink.write(rows) : this.#sending.then(() => sink.write(rows));
    this.#sending = sending;
    const done = () => {
      if (this.#sending === sending) this.#sending = undefined;
    };
    // A rejection stays, for whoever waits.
    sending?.then(done, () => {});
  }

  /** `false`: the row did not fit, no more are wanted. */
  add(values: readonly Value[]): boolean {
    const { maxRows, maxBytes, memory, fail, sink } = this.#limits;
    // A sink's bound is a rough one.
    const byteLength = sink === undefined ? Buffer.byteLength : lengthOf;
    if (this.#count >= maxRows) return this.#stop(`Only the first ${maxRows} rows are given; there are more.`);
    // Brackets, quotes and commas count too: the limit is on what is sent.
    let bytes = 2;
    const row = new Array<Cell>(values.length);
    for (let index = 0; index < values.length; index += 1) {
      const value = values[index] as Value;
      const cell = this.#cell(value, index);
      bytes += 3 + (typeof cell === 'string' ? byteLength(cell) : value instanceof Converted ? value.bytes : 8);
      row[index] = cell;
    }
    if (fail !== undefined && bytes > LONGEST_ROW_BYTES) throw fail(`Row ${this.#count + 1} is longer than 16 MB.`);
    if (this.#bytes + bytes + (this.#count + 1) * this.#nameBytes > maxBytes) {
      return this.#stop(`Only the first ${this.#count} rows are given; the result is larger than ${maxBytes} bytes.`);
    }
    if (memory !== undefined && bytes > memory.roomBytes) {
      memory.exceeded();
      return this.#stop(`Only the first ${this.#count} rows are given; there is no memory for more at the moment.`);
    }
    memory?.hold(bytes);
    this.#bytes += bytes;
    this.#count += 1;
    this.rows.push(row);
    if (sink !== undefined && this.#bytes - this.#sentBytes >= PART_BYTES) this.#send(sink);
    return true;
  }

  /** Removes the rows so far; they still count. */
  take(): Cell[][] {
    return this.rows.splice(0);
  }

  /** Reads the texts of a column whose type became known after its rows. */
  convert(index: number, decode: (text: string) => Value): void {
    for (const row of this.rows) {
      const text = row[index];
      if (typeof text === 'string') row[index] = this.#cell(decode(text), index);
    }
  }

  #cell(value: Value, index: number): Cell {
    if (typeof value === 'string') return this.#text(value, index);
    if (value === null || typeof value === 'boolean') return value;
    if (typeof value === 'bigint') return integer(value);
    if (typeof value === 'number') {
      return Number.isFinite(value) ? value : this.#cell(notFinite(value), index);
    }
    if (value instanceof Uint8Array) return this.#binary(value, index);
    if (value.note !== undefined) this.#note(index, value.note);
    return value.value;
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
    const { maxCellBytes, fail } = this.#limits;
    if (fail !== undefined)
      throw fail(`Column "${this.#columns[index]}" has a value of more than ${maxCellBytes} bytes.`);
    this.truncated = true;
    this.#note(index, `has values cut to ${maxCellBytes} bytes`);
  }

  #note(index: number, what: string): void {
    this.#notes.add(`Column "${this.#columns[index] ?? index + 1}" ${what}.`);
  }

  #stop(note: string): false {
    const { maxRows, maxBytes, fail } = this.#limits;
    if (fail !== undefined) {
      const bound = this.#count >= maxRows ? `${maxRows} rows` : `${maxBytes} bytes`;
      throw fail(`The result has more than ${bound}, and so much is not handed on.`);
    }
    this.truncated = true;
    this.#notes.add(note);
    return false;
  }
}
