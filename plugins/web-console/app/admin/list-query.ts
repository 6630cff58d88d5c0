/** Makes the query of a list out of the address of its page. */
import type { Resource } from './resource.ts';

export const PAGE_ROWS = 25;

/** The page of the address, from 0. */
export function offsetOf(search: URLSearchParams): number {
  const offset = Math.trunc(Number(search.get('offset')));
  return Number.isSafeInteger(offset) && offset > 0 ? offset : 0;
}

/** Where the last page of so many rows begins. */
export const lastOffset = (total: number): number => Math.max(0, Math.ceil(total / PAGE_ROWS) - 1) * PAGE_ROWS;

/** As the list takes it. */
export function queryOf(resource: Resource<never>, search: URLSearchParams): URLSearchParams {
  const query = new URLSearchParams(resource.query);
  for (const { name } of resource.filters ?? []) {
    const value = search.get(name)?.trim() ?? '';
    if (value !== '') query.set(name, value);
  }
  if (resource.hasPages === true) {
    query.set('limit', String(PAGE_ROWS));
    query.set('offset', String(offsetOf(search)));
  }
  return query;
}
