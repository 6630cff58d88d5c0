/** Checks values that are bound to a statement. */
import { unbindable } from './errors.ts';

export type Param = string | number | bigint | boolean | Date | Uint8Array | null;

/** A value that can be bound. Throws for what no engine has a type for. */
export function bindable(value: unknown): Param {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'bigint') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (value instanceof Date && Number.isFinite(value.getTime())) return value;
  if (value instanceof Uint8Array) return value;
  throw unbindable(value);
}
