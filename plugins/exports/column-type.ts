/** Finds the narrowest type of Parquet that holds all values of a column, where the engine leaves the type open. */
import type { SinkType } from '../datasource-kit/index.ts';

type Cell = unknown;

/** Names of DuckDB's types, which it writes as Parquet's. */
const TYPES: Readonly<Record<Extract<SinkType, string>, string | undefined>> = {
  boolean: 'BOOLEAN',
  integer: 'BIGINT',
  double: 'DOUBLE',
  date: 'DATE',
  timestamp: 'TIMESTAMP',
  timestamptz: 'TIMESTAMPTZ',
  binary: 'BLOB',
  json: 'VARCHAR',
  text: 'VARCHAR',
  decimal: undefined,
  number: undefined,
  any: undefined,
};

const MAX_DIGITS = 38;
/** Digits of which every integer fits into 64 bits. */
const LONG_DIGITS = 18;
const NUMBER = /^-?0*(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i;
/** As an integer beyond those of a number is given; what is written otherwise, such as `007`, is a text. */
const LONG_INTEGER = /^-?[1-9]\d{15,}$/;

/** `undefined`: the values tell. */
export const fixedType = (type: SinkType): string | undefined =>
  typeof type === 'string' ? TYPES[type] : `DECIMAL(${type.precision}, ${type.scale})`;

export class OpenColumn {
  readonly #kind: 'decimal' | 'number' | 'any';
  #hasBooleans = false;
  #hasNumbers = false;
  #hasTexts = false;
  /** Largest absolute value of the whole numbers, and most digits before and after the point of all others. */
  #largest = 0;
  #whole = 0;
  #scale = 0;

  constructor(kind: 'decimal' | 'number' | 'any') {
    this.#kind = kind;
  }

  add(cell: Cell): void {
    if (cell === null) return;
    if (typeof cell === 'number') this.#addNumber(cell);
    else if (typeof cell === 'boolean') this.#hasBooleans = true;
    else if (typeof cell !== 'string' || !this.#mayBeNumber(cell) || !this.#addDigits(cell)) this.#hasTexts = true;
  }

  #mayBeNumber(text: string): boolean {
    return this.#kind === 'decimal' || (this.#kind === 'number' && LONG_INTEGER.test(text));
  }

  get type(): string {
    if (this.#hasTexts || (this.#hasBooleans && this.#hasNumbers)) return 'VARCHAR';
    if (this.#hasBooleans) return 'BOOLEAN';
    if (!this.#hasNumbers) return 'VARCHAR';
    const whole = Math.max(this.#whole, String(this.#largest).length);
    if (this.#scale === 0 && whole <= LONG_DIGITS) return this.#kind === 'decimal' ? 'DECIMAL(18, 0)' : 'BIGINT';
    // Reals are doubles, unless integers with more digits than they hold are among them.
    if (this.#scale > 0 && this.#kind !== 'decimal') return this.#whole > 0 ? 'VARCHAR' : 'DOUBLE';
    return whole + this.#scale <= MAX_DIGITS ? `DECIMAL(${whole + this.#scale}, ${this.#scale})` : 'VARCHAR';
  }

  #addNumber(value: number): void {
    this.#hasNumbers = true;
    if (!Number.isSafeInteger(value)) {
      // A real, however large: decimals and integers of so many digits come as text.
      if (this.#kind === 'decimal') this.#addDigits(String(value));
      else this.#scale = 1;
      return;
    }
    const size = Math.abs(value);
    if (size > this.#largest) this.#largest = size;
  }

  /** False: it is no number. */
  #addDigits(text: string): boolean {
    const [, whole, fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
    if (whole === undefined || (whole === '' && !/\d/.test(text))) return false;
    this.#hasNumbers = true;
    const shift = Number(exponent);
    this.#whole = Math.max(this.#whole, whole.length + shift);
    this.#scale = Math.max(this.#scale, fraction.length - shift);
    return true;
  }
}
