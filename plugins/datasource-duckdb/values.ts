/** DuckDB's values as the plain ones that every engine gives. */
import {
  DuckDBArrayType,
  DuckDBArrayValue,
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBIntervalValue,
  DuckDBListType,
  DuckDBListValue,
  DuckDBMapType,
  DuckDBMapValue,
  DuckDBStructType,
  DuckDBStructValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTimeTZValue,
  type DuckDBType,
  DuckDBUnionType,
  DuckDBUnionValue,
  type DuckDBValue,
  DuckDBVariantValue,
  type DuckDBVector,
} from '@duckdb/node-api';
import type { Cell, Value, ValueFunctions } from '../datasource-kit/index.ts';

/** Reads the values of a result, chunk after chunk. */
export class ValueReader {
  readonly #values: ValueFunctions;
  readonly #maxCellBytes: number;
  /** What the fields of a struct are called, instead of their places. */
  readonly #fields = new Map<DuckDBStructType, readonly string[]>();

  constructor(values: ValueFunctions, maxCellBytes: number) {
    this.#values = values;
    this.#maxCellBytes = maxCellBytes;
  }

  /** The values of one column of a chunk, by row. `isJson`: a chunk does not know it of its columns. */
  column(vector: DuckDBVector, isJson: boolean): (row: number) => Value {
    const { type } = vector;
    this.#usePlaces(type);
    return (row) => {
      const value = vector.getItem(row);
      if (isNested(value)) return this.#nested(value, type);
      return isJson && typeof value === 'string'
        ? this.#values.json(value, this.#maxCellBytes)
        : plain(value, this.#values);
    };
  }

  /**
   * The library puts the fields of a struct into an object, by name: two without a name would be one, and `__proto__`
   * none. By place none is lost.
   */
  #usePlaces(type: DuckDBType): void {
    if (type instanceof DuckDBStructType && !this.#fields.has(type)) {
      this.#fields.set(type, [...type.entryNames]);
      type.entryTypes.forEach((_, place) => {
        (type.entryNames as string[])[place] = String(place);
      });
    }
    for (const part of partsOf(type)) this.#usePlaces(part);
  }

  #nested(value: DuckDBValue, type: DuckDBType): Value {
    const { Converted } = this.#values;
    const notes: string[] = [];
    const cell = this.#cell(value, type, notes);
    if (typeof cell === 'string') return cell;
    if (typeof cell !== 'object' || cell === null) return new Converted(cell, 8, notes[0]);
    const text = JSON.stringify(cell);
    const bytes = Buffer.byteLength(text);
    // What does not fit is cut as text.
    return bytes > this.#maxCellBytes ? text : new Converted(cell, bytes, notes[0]);
  }

  /** `type` is not known inside a VARIANT. */
  #cell(value: DuckDBValue, type: DuckDBType | undefined, notes: string[]): Cell {
    const { Converted, json, real, toCell } = this.#values;
    const cell = (item: DuckDBValue, of: DuckDBType | undefined) => this.#cell(item, of, notes);
    if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) {
      const of = type instanceof DuckDBListType || type instanceof DuckDBArrayType ? type.valueType : undefined;
      return value.items.map((item) => cell(item, of));
    }
    if (value instanceof DuckDBMapValue) {
      const { keyType, valueType } = type instanceof DuckDBMapType ? type : {};
      const entries = value.entries.map(({ key, value: item }) => [keyOf(cell(key, keyType)), cell(item, valueType)]);
      return Object.fromEntries(entries) as Cell;
    }
    if (value instanceof DuckDBStructValue) return this.#struct(value, type, cell);
    if (value instanceof DuckDBUnionValue) {
      return cell(value.value, type instanceof DuckDBUnionType ? type.memberTypeForTag(value.tag) : undefined);
    }
    if (value instanceof DuckDBVariantValue) return cell(value.value, undefined);
    if (type?.alias === 'JSON' && typeof value === 'string') return toCell(json(value, this.#maxCellBytes));
    const read = plain(value, this.#values);
    const kept = typeof read === 'number' && !Number.isFinite(read) ? real(String(read)) : read;
    if (kept instanceof Converted && kept.note !== undefined) notes.push(kept.note);
    return toCell(kept);
  }

  /** An object; a list when no field has a name. */
  #struct(
    { entries }: DuckDBStructValue,
    type: DuckDBType | undefined,
    cell: (value: DuckDBValue, type: DuckDBType | undefined) => Cell,
  ): Cell {
    const struct = type instanceof DuckDBStructType ? type : undefined;
    const fields = struct === undefined ? undefined : this.#fields.get(struct);
    if (struct === undefined || fields === undefined) {
      return Object.fromEntries(Object.entries(entries).map(([name, item]) => [name, cell(item, undefined)]));
    }
    const values = fields.map((_, place) => cell(entries[place] ?? null, struct.entryTypes[place]));
    if (fields.every((name) => name === '')) return values;
    const names = this.#values.uniqueNames(fields);
    return Object.fromEntries(values.map((item, place) => [names[place] ?? '', item]));
  }
}

function partsOf(type: DuckDBType): readonly DuckDBType[] {
  if (type instanceof DuckDBListType || type instanceof DuckDBArrayType) return [type.valueType];
  if (type instanceof DuckDBMapType) return [type.keyType, type.valueType];
  if (type instanceof DuckDBStructType) return type.entryTypes;
  return type instanceof DuckDBUnionType ? type.memberTypes : [];
}

/** Whether it is made of other values. */
function isNested(value: DuckDBValue): boolean {
  return (
    value instanceof DuckDBListValue ||
    value instanceof DuckDBArrayValue ||
    value instanceof DuckDBStructValue ||
    value instanceof DuckDBMapValue ||
    value instanceof DuckDBUnionValue ||
    value instanceof DuckDBVariantValue
  );
}

function plain(value: DuckDBValue, { decimal, infiniteTime }: ValueFunctions): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof DuckDBDecimalValue) return decimal(value.toString());
  if ('isFinite' in value && !value.isFinite) return infiniteTime(value.toString().startsWith('-'));
  if (value instanceof DuckDBDateValue) return isoYear(value.toString());
  if (value instanceof DuckDBTimestampValue) return isoTimestamp(value.micros);
  if (value instanceof DuckDBTimestampTZValue) return `${isoTimestamp(value.micros)}Z`;
  if (value instanceof DuckDBTimestampSecondsValue) return isoText(value.toString());
  if (value instanceof DuckDBTimestampMillisecondsValue) return isoText(value.toString());
  if (value instanceof DuckDBTimestampNanosecondsValue) return isoText(value.toString());
  if (value instanceof DuckDBTimeTZValue) return isoOffset(value.toString());
  if (value instanceof DuckDBIntervalValue) return isoInterval(value);
  if (value instanceof DuckDBBlobValue) return value.bytes;
  // Times, bits, UUIDs and geometry print as they are written.
  return value.toString();
}

const keyOf = (key: Cell) => (typeof key === 'string' ? key : JSON.stringify(key));

const isoTimestamp = (micros: bigint) => isoText(new DuckDBTimestampValue(micros).toString());

/** `2024-02-29 12:30:00.5` with a T, and a year of ISO 8601. */
const isoText = (text: string) => isoYear(text.replace(/(\d) (\d)/, '$1T$2'));

/** The year before 1 is 0, and years outside 0 to 9999 have a sign and six digits. */
function isoYear(text: string): string {
  const [, year = '', rest = '', bc] = /^(\d+)(-\d\d-\d\d[^ ]*)( ?\(BC\))?$/.exec(text) ?? [];
  const astronomical = bc === undefined ? Number(year) : 1 - Number(year);
  if (rest === '' || (astronomical >= 0 && astronomical <= 9999)) {
    return rest === '' ? text : String(astronomical).padStart(4, '0') + rest;
  }
  return `${astronomical < 0 ? '-' : '+'}${String(Math.abs(astronomical)).padStart(6, '0')}${rest}`;
}

/** `12:30:00+02` with the minutes of its zone. */
const isoOffset = (text: string) => text.replace(/([+-]\d\d)$/, '$1:00').replace(/[+-]00:00$/, 'Z');

/** `P1Y2M3DT4H5M6.5S`; the three parts have signs of their own. */
function isoInterval({ months, days, micros }: DuckDBIntervalValue): string {
  const sign = micros < 0n ? '-' : '';
  const absolute = micros < 0n ? -micros : micros;
  const [hours, minutes] = [absolute / 3_600_000_000n, (absolute / 60_000_000n) % 60n];
  const seconds = decimalSeconds(absolute % 60_000_000n);
  const part = (amount: number | bigint, unit: string) => (amount === 0 || amount === 0n ? '' : `${amount}${unit}`);
  const signed = (amount: bigint, unit: string) => (amount === 0n ? '' : `${sign}${amount}${unit}`);
  const date = part(Math.trunc(months / 12), 'Y') + part(months % 12, 'M') + part(days, 'D');
  const time = signed(hours, 'H') + signed(minutes, 'M') + (seconds === '0' ? '' : `${sign}${seconds}S`);
  if (date === '' && time === '') return 'PT0S';
  return `P${date}${time === '' ? '' : `T${time}`}`;
}

function decimalSeconds(micros: bigint): string {
  const fraction = String(micros % 1_000_000n)
    .padStart(6, '0')
    .replace(/0+$/, '');
  return `${micros / 1_000_000n}${fraction === '' ? '' : `.${fraction}`}`;
}
