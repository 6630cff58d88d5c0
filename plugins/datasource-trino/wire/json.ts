/** Reads JSON that has to be an object. */
import { parseJson } from '../../datasource-kit/index.ts';

/** Its numbers keep all of their digits; `undefined` for what is no object of JSON. */
export function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = parseJson(text);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}
