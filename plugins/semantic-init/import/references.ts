/** Checks that expressions refer to dimensions that are there. */

/** Whether every `{name}` in the SQL names one of the dimensions. */
export function expandable(sql: unknown, dimensions: readonly Readonly<Record<string, unknown>>[]): boolean {
  const names = new Set(dimensions.map(({ name }) => String(name).toLowerCase()));
  return [...String(sql ?? '').matchAll(/\{([^{}]+)\}/g)].every(([, name = '']) =>
    names.has(name.trim().toLowerCase()),
  );
}
