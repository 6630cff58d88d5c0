/** Reads Trino's names of types, such as `map(varchar, row(a decimal(10,2), "b c" timestamp(3) with time zone))`. */

export interface TypeName {
  /** Without what stands in its parentheses: `timestamp with time zone`. */
  readonly name: string;
  /** Types, numbers, or a field's name before its type, as they are written. */
  readonly args: readonly string[];
}

export function parseType(text: string): TypeName {
  const open = text.indexOf('(');
  if (open === -1) return { name: text, args: [] };
  const close = text.lastIndexOf(')');
  const suffix = text.slice(close + 1);
  return { name: text.slice(0, open) + suffix, args: splitArguments(text.slice(open + 1, close)) };
}

/** At commas that stand in no parentheses and in no quoted name. */
function splitArguments(text: string): string[] {
  const parts: string[] = [''];
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"]|"")*"|[\s\S]/g)) {
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
    if (token === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += token;
  }
  return parts.map((part) => part.trim());
}

/** A field of a row: `a bigint`, `"b c" bigint`, or only its type. */
export function fieldOf(text: string): { readonly name?: string; readonly type: string } {
  const [, quoted, plain, type] = /^(?:"((?:[^"]|"")*)"|(\w+)) (.+)$/s.exec(text) ?? [];
  if (type === undefined || /^(?:to|with|without) /.test(type) || plain === 'interval') return { type: text };
  return { name: quoted?.replaceAll('""', '"') ?? plain ?? '', type };
}
