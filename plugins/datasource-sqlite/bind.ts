/** Turns values that come over the wire into what the SQLite driver binds. */
import type { WireParam } from '../datasource-kit/index.ts';

/**
 * Integers are bound as integers: a JavaScript number would arrive as a real, and `7 / 2.0` is not `7 / 2`. True and
 * false are 1 and 0, times are ISO 8601 text.
 */
export function bind(param: WireParam): unknown {
  if (typeof param === 'boolean') return param ? 1n : 0n;
  if (typeof param === 'number') return Number.isSafeInteger(param) ? BigInt(param) : param;
  if (typeof param !== 'object' || param === null) return param;
  if ('integer' in param) return BigInt(param.integer);
  return 'base64' in param ? Buffer.from(param.base64, 'base64') : param.timestamp;
}
