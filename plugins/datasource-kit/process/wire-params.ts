/** Turns values to bind into JSON for a database process. */
import { bindable } from '../params.ts';
import type { WireParam } from './protocol.ts';

/** Throws for what no engine has a type for. */
export function encodeParam(value: unknown): WireParam {
  const param = bindable(value);
  if (typeof param === 'bigint') return { integer: param.toString() };
  if (param instanceof Date) return { timestamp: param.toISOString() };
  if (param instanceof Uint8Array) return { base64: Buffer.from(param).toString('base64') };
  return param;
}
