/** Reads values of cells: of a column, as an instant, as text that programs read. */

export type ResultRow = Readonly<Record<string, unknown>>;

const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const DATE = /^\d{4}-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}(?::?\d{2})?)?)?)?$/;

export function isDecimal(text: string): boolean {
  return DECIMAL.test(text);
}

/** A date with a time as JavaScript reads it. */
function isoOf(text: string): string {
  const [day = '', time = ''] = text.replace(' ', 'T').split('T');
  const offset = /(?:Z|[+-][\d:]+)$/.test(time) ? '' : 'Z';
  // PostgreSQL writes whole hours of an offset alone.
  return `${day}T${time.replace(/([+-]\d{2})$/, '$1:00')}${offset}`;
}

/** Milliseconds since 1970 of a date as databases write it; without an offset it counts as UTC. */
export function instantOf(text: string): number | undefined {
  if (!DATE.test(text)) return undefined;
  const instant = Date.parse(text.length <= 10 ? text : isoOf(text));
  return Number.isNaN(instant) ? undefined : instant;
}

/** The value of a column, also of one that is named like a property of every object. */
export function valueAt(row: ResultRow, { name }: { readonly name: string }): unknown {
  return Object.hasOwn(row, name) ? (row[name] ?? null) : null;
}

/** The value as a finite number; `undefined` for what is none. */
export function numberOf(value: unknown): number | undefined {
  if (value === null || typeof value === 'object' || typeof value === 'boolean' || value === '') return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

const nestedTexts = new WeakMap<object, string>();

/** Written once: the same values are shown, sorted and filtered many times. */
function nestedText(value: object): string {
  const text = nestedTexts.get(value) ?? JSON.stringify(value);
  nestedTexts.set(value, text);
  return text;
}

/** The value as text that programs read: exact, ungrouped, JSON for what is nested, nothing for null. */
export function plainText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? nestedText(value) : String(value);
}
