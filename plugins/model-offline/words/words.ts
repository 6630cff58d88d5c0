/** English words as keys: plural and spelling variants of one name meet in the same key, so that comparing is a lookup. */
import { folded } from '../../language-kit/index.ts';

const WORDS =
  'people person,children child,kind type,kinds type,men man,women woman,indices index,criteria criterion,analyses analysis,staff staff,ids id,' +
  'avg average,mean average,sum total,max maximum,min minimum,num number,qty quantity,amt amount,pct percent,percentage percent,' +
  'reg registration,dest destination,addr address,dept department,acct account,mgr manager,cust customer,emp employee,' +
  'appt appointment,inv invoice,tel phone,org organisation,lang language,ref reference,dt date,yr year,cnt count';
const SPELLINGS =
  'sqm m2,sqkm km2,km kilometre,kms kilometre,kilometer kilometre,kilometers kilometre,meter metre,meters metre,liter litre,liters litre,' +
  'center centre,centers centre,kg kilogram,kgs kilogram,hr hour,hrs hour,mins minute,labor labour,color colour,' +
  'program programme,catalog catalogue,license licence,canceled cancelled,traveled travelled,fuelled fueled';
const IRREGULAR = new Map(`${WORDS},${SPELLINGS}`.split(',').map((pair) => pair.split(' ') as [string, string]));

/** Lower case without diacritics, with plain quotes. */
export const fold = (text: string): string => folded(text).replace(/[‘’]/g, "'").replace(/[“”„]/g, '"');

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

const VERBS =
  'left leave,received receipt,receive receipt,weigh weight,weighs weight,complained complaint,died death,born birth,sent send,lost loss,grew growth,flown flight,paid pay,sold sale,sell sale,spent spend,driven drive,drove drive,bought buy,made make,built build,held hold';
const PAST = new Map(VERBS.split(',').map((pair) => pair.split(' ') as [string, string]));
const NOUNS = new Set(PAST.values());

/** What a verb and its noun have in common: "produced" and "production", "attend" and "attendees". */
export function root(word: string): string {
  const plain = PAST.get(word) ?? stem(word);
  const short = plain
    .replace(/ances?$/, '')
    .replace(/(ction|cted|cting|ced|ce)$/, 'c')
    .replace(/olution$/, 'olv')
    .replace(/ission$/, 'it')
    .replace(/(umption|umed|ume)$/, 'um')
    .replace(/(ation|ition|ion|ment|ance|ing|ee|al|ed|ate|e)$/, '')
    .replace(/(..[^aeiou])at$/, '$1')
    .replace(/ery?$/, 'r');
  return short.length < 3 ? plain : short.replace(/([^aeious])\1$/, '$1').replace(/y$/, 'i');
}

/** A form of a verb, or a noun made of one; "plane" and "plan" have no more in common than letters. */
export const isDerived = (word: string): boolean =>
  PAST.has(word) || NOUNS.has(word) || /(ed|ing|ion|ment|al|ee|ance)s?$/.test(word);

/** Where a name is found by the verb it was made of; "~" marks names that are no verbs themselves. */
export const rootKey = (words: readonly string[]): string =>
  `${words.some(isDerived) ? '' : '~'}${words.map(root).join('')}`;

/** Whether one slip of the pen leads from one word to the other: a letter too much, missing, other or swapped. */
export function isSlip(a: string, b: string): boolean {
  if (a === b || a[0] !== b[0] || Math.abs(a.length - b.length) > 1) return false;
  let at = 0;
  while (a[at] === b[at]) at++;
  const rest = (text: string, skip: number): string => text.slice(at + skip);
  const isSwapped = a[at] === b[at + 1] && a[at + 1] === b[at] && rest(a, 2) === rest(b, 2);
  if (isSwapped || Math.max(a.length, b.length) < 6) return isSwapped;
  return rest(a, 1) === rest(b, 1) || rest(a, 1) === rest(b, 0) || rest(a, 0) === rest(b, 1);
}

const HUMPS = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu;
const split = (text: string): string[] => text.replaceAll("'", '').match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
/** The words of a name as people say them: `isActive`, `order_total` and `order-total` are two words each. */
export function nameWords(name: string): string[] {
  if (/^[a-z0-9_]+$/.test(name)) return name.split('_').filter((word) => word !== '');
  return split(fold(name.replace(HUMPS, ' ')));
}

/** The name of a column without abbreviations that elsewhere are words of their own: "chip_no", "duration_min". */
export const fullName = (name: string): string =>
  name.replace(/(?:_n|N)[or]$/, '_number').replace(/(?:_m|M)ins?$/, '_minutes');

/** A name in an answer: the same words with their accents, such as "höhe" where `nameWords` has "hohe". */
export const spoken = (name: string): string => split(name.replace(HUMPS, ' ').normalize().toLowerCase()).join(' ');
export const capital = (text: string): string => text.replace(/^./, (letter) => letter.toUpperCase());
export const keyOf = (words: readonly string[]): string => words.map(stem).join('');
