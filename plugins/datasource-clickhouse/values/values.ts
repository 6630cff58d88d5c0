/** ClickHouse's values, which arrive as JSON with all digits of their numbers, by the type of their column. */
import {
  type Cell,
  Converted,
  fitting,
  real,
  shortFraction,
  toCell,
  type Value,
  type WallClock,
} from '../../datasource-kit/index.ts';
import { RawBytes } from '../wire/answer.ts';
import { fieldOf, parseType } from './types.ts';

export type Decoder = (value: unknown, maxCellBytes: number) => Value;
type CellDecoder = (value: unknown, notes: Set<string>) => Value;

const STATES = 'holds states of aggregate functions, given as hexadecimal text';
const NESTED = new Set(['Array', 'Tuple', 'Map', 'Nested']);

/** Types that are made of others. */
const ALIASES: Readonly<Record<string, string>> = {
  Point: 'Tuple(Float64, Float64)',
  Ring: 'Array(Point)',
  LineString: 'Array(Point)',
  MultiLineString: 'Array(LineString)',
  Polygon: 'Array(Ring)',
  MultiPolygon: 'Array(Polygon)',
};

/** Parts of ISO 8601's periods, each with how many of them the type's unit is. */
const INTERVALS: Readonly<Record<string, readonly [amount: number, unit: string]>> = {
  Second: [1, 'S'],
  Minute: [1, 'M'],
  Hour: [1, 'H'],
  Day: [1, 'D'],
  Week: [1, 'W'],
  Month: [1, 'M'],
  Quarter: [3, 'M'],
  Year: [1, 'Y'],
};
/** Parts of a second, by how many digits they have. */
const FRACTIONS: Readonly<Record<string, number>> = { Millisecond: 3, Microsecond: 6, Nanosecond: 9 };
const OF_A_DAY = new Set(['Second', 'Minute', 'Hour']);

export class Decoders {
  readonly #wallClock: WallClock;
  readonly #known = new Map<string, CellDecoder>();

  /** `wallClock`: in the time zone of columns that name none. */
  constructor(wallClock: WallClock) {
    this.#wallClock = wallClock;
  }

  /** The decoder of a column. */
  of(type: string): Decoder {
    const decode = this.#cellDecoder(type);
    return (value, maxCellBytes) => {
      if (value === null || value === undefined) return null;
      const notes = new Set<string>();
      const read = decode(value, notes);
      if (read instanceof Converted) return fitting(read, maxCellBytes);
      return read;
    };
  }

  #cellDecoder(type: string): CellDecoder {
    const known = this.#known.get(type);
    if (known !== undefined) return known;
    const made = this.#make(type);
    this.#known.set(type, made);
    return made;
  }

  #make(text: string): CellDecoder {
    const { name, args } = parseType(ALIASES[text] ?? text);
    if (name === 'Nullable' || name === 'LowCardinality') return this.#cellDecoder(args[0] ?? '');
    if (name === 'SimpleAggregateFunction') return this.#cellDecoder(args.at(-1) ?? '');
    if (NESTED.has(name)) return this.#nested(name, args);
    if (/^B?Float/.test(name)) return (value) => (typeof value === 'number' ? value : real(String(value)));
    if (name === 'DateTime' || name === 'DateTime64') return this.#instant(args);
    if (name === 'Time' || name === 'Time64') return (value) => shortFraction(String(value));
    if (name.startsWith('Interval')) return intervalOf(name.slice('Interval'.length));
    if (name === 'FixedString') return padded;
    if (name === 'AggregateFunction') return stateOf;
    // What JSON, Dynamic and Variant hold has types of its own, which JSON tells as far as it has them.
    return plain;
  }

  #instant(args: readonly string[]): CellDecoder {
    const hasZone = args.some((arg) => arg.startsWith("'"));
    return (value) => {
      const instant = shortFraction(String(value));
      return hasZone ? instant : this.#wallClock(instant);
    };
  }

  #nested(name: string, args: readonly string[]): CellDecoder {
    const cellBy = (type: string) => {
      const decode = this.#cellDecoder(type);
      return (value: unknown, notes: Set<string>): Cell => cellOf(value, decode, notes);
    };
    const converted = (cell: Cell, notes: Set<string>) => new Converted(cell, 0, [...notes][0]);
    if (name === 'Array') {
      const item = cellBy(args[0] ?? '');
      return (value, notes) =>
        converted(
          listOf(value).map((one) => item(one, notes)),
          notes,
        );
    }
    if (name === 'Map') {
      const item = cellBy(args[1] ?? '');
      const entries = (value: unknown) => Object.entries(value as object);
      return (value, notes) =>
        converted(Object.fromEntries(entries(value).map(([key, one]) => [key, item(one, notes)])), notes);
    }
    const fields = args.map(fieldOf).map((field) => ({ ...field, read: cellBy(field.type) }));
    const byName = new Map(fields.map((field) => [field.name, field.read]));
    const tuple = (value: unknown, notes: Set<string>): Cell => {
      if (Array.isArray(value)) return value.map((one, at) => fields[at]?.read(one, notes) ?? null);
      const entries = Object.entries(value as object);
      return Object.fromEntries(entries.map(([key, one]) => [key, byName.get(key)?.(one, notes) ?? null]));
    };
    if (name === 'Tuple') return (value, notes) => converted(tuple(value, notes), notes);
    return (value, notes) =>
      converted(
        listOf(value).map((one) => tuple(one, notes)),
        notes,
      );
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function cellOf(value: unknown, decode: CellDecoder, notes: Set<string>): Cell {
  if (value === null || value === undefined) return null;
  const read = decode(value, notes);
  if (read instanceof Converted && read.note !== undefined) notes.add(read.note);
  return toCell(read);
}

const plain: CellDecoder = (value) => {
  if (value instanceof RawBytes) return value.bytes;
  if (typeof value !== 'object' || value === null) return value as Value;
  return new Converted(withoutBytes(value), 0);
};

function withoutBytes(value: unknown): Cell {
  if (value instanceof RawBytes) return toCell(value.bytes);
  if (Array.isArray(value)) return value.map(withoutBytes);
  if (typeof value !== 'object' || value === null) return value as Cell;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutBytes(item)]));
}

/** Without the null bytes that fill it up; an expression would look at each run of them again from every place in it. */
const padded: CellDecoder = (value) => {
  if (value instanceof RawBytes) return value.bytes;
  const text = String(value);
  let end = text.length;
  while (text.charCodeAt(end - 1) === 0) end -= 1;
  return text.slice(0, end);
};

const stateOf: CellDecoder = (value) => {
  const bytes = value instanceof RawBytes ? value.bytes : Buffer.from(String(value));
  return new Converted(bytes.toString('hex'), bytes.length * 2, STATES);
};

/** `P3D`, `PT-5M`, `PT0.25S`. */
function intervalOf(unit: string): CellDecoder {
  const digits = FRACTIONS[unit];
  const [amount, letter] = INTERVALS[unit] ?? [1, ''];
  return (value) => {
    if (digits !== undefined) return `PT${fraction(BigInt(String(value)), digits)}S`;
    if (letter === '') return plain(value, new Set());
    return `P${OF_A_DAY.has(unit) ? 'T' : ''}${BigInt(String(value)) * BigInt(amount)}${letter}`;
  };
}

function fraction(value: bigint, digits: number): string {
  const absolute = String(value < 0n ? -value : value).padStart(digits + 1, '0');
  return `${value < 0n ? '-' : ''}${shortFraction(`${absolute.slice(0, -digits)}.${absolute.slice(-digits)}`)}`;
}
