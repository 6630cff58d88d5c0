/** Converts values between the two engines and the form in which archives have them. */
import { type InternalDb, jsonText } from '../internal-db/index.ts';
import { type Column, quoted, type StoredValue, type ValueKind } from './columns.ts';

type Dialect = InternalDb['dialect'];

/** Integers beyond what JSON numbers hold exactly are texts of digits. */
export type ArchivedValue = string | number | boolean | null | { readonly bytes: string };
export type ArchivedRow = Readonly<Record<string, ArchivedValue>>;

/** What the drivers give and take as it is. */
const PLAIN: Readonly<Record<Dialect, readonly ValueKind[]>> = {
  sqlite: ['text', 'boolean', 'real', 'json', 'time', 'bytes'],
  postgres: ['boolean', 'real', 'time', 'bytes'],
};

/** The expression that reads a column without losing anything of it. */
export function readExpression({ name, kind }: Column, dialect: Dialect): string {
  const column = quoted(name);
  if (PLAIN[dialect].includes(kind)) return column;
  return `CAST(${column} AS text)`;
}

function integer(value: unknown): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/** The value of a column as the database answers it, in the form of archives. */
export function archivedValue(value: unknown, kind: ValueKind): ArchivedValue {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('base64') };
  if (kind === 'boolean' && (value === 0 || value === 1)) return value === 1;
  if (kind === 'integer') return integer(value);
  // PostgreSQL puts spaces into it.
  if (kind === 'json') return JSON.stringify(JSON.parse(String(value)));
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  return String(value);
}

const isBytes = (value: unknown): value is { readonly bytes: string } =>
  typeof value === 'object' && value !== null && typeof (value as { bytes?: unknown }).bytes === 'string';

export const isArchivedValue = (value: unknown): value is ArchivedValue =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value) || isBytes(value);

/** PostgreSQL has neither NUL nor halves of characters in its texts. */
const storable = (text: string) => text.replaceAll('\0', '\u{fffd}').toWellFormed();

/** The value to give to the database. */
export function storedValue(value: ArchivedValue, kind: ValueKind, dialect: Dialect): StoredValue {
  if (isBytes(value)) return Buffer.from(value.bytes, 'base64');
  if (dialect === 'sqlite') return typeof value === 'boolean' ? Number(value) : value;
  if (kind === 'boolean' && typeof value === 'number') return value !== 0;
  if (kind === 'json' && typeof value === 'string') return jsonText(JSON.parse(value));
  return typeof value === 'string' ? storable(value) : value;
}
