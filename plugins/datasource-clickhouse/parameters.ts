/** Gives bound values as ClickHouse's query parameters. */
import { bindable, type Param, statementFailed } from '../datasource-kit/index.ts';

const MIDNIGHT = 'T00:00:00.000Z';

/** As the same literal is written; the server reads it by the type of what it is compared with. */
function textOf(value: Param): string | null {
  if (value === null || typeof value === 'string') return value;
  if (value instanceof Date) {
    const text = value.toISOString();
    // A text with a time cannot be compared with a date.
    return text.endsWith(MIDNIGHT) ? text.slice(0, 10) : text;
  }
  if (value instanceof Uint8Array) {
    throw statementFailed('Binary values cannot be bound to a statement of ClickHouse', 'Bind text, such as hex().');
  }
  // Flags are numbers in many tables, and a Bool can be compared with these too.
  return typeof value === 'boolean' ? String(Number(value)) : String(value);
}

/** `p1`, `p2`, … by the order of the values. */
export function queryParams(values: readonly unknown[]): Record<string, string | null> {
  return Object.fromEntries(values.map((value, at) => [`p${at + 1}`, textOf(bindable(value))]));
}
