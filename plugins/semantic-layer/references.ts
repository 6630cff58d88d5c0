/** Finds and expands `{dimension}` in the SQL of dimensions, measures and segments. */

/** Quoted text and comments match first and are skipped. */
const TOKENS =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|--[^\n]*|\/\*[\s\S]*?\*\/|\{\s*([\p{L}_][\p{L}\p{N}_ .-]*?)\s*\}/gu;
const MAX_DEPTH = 16;
/** Dimensions that refer to others several times grow without bound; longer ones are left as they are written. */
const MAX_LENGTH = 20_000;

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
): string {
  const known = new Map<string, string>();
  const expand = (text: string, depth: number): string => {
    if (!text.includes('{') || depth > MAX_DEPTH) return text;
    let length = 0;
    return text.replace(TOKENS, (token: string, name: string | undefined) => {
      const key = name?.toLowerCase();
      const dimension = dimensions.find((candidate) => candidate.name.toLowerCase() === key);
      if (key === undefined || dimension === undefined || length > MAX_LENGTH) return token;
      const expanded = known.get(key) ?? expand(dimension.sql, depth + 1);
      known.set(key, expanded);
      length += expanded.length;
      if (length > MAX_LENGTH) return token;
      return /^[\w.]+$/.test(expanded) ? expanded : `(${expanded})`;
    });
  };
  return expand(sql, 0);
}
