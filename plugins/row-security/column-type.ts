/** Which claims a column can be compared with, so that the engine has nothing to convert. */
import type { DbType } from '../../kernel/index.ts';

/**
 * `any`: the engine compares as it stores. `flexible`: numbers, and texts that do not look like one.
 * `converted`: the engine reads the text and fails when it cannot, as for dates.
 */
export type ColumnType = 'integer' | 'number' | 'boolean' | 'uuid' | 'text' | 'any' | 'flexible' | 'converted';

/** By the type's name as the database describes the column. */
export function columnType(dbType: DbType, declared: string): ColumnType {
  if (dbType === 'sqlite') return affinity(declared.toUpperCase());
  const type = declared.toLowerCase();
  return (dbType === 'mysql' ? lenient(type) : undefined) ?? named(type);
}

/** Whether the column may hold texts, which a collation may take for equal although they are not. */
export const isText = (type: ColumnType) => type === 'text' || type === 'any' || type === 'flexible';

/** Types that MySQL compares with any text, which it takes for zero or for its beginning: read as what they hold. */
function lenient(declared: string): ColumnType | undefined {
  if (/^(?:bit|year)\b/.test(declared)) return 'integer';
  return /^(?:set|date|datetime|time|timestamp)\b/.test(declared) ? 'text' : undefined;
}

/** SQLite's own rules, in its order. */
function affinity(declared: string): ColumnType {
  if (declared.includes('INT')) return 'integer';
  if (/CHAR|CLOB|TEXT/.test(declared)) return 'text';
  if (declared === '' || declared.includes('BLOB')) return 'any';
  if (/REAL|FLOA|DOUB/.test(declared)) return 'number';
  return /^BOOL/.test(declared) ? 'boolean' : 'flexible';
}

function named(declared: string): ColumnType {
  if (/^bool|^tinyint\(1\)/.test(declared)) return 'boolean';
  if (/^u?(tiny|small|medium|big|huge)?int(eger|\d)*\b|^(small|big)?serial/.test(declared)) return 'integer';
  if (/^(numeric|decimal|dec|real|float|double)/.test(declared)) return 'number';
  if (declared.startsWith('uuid')) return 'uuid';
  if (/char|text|string|^name$|^enum/.test(declared)) return 'text';
  return 'converted';
}

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
