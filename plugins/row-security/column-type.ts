/** Says which claims a column can be compared with, so that the engine has nothing to convert. */
import type { ColumnType } from '../sql-kit/index.ts';

/** Whether the column may hold texts, which a collation may take for equal although they are not. */
export const isText = (type: ColumnType) => type === 'text' || type === 'any' || type === 'flexible';

const INTEGER = /^(0|-?[1-9]\d{0,18})$/;
const LOOKS_LIKE_NUMBER = /^\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*$/i;
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const INT64 = 2n ** 63n;

/** The claim as a value to bind, or `undefined` when no value of the column can be meant by it. */
export function bindable(claim: unknown, type: ColumnType): string | number | bigint | boolean | undefined {
  switch (typeof claim) {
    case 'string':
      // No engine stores NUL the same way as the next.
      return claim.trim() === '' || claim.includes('\0') ? undefined : fromText(claim, type);
    case 'number':
      return fromNumber(claim, type);
    case 'boolean':
      return type === 'boolean' || type === 'any' ? claim : undefined;
    default:
      return undefined;
  }
}

function fromText(claim: string, type: ColumnType): string | number | bigint | undefined {
  switch (type) {
    case 'text':
    case 'any':
    case 'converted':
      return claim;
    case 'uuid':
      return UUID.test(claim) ? claim.toLowerCase() : undefined;
    case 'integer':
      return integer(claim);
    case 'number':
      return (
        integer(claim) ??
        (String(Number(claim)) === claim && Number.isFinite(Number(claim)) ? Number(claim) : undefined)
      );
    case 'flexible':
      return LOOKS_LIKE_NUMBER.test(claim) ? fromText(claim, 'number') : claim;
    case 'boolean':
      return undefined;
  }
}

/** In its one canonical spelling: `007` and `7.0` may have been other tenants where the claim comes from. */
function integer(claim: string): number | bigint | undefined {
  if (!INTEGER.test(claim)) return undefined;
  const value = BigInt(claim);
  if (value >= INT64 || value < -INT64) return undefined;
  return Number.isSafeInteger(Number(claim)) ? Number(claim) : value;
}

function fromNumber(claim: number, type: ColumnType): string | number | boolean | undefined {
  if (!Number.isFinite(claim) || (Number.isInteger(claim) && !Number.isSafeInteger(claim))) return undefined;
  const value = claim === 0 ? 0 : claim;
  switch (type) {
    case 'integer':
      return Number.isInteger(value) ? value : undefined;
    case 'number':
    case 'any':
    case 'flexible':
      return value;
    case 'text':
    case 'converted':
      return Number.isInteger(value) ? String(value) : undefined;
    case 'boolean':
      return value === 0 || value === 1 ? value === 1 : undefined;
    case 'uuid':
      return undefined;
  }
}
