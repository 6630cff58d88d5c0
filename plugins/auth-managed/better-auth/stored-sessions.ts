/** Stores sessions with the hash of their token, and finds them by the token. */
import type { CleanedWhere } from 'better-auth/adapters';
import { TABLES } from '../migrations.ts';
import { hashedToken } from './session-token.ts';

type Row = Record<string, unknown>;

const hashed = (value: unknown) => (typeof value === 'string' ? hashedToken(value) : value);

function namesToken(model: string, { field }: Pick<CleanedWhere, 'field'>): boolean {
  return model === TABLES.session && field === 'token';
}

/** Conditions on a token as conditions on its hash. */
export function hashedWhere<W extends Pick<CleanedWhere, 'field' | 'value'>>(
  model: string,
  where: readonly W[] | undefined,
): W[] | undefined {
  return where?.map((item) => {
    if (!namesToken(model, item)) return item;
    return { ...item, value: Array.isArray(item.value) ? item.value.map(hashed) : hashed(item.value) };
  });
}

/** The row as it is stored. */
export function hashedRow<R extends Row>(model: string, row: R): R {
  return namesToken(model, { field: 'token' }) && 'token' in row ? { ...row, token: hashed(row.token) } : row;
}

/** The stored row with the token that it was asked for by, which goes into a cookie again. */
export function withToken<R>(model: string, where: readonly Pick<CleanedWhere, 'field' | 'value'>[], row: R): R {
  const asked = where.find((item) => namesToken(model, item));
  if (row === null || typeof row !== 'object' || typeof asked?.value !== 'string' || !('token' in row)) return row;
  return { ...row, token: asked.value };
}
