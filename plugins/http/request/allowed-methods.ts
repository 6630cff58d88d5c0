/** Finds the routes of a path, and the methods with which it is served, for `Allow` and for 405. */
import type { Collected, Route } from '../../../kernel/index.ts';

/** As the router reads a part of a path. One that cannot be decoded is no route's. */
function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

function matches(pattern: string, parts: readonly (string | undefined)[]): boolean {
  const wanted = pattern.split('/');
  return (
    wanted.length === parts.length &&
    wanted.every((name, at) => (name.startsWith(':') ? (parts[at] ?? '') !== '' : name === parts[at]))
  );
}

/** The routes of a path without its query, whatever their methods. */
export function routesAt(routes: readonly Collected<Route>[], path: string): Route[] {
  const parts = path.split('/').map(decoded);
  return routes.map(({ value }) => value).filter((route) => matches(route.path, parts));
}

/** The methods of a path without its query; empty where nothing is served. Where GET is allowed, so is HEAD. */
export function allowedMethods(routes: readonly Collected<Route>[], path: string): string[] {
  const methods = new Set<string>();
  for (const { method } of routesAt(routes, path)) {
    methods.add(method);
    if (method === 'GET') methods.add('HEAD');
  }
  return methods.size === 0 ? [] : [...methods, 'OPTIONS'];
}
