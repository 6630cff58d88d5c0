/** Reads JSON that has to be an object. */
import { parseJson } from '../../datasource-kit/index.ts';

/** Fractions are doubles, as JSON has them, since decimals are texts; of integers, `bigint` may be longer. */
const LONG_INTEGER = /(?<![\d.])\d{16}\d*(?![\d.e])/i;

/** Its integers keep all of their digits; `undefined` for what is no object of JSON. */
export function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = LONG_INTEGER.test(text) ? parseJson(text) : JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}
