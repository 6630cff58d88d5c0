/** English words as keys: plural and spelling variants of one name meet in the same key, so that comparing is a lookup. */

const IRREGULAR: Readonly<Record<string, string>> = {
  people: 'person',
  children: 'child',
  men: 'man',
  women: 'woman',
  indices: 'index',
  criteria: 'criterion',
  analyses: 'analysis',
  diagnoses: 'diagnosis',
  staff: 'staff',
  ids: 'id',
  avg: 'average',
  mean: 'average',
  sum: 'total',
  max: 'maximum',
  min: 'minimum',
  num: 'number',
  qty: 'quantity',
  amt: 'amount',
  pct: 'percent',
  percentage: 'percent',
};

/** Lower case without diacritics, with plain quotes. */
export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[‘’]/g, "'")
    .replace(/[“”„]/g, '"')
    .replace(/ß/g, 'ss')
    .toLowerCase();
}

/** The singular of a folded word, close enough for both sides of a comparison to agree. */
export function stem(word: string): string {
  const irregular = IRREGULAR[word];
  if (irregular !== undefined) return irregular;
  let out = word;
  if (out.length > 4 && out.endsWith('ies')) out = `${out.slice(0, -3)}y`;
  else if (out.length > 3 && out.endsWith('s') && !/(ss|us|is)$/.test(out)) out = out.slice(0, -1);
  if (out.length > 3 && out.endsWith('ie')) out = `${out.slice(0, -2)}y`;
  if (out.length > 3 && /(s|x|z|ch|sh)e$/.test(out)) out = out.slice(0, -1);
  return out;
}

/** What verb forms share: "cancelled", "canceled" and "cancellations" give "cancel". Weaker than `stem`. */
export function root(word: string): string {
  let out = stem(word);
  for (const ending of ['ation', 'ment', 'ing', 'ed', 'al', 'e']) {
    if (out.length - ending.length >= 3 && out.endsWith(ending)) {
      out = out.slice(0, -ending.length);
      break;
    }
  }
  if (out.length > 3 && /([bdglmnprt])\1$/.test(out)) out = out.slice(0, -1);
  return out.length > 3 && out.endsWith('i') ? `${out.slice(0, -1)}y` : out;
}

/** The words of a name as people say them: `isActive`, `order_total` and `order-total` are two words each. */
export function nameWords(name: string): string[] {
  if (/^[a-z0-9]+$/.test(name)) return [name];
  if (/^[a-z0-9_]+$/.test(name)) return name.split('_').filter((word) => word !== '');
  return fold(name.replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2').replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2'))
    .replace(/'/g, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

export const keyOf = (words: readonly string[]): string => words.map(stem).join('');
export const rootKeyOf = (words: readonly string[]): string => words.map(root).join(' ');
