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

/** The schema of `schema.table` or `catalog.schema.table`: `catalog.schema` for another catalog than the connection's. */
export function schemaIn(
  [first, second, third]: readonly string[],
  dialect: { readonly catalog?: string },
): string | undefined {
  if (second === undefined || first === undefined) return undefined;
  if (third === undefined) return first;
  return isOwnCatalog(first, dialect) ? second : `${first}.${second}`;
}

/**
 * Whether an engine that compares names by the whole of Unicode finds the same names alike as `fold` does, by
 * the letters A to Z: no letter beyond these is, in another case, another one of the name or a plain one.
 */
export function isStable(text: string): boolean {
  return [...text].every((char) => {
    const upper = char.toUpperCase();
    return fold(char) === char.toLowerCase() && (upper.length > char.length || upper.toLowerCase() === fold(char));
  });
}
