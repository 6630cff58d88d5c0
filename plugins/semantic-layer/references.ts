/** Finds and expands `{dimension}` in the SQL of dimensions, measures and segments. */

/** Quoted text and comments match first and are skipped. */
const TOKENS =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|--[^\n]*|\/\*[\s\S]*?\*\/|\{\s*([\p{L}_][\p{L}\p{N}_ .-]*?)\s*\}/gu;
const MAX_DEPTH = 16;

/** Names of the dimensions that an SQL expression uses as `{name}`, outside quoted text and comments. */
export function referencesIn(sql: string): readonly string[] {
  if (!sql.includes('{')) return [];
  const names: string[] = [];
  for (const match of sql.matchAll(TOKENS)) if (match[1] !== undefined) names.push(match[1]);
  return names;
}

/** The expression with every `{dimension}` replaced by that dimension's own `sql`, in parentheses where needed. */
export function expandReferences(
  sql: string,
  dimensions: readonly { readonly name: string; readonly sql: string }[],
  depth = 0,
): string {
  if (!sql.includes('{') || depth > MAX_DEPTH) return sql;
  return sql.replace(TOKENS, (token: string, name: string | undefined) => {
    if (name === undefined) return token;
    const dimension = dimensions.find((candidate) => candidate.name.toLowerCase() === name.toLowerCase());
    if (dimension === undefined) return token;
    const expanded = expandReferences(dimension.sql, dimensions, depth + 1);
    return /^[\w.]+$/.test(expanded) ? expanded : `(${expanded})`;
  });
}
