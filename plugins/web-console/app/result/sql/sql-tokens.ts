/** Finds keywords, texts, numbers and comments in a statement, for colours alone. */

export interface SqlToken {
  readonly text: string;
  readonly kind: 'keyword' | 'text' | 'number' | 'comment' | undefined;
}

/** What follows in a longer statement stays without colours. */
const MAX_COLOURED = 20_000;
const KEYWORDS = new Set(
  (
    'all and any array as asc between by case cast cross current_date current_timestamp date desc distinct else end ' +
    'except exists extract false fetch filter first following from full group grouping having ilike in inner intersect ' +
    'interval is join last lateral left like limit natural not null nulls offset on only or order outer over partition ' +
    'preceding range recursive right row rows select sets some then true unbounded union using values when where window with'
  ).split(' '),
);
const TOKEN =
  /(?<comment>--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<text>'(?:[^']|'')*'?)|(?<name>"(?:[^"]|"")*"?|`[^`]*`?)|(?<word>[\p{L}_][\p{L}\p{N}_$]*)|(?<number>\d+(?:\.\d+)?)/gu;

function kindOf(groups: Readonly<Record<string, string | undefined>>): SqlToken['kind'] {
  if (groups.comment !== undefined) return 'comment';
  if (groups.text !== undefined) return 'text';
  if (groups.number !== undefined) return 'number';
  return groups.word !== undefined && KEYWORDS.has(groups.word.toLowerCase()) ? 'keyword' : undefined;
}

export function sqlTokens(sql: string): readonly SqlToken[] {
  const tokens: SqlToken[] = [];
  let start = 0;
  for (const match of sql.slice(0, MAX_COLOURED).matchAll(TOKEN)) {
    const kind = kindOf(match.groups ?? {});
    if (kind === undefined) continue;
    if (match.index > start) tokens.push({ text: sql.slice(start, match.index), kind: undefined });
    tokens.push({ text: match[0], kind });
    start = match.index + match[0].length;
  }
  if (start < sql.length) tokens.push({ text: sql.slice(start), kind: undefined });
  return tokens;
}
