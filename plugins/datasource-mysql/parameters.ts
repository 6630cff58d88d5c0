/** Gives bound values the types that the same literals have. */
import type mysql from 'mysql2';
import type { Param } from '../datasource-kit/index.ts';

type Library = Pick<typeof mysql, 'TypedParameter'>;

/** A bound value with the type that the same literal has. */
export const typedParameters =
  ({ TypedParameter }: Library) =>
  (value: Param): unknown => {
    if (typeof value === 'boolean') return TypedParameter.TINY(value ? 1 : 0);
    if (typeof value === 'bigint' || Number.isSafeInteger(value)) {
      const whole = BigInt(value as bigint | number);
      if (whole >= -(2n ** 63n) && whole < 2n ** 63n) return TypedParameter.LONGLONG(whole);
      if (whole > 0n && whole < 2n ** 64n) return TypedParameter.LONGLONG.unsigned(whole);
      return TypedParameter.NEWDECIMAL(whole.toString());
    }
    if (typeof value === 'number') {
      const text = String(value);
      return text.includes('e') ? TypedParameter.DOUBLE(value) : TypedParameter.NEWDECIMAL(text);
    }
    if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    return value;
  };
