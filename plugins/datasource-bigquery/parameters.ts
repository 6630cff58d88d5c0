/** Gives bound values to BigQuery beside the statement, as positional parameters. */
import { bindable, type Param } from '../datasource-kit/index.ts';

export interface QueryParameter {
  readonly parameterType: { readonly type: string };
  readonly parameterValue: { readonly value: string | null };
}

const MIDNIGHT = 'T00:00:00.000Z';
const LONGEST = 2n ** 63n - 1n;

/** The type and the text of a value; a text is read as a date and the like where it is compared with one. */
function typed(value: Param): readonly [type: string, text: string | null] {
  if (value === null || typeof value === 'string') return ['STRING', value];
  if (typeof value === 'boolean') return ['BOOL', String(value)];
  if (typeof value === 'bigint') return [value > LONGEST || value < -LONGEST ? 'BIGNUMERIC' : 'INT64', String(value)];
  if (typeof value === 'number') return [Number.isSafeInteger(value) ? 'INT64' : 'FLOAT64', String(value)];
  if (value instanceof Uint8Array) return ['BYTES', Buffer.from(value).toString('base64')];
  const text = value.toISOString();
  return text.endsWith(MIDNIGHT)
    ? ['DATE', text.slice(0, 10)]
    : ['TIMESTAMP', text.replace('T', ' ').replace('Z', '+00')];
}

export const queryParameters = (params: readonly unknown[]): QueryParameter[] =>
  params.map((param) => {
    const [type, value] = typed(bindable(param));
    return { parameterType: { type }, parameterValue: { value } };
  });
