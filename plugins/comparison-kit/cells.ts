/** Normalizes values of results, so that one value compares as equal however an engine writes it. */

/** `null`, a number, or a text that begins with what it is: `t:` text, `d:` date or time. */
export type Cell = null | number | string;

/** Numbers are equal within this share of the larger one. */
const RELATIVE_TOLERANCE = 1e-6;
/** Sums of floating-point numbers miss zero by about as much. */
const ABSOLUTE_TOLERANCE = 1e-9;

/** As engines print numbers; a text with leading zeros, such as a postal code, is none. */
const NUMBER = /^[+-]?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]\d+)?$/i;
const DATE = /^(\d{4})-(\d\d)(?:-(\d\d))?(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d+))?)?\s?(Z|UTC|[+-]\d\d(?::?\d\d)?)?)?$/;
const QUARTER = /^(\d{4})[- ]?Q([1-4])$/i;

export function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return Number.isNaN(value) ? 't:NaN' : value;
  if (typeof value === 'bigint' || typeof value === 'boolean') return Number(value);
  if (value instanceof Date) return dateOf(value.toISOString()) ?? `t:${value}`;
  if (typeof value !== 'string') return `t:${JSON.stringify(value)}`;
  if (NUMBER.test(value)) return Number(value);
  return dateOf(value) ?? `t:${value}`;
}

/** A month is its first day, a quarter the first day of its first month, midnight the day alone. */
function dateOf(text: string): string | undefined {
  const [, quarterYear, quarter] = QUARTER.exec(text) ?? [];
  if (quarter !== undefined) return `d:${quarterYear}-${String(Number(quarter) * 3 - 2).padStart(2, '0')}-01`;
  const [whole, year, month, day = '01', minutes = '00:00', seconds = '00', fraction = '', zone = 'Z'] =
    DATE.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const isUtc = /^(?:Z|UTC|[+-]00(?::?00)?)$/.test(zone);
  const local = `${year}-${month}-${day} ${minutes}:${seconds}`;
  const instant = isUtc ? local : inUtc(local, zone);
  const digits = fraction.replace(/0+$/, '');
  const written = digits === '' ? instant : `${instant}.${digits}`;
  return `d:${written.replace(/ 00:00:00$/, '')}`;
}

function inUtc(local: string, zone: string): string {
  const [, sign, hours, minutes = '00'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  const date = new Date(`${local.replace(' ', 'T')}${sign}${hours}:${minutes}`);
  return Number.isNaN(date.getTime()) ? local : date.toISOString().slice(0, 19).replace('T', ' ');
}

export const sameNumber = (a: number, b: number): boolean =>
  a === b || Math.abs(a - b) <= Math.max(ABSOLUTE_TOLERANCE, RELATIVE_TOLERANCE * Math.max(Math.abs(a), Math.abs(b)));

const YEAR = (cell: Cell) =>
  cell === null || (typeof cell === 'number' && Number.isInteger(cell) && cell >= 1000 && cell <= 9999);
const isDate = (cell: Cell) => cell === null || (typeof cell === 'string' && cell.startsWith('d:'));
const isNumber = (cell: Cell) => cell === null || typeof cell === 'number';
const isTwoDigits = (cell: Cell) => isNumber(cell) || /^t:0\d$/.test(String(cell));

/**
 * Brings two columns to one kind where engines differ in the kind: years as numbers and as dates, months and hours as
 * numbers and as two digits.
 */
export function alignedColumns(one: readonly Cell[], other: readonly Cell[]): [readonly Cell[], readonly Cell[]] {
  if (one.every(YEAR) && other.every(isDate)) return [one.map(asYear), other];
  if (one.every(isDate) && other.every(YEAR)) return [one, other.map(asYear)];
  if (one.every(isTwoDigits) && other.every(isTwoDigits) && one.every(isNumber) !== other.every(isNumber)) {
    return [one.map(asNumber), other.map(asNumber)];
  }
  return [one, other];
}

const asYear = (cell: Cell): Cell => (cell === null ? null : `d:${cell}-01-01`);
const asNumber = (cell: Cell): Cell => (typeof cell === 'string' ? Number(cell.slice(2)) : cell);
