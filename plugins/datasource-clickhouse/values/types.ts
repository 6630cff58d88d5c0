/** Reads ClickHouse's names of types, such as `Map(LowCardinality(String), Array(Nullable(DateTime64(3, 'UTC'))))`. */

export interface TypeName {
  readonly name: string;
  /** As they are written: types, numbers, texts, or a field's name before its type. */
  readonly args: readonly string[];
}

export function parseType(text: string): TypeName {
  const open = text.indexOf('(');
  if (open === -1 || !text.endsWith(')')) return { name: text, args: [] };
  return { name: text.slice(0, open), args: splitArguments(text.slice(open + 1, -1)) };
}

/** At commas that stand in no brackets, texts and quoted names. */
function splitArguments(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === "'" || char === '`' || char === '"') at = endOfQuoted(text, at);
    else if (char === '(') depth += 1;
    else if (char === ')') depth -= 1;
    else if (char === ',' && depth === 0) {
      parts.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  const last = text.slice(from).trim();
  return last === '' && parts.length === 0 ? [] : [...parts, last];
}

function endOfQuoted(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === text[start]) return at;
  }
  return text.length;
}

/** A field of a tuple: `a Int8`, or only its type. */
export function fieldOf(text: string): { readonly name?: string; readonly type: string } {
  const quoted = /^(["`])/.test(text) ? endOfQuoted(text, 0) + 1 : undefined;
  const space = quoted ?? text.search(/[ (]/);
  if (space === -1 || text[space] !== ' ') return { type: text };
  const name = text.slice(0, space);
  return { name: quoted === undefined ? name : name.slice(1, -1).replace(/\\(.)/g, '$1'), type: text.slice(space + 1) };
}

/** Whether values of the type can be null. */
export function isNullable(text: string): boolean {
  const { name, args } = parseType(text);
  if (name === 'LowCardinality' || name === 'SimpleAggregateFunction') return isNullable(args.at(-1) ?? '');
  return ['Nullable', 'Variant', 'Dynamic', 'Nothing'].includes(name);
}
