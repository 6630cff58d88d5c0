/** English words as keys: plural and spelling variants of one name meet in the same key, so that comparing is a lookup. */

const WORDS =
  'people person,children child,men man,women woman,indices index,criteria criterion,analyses analysis,staff staff,ids id,' +
  'avg average,mean average,sum total,max maximum,min minimum,num number,qty quantity,amt amount,pct percent,percentage percent';
const IRREGULAR = new Map(WORDS.split(',').map((pair) => pair.split(' ') as [string, string]));

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
  const irregular = IRREGULAR.get(word);
  if (irregular !== undefined) return irregular;
  let out = word;
  if (out.length > 4 && out.endsWith('ies')) out = `${out.slice(0, -3)}y`;
  else if (out.length > 3 && out.endsWith('s') && !/(ss|us|is)$/.test(out)) out = out.slice(0, -1);
  if (out.length > 3 && out.endsWith('ie')) out = `${out.slice(0, -2)}y`;
  if (out.length > 3 && /(s|x|z|ch|sh)e$/.test(out)) out = out.slice(0, -1);
  return out;
}

const HUMPS = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu;
const split = (text: string): string[] => text.replaceAll("'", '').match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
/** The words of a name as people say them: `isActive`, `order_total` and `order-total` are two words each. */
export function nameWords(name: string): string[] {
  if (/^[a-z0-9_]+$/.test(name)) return name.split('_').filter((word) => word !== '');
  return split(fold(name.replace(HUMPS, ' ')));
}

/** A name in an answer: the same words with their accents, such as "höhe" where `nameWords` has "hohe". */
export const spoken = (name: string): string => split(name.replace(HUMPS, ' ').normalize().toLowerCase()).join(' ');
export const capital = (text: string): string => text.replace(/^./, (letter) => letter.toUpperCase());
export const keyOf = (words: readonly string[]): string => words.map(stem).join('');
