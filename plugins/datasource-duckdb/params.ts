import { bindable } from '../datasource/params.ts';
import type { WireParam } from '../datasource/process-protocol.ts';

/** A value to bind, ready for the wire. Throws for what DuckDB has no type for. */
export function encodeParam(value: unknown): WireParam {
  const param = bindable(value);
  if (typeof param === 'bigint') return { integer: param.toString() };
  if (param instanceof Date) return { timestamp: param.toISOString() };
  if (param instanceof Uint8Array) return { base64: Buffer.from(param).toString('base64') };
  return param;
}
