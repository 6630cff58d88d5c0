/** Finds the address to come back to after signing in elsewhere: one of this server's own paths. */

/** What a provider adds when it sends the browser back. */
const ADDED = ['error', 'error_description', 'state', 'code'];

/** `/` for what a browser would take for another host, such as `//host`. */
export function ownPath({ pathname, search }: Pick<Location, 'pathname' | 'search'>): string {
  if (!/^\/(?![/\\])/.test(pathname)) return '/';
  const query = new URLSearchParams(search);
  for (const name of ADDED) query.delete(name);
  return query.size === 0 ? pathname : `${pathname}?${query}`;
}
