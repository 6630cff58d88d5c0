/** Compares names as engines do. */

const NOT_ASCII = /\P{ASCII}/u;

/** Lower case of ASCII letters only, as engines compare names: U+212A is not a `k`, U+017F is not an `s`. */
export function fold(name: string): string {
  const lower = name.toLowerCase();
  // Most names are in lower case already; then there is nothing to tell apart.
  if (lower === name) return name;
  return NOT_ASCII.test(name) ? name.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) : lower;
}

/** Whether the name is that of the database which is asked. */
export const isOwnCatalog = (name: string, { catalog }: { readonly catalog?: string }): boolean =>
  catalog !== undefined && fold(name) === catalog;
