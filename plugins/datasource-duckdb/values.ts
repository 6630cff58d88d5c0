/** DuckDB's values as the plain ones that every engine gives. */
import {
  DuckDBArrayValue,
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBGeometryValue,
  DuckDBIntervalValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTimeTZValue,
  type DuckDBType,
  DuckDBUnionValue,
  type DuckDBValue,
  DuckDBVariantValue,
} from '@duckdb/node-api';
import { type Cell, Converted, decimal, INFINITE, json, toCell, type Value } from '../datasource/values.ts';

/** How the values of a column of this type are read. */
export function readerOf(type: DuckDBType, maxCellBytes: number): (value: DuckDBValue) => Value {
  if (type.alias === 'JSON') return (value) => (typeof value === 'string' ? json(value, maxCellBytes) : null);
  return (value) => plain(value, maxCellBytes);
}

function plain(value: DuckDBValue, maxCellBytes: number): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof DuckDBDecimalValue) return decimal(value.toString());
  if (value instanceof DuckDBDateValue) return value.isFinite ? isoYear(value.toString()) : INFINITE;
  if (value instanceof DuckDBTimestampValue) return value.isFinite ? isoTimestamp(value.micros) : INFINITE;
  if (value instanceof DuckDBTimestampTZValue) return value.isFinite ? `${isoTimestamp(value.micros)}Z` : INFINITE;
  if (value instanceof DuckDBTimestampSecondsValue) return value.isFinite ? isoText(value.toString()) : INFINITE;
  if (value instanceof DuckDBTimestampMillisecondsValue) return value.isFinite ? isoText(value.toString()) : INFINITE;
  if (value instanceof DuckDBTimestampNanosecondsValue) return value.isFinite ? isoText(value.toString()) : INFINITE;
  if (value instanceof DuckDBTimeTZValue) return isoOffset(value.toString());
  if (value instanceof DuckDBIntervalValue) return isoInterval(value);
  if (value instanceof DuckDBBlobValue) return value.bytes;
  if (value instanceof DuckDBGeometryValue) return value.toString();
  if (value instanceof DuckDBUnionValue || value instanceof DuckDBVariantValue) return plain(value.value, maxCellBytes);
  if (isNested(value)) {
    const cell = nested(value);
    const text = JSON.stringify(cell);
    const bytes = Buffer.byteLength(text);
    // What does not fit is cut as text.
    return bytes > maxCellBytes ? text : new Converted(cell, bytes);
  }
  // Times, bits and UUIDs print as they are written.
  return value.toString();
}

type Nested = DuckDBListValue | DuckDBArrayValue | DuckDBStructValue | DuckDBMapValue;

function isNested(value: DuckDBValue): value is Nested {
  return (
    value instanceof DuckDBListValue ||
    value instanceof DuckDBArrayValue ||
    value instanceof DuckDBStructValue ||
    value instanceof DuckDBMapValue
  );
}

function nested(value: Nested): Cell {
  const cell = (item: DuckDBValue): Cell =>
    isNested(item) ? nested(item) : toCell(plain(item, Number.POSITIVE_INFINITY));
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) return value.items.map(cell);
  const entries =
    value instanceof DuckDBMapValue
      ? value.entries.map(({ key, value: item }): [string, Cell] => [keyOf(cell(key)), cell(item)])
      : Object.entries(value.entries).map(([key, item]): [string, Cell] => [key, cell(item)]);
  return Object.fromEntries(entries);
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
