/** PostgreSQL's values, which arrive as text, by the type of their column. */
import {
  type Cell,
  Converted,
  decimal,
  decimalType,
  integer,
  json,
  real,
  type SinkType,
  toCell,
  type Value,
} from '../datasource-kit/index.ts';
import { isoDate, isoInterval, isoTimestamp, isoTimeWithZone } from './times.ts';

/** Reads the text of a value that is not null. */
export type Decoder = (text: string, maxCellBytes: number) => Value;

const asText: Decoder = (text) => text;
const asInteger: Decoder = (text) => (text.length < 16 ? Number(text) : integer(BigInt(text)));
/** NaN and infinities are decimals too. */
const asDecimal: Decoder = (text) => (/^[+-]?[NIi]/.test(text) ? real(text) : decimal(text));
/** `\x` and two digits a byte; an odd digit is left where the value was cut. */
const asBinary: Decoder = (text) => Buffer.from(text.slice(2), 'hex');

/** Types with a fixed number. Whatever is not here is looked up in the catalogue once. */
const BUILT_IN: ReadonlyMap<number, Decoder> = new Map<number, Decoder>([
  [16, (text) => text === 't'],
  [17, asBinary],
  [18, asText],
  [19, asText],
  [20, asInteger],
  [21, asInteger],
  [23, asInteger],
  [25, asText],
  [26, asInteger],
  [114, json],
  [700, real],
  [701, real],
  [705, asText],
  [1042, asText],
  [1043, asText],
  [1082, isoDate],
  [1083, asText],
  [1114, isoTimestamp],
  [1184, isoTimestamp],
  [1186, isoInterval],
  [1266, isoTimeWithZone],
  [1700, asDecimal],
  [2249, asText],
  [2950, asText],
  [3802, json],
]);

const NUMERIC = 1700;
/** What the values of these are, handed on. Others are text, or lists. */
const SINK_TYPES: Readonly<Record<number, SinkType>> = {
  16: 'boolean',
  17: 'binary',
  20: 'integer',
  21: 'integer',
  23: 'integer',
  26: 'integer',
  114: 'json',
  700: 'double',
  701: 'double',
  1082: 'date',
  1114: 'timestamp',
  1184: 'timestamptz',
  3802: 'json',
};

/** `modifier`: of a decimal, its digits, where they are declared. */
export function sinkType(oid: number, modifier: number): SinkType {
  if (oid !== NUMERIC) return SINK_TYPES[oid] ?? (BUILT_IN.has(oid) ? 'text' : 'any');
  const declared = modifier - 4;
  return declared < 0 ? 'decimal' : decimalType(declared >> 16, declared & 0x7ff);
}

/** A type that the catalogue knows, by number. */
export interface TypeRow {
  readonly oid: number;
  /** Number of the type of its elements, behind domains; 0 when it is no array. */
  readonly element: number;
  readonly delimiter: string;
}

/** Types of the rows whose numbers are given as `$1`. */
export const TYPES_SQL = `SELECT t.oid::int8, t.typdelim,
  CASE WHEN t.typcategory = 'A' THEN coalesce(nullif(e.typbasetype, 0), e.oid, 0) ELSE 0 END::int8
  FROM pg_catalog.pg_type t LEFT JOIN pg_catalog.pg_type e ON e.oid = t.typelem WHERE t.oid = ANY ($1::oid[])`;

/** What is known of the types of one database. */
export class TypeMap {
  readonly #decoders = new Map(BUILT_IN);

  /** `undefined`: not yet looked up. */
  decoder(oid: number): Decoder | undefined {
    return this.#decoders.get(oid);
  }

  learn(wanted: readonly number[], rows: readonly TypeRow[]): void {
    // Enumerations, ranges, addresses, geometry: text says it all.
    for (const oid of wanted) this.#decoders.set(oid, asText);
    for (const { oid, element, delimiter } of rows) {
      if (element === 0) continue;
      const ofElement = BUILT_IN.get(element) ?? asText;
      this.#decoders.set(oid, (text, maxCellBytes) => readArray(text, delimiter, ofElement, maxCellBytes));
    }
  }
}

/** `{1,NULL,"a b"}`, nested or not. What cannot be read, such as a value that was cut, stays text. */
function readArray(text: string, delimiter: string, decode: Decoder, maxCellBytes: number): Value {
  const bytes = Buffer.byteLength(text);
  if (bytes > maxCellBytes) return text;
  let note: string | undefined;
  const element = (raw: string, quoted: boolean): Cell => {
    if (!quoted && raw.toUpperCase() === 'NULL') return null;
    const value = decode(raw, maxCellBytes);
    if (value instanceof Converted) note ??= value.note;
    return toCell(value);
  };
  // Bounds that do not begin at 1 stand before the value: `[0:1]={7,8}`.
  const reader = new ArrayReader(text, text.indexOf('{'), delimiter, element);
  const value = reader.read();
  return value === undefined ? text : new Converted(value, bytes, note);
}

class ArrayReader {
  readonly #text: string;
  readonly #delimiter: string;
  readonly #element: (raw: string, quoted: boolean) => Cell;
  #at: number;

  constructor(text: string, start: number, delimiter: string, element: (raw: string, quoted: boolean) => Cell) {
    this.#text = text;
    this.#at = start;
    this.#delimiter = delimiter;
    this.#element = element;
  }

  /** `undefined`: no array. At most six levels, as the engine has them. */
  read(): Cell[] | undefined {
    if (this.#text[this.#at] !== '{') return undefined;
    this.#at += 1;
    const items: Cell[] = [];
    if (this.#text[this.#at] === '}') {
      this.#at += 1;
      return items;
    }
    for (;;) {
      const item = this.#item();
      if (item === undefined) return undefined;
      items.push(item);
      const next = this.#text[this.#at];
      this.#at += 1;
      if (next === '}') return items;
      if (next !== this.#delimiter) return undefined;
    }
  }

  #item(): Cell | undefined {
    if (this.#text[this.#at] === '{') return this.read();
    if (this.#text[this.#at] === '"') return this.#quoted();
    const start = this.#at;
    while (this.#at < this.#text.length && this.#text[this.#at] !== this.#delimiter && this.#text[this.#at] !== '}') {
      this.#at += 1;
    }
    return this.#element(this.#text.slice(start, this.#at), false);
  }

  #quoted(): Cell | undefined {
    let raw = '';
    for (let at = this.#at + 1; at < this.#text.length; at += 1) {
      const character = this.#text[at];
      if (character === '"') {
        this.#at = at + 1;
        return this.#element(raw, true);
      }
      if (character === '\\') at += 1;
      raw += this.#text[at] ?? '';
    }
    return undefined;
  }
}

/** Number of the type that a bound value is sent as; 0 lets the server infer it. */
export function parameterType(value: unknown): number {
  if (typeof value === 'boolean') return 16;
  if (value instanceof Uint8Array) return 17;
  if (value instanceof Date) return 1184;
  if (typeof value === 'bigint') return value >= -(2n ** 63n) && value < 2n ** 63n ? 20 : 1700;
  if (typeof value !== 'number') return 0;
  if (!Number.isInteger(value)) return 1700;
  if (Math.abs(value) < 2 ** 31) return 23;
  return Number.isSafeInteger(value) ? 20 : 1700;
}

/** Text of a bound value; binary stays so. */
export function parameterText(value: string | number | bigint | boolean | Date | Uint8Array | null) {
  if (value === null) return null;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return value instanceof Date ? value.toISOString() : String(value);
}
