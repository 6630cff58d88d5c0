import { AtlasError } from '../../kernel/index.ts';
import type { WireParam } from '../datasource/process-protocol.ts';

/** A value to bind, ready for the wire: true and false are 1 and 0, dates ISO 8601 text. Throws for other objects. */
export function encodeParam(value: unknown): WireParam {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value))) return value;
  if (typeof value === 'bigint') return { integer: value.toString() };
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString('base64') };
  throw new AtlasError(`A value of type ${typeof value} cannot be bound to a statement.`, {
    code: 'sql_failed',
    reason: 'E_SQL_PARAMETER',
    hint: 'Bind text, finite numbers, booleans, dates, binary or null.',
  });
}
