/** Words of names and questions, in the form in which they are compared. */

/** Words of a question that name nothing in a database. */
const stopWords = new Set(
  `a about all also an and any are as at be been being between but by can could did do does each every for from get
  give had has have how i if in into is it its last let list me more most much many my no not of on one or our out over
  past per please show since so some tell than that the their them then there these they this those through to top
  under until up us was we were what when where which who whose why will with would you your`.split(/\s+/),
);

/** No database has longer names; what is longer is no word, and its like is searched for at great length. */
const maxWordLength = 128;

/**
 * The distinct words of a text, in lower case: split at everything but letters and digits, at `camelCase` and between
 * letters and digits. In queries and in the field `name`, an identifier of several parts also stands for itself, so
 * that naming it in full counts most.
 */
export function tokenize(text: string, field?: string): string[] {
  const tokens = new Set<string>();
  for (const identifier of text.match(/[\p{L}\p{M}\p{N}_]+/gu) ?? []) {
    if (identifier.length > maxWordLength) continue;
    const parts = identifier.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{N}+/gu) ?? [];
    for (const part of parts) tokens.add(part.toLowerCase());
    if (parts.length > 1 && (field === undefined || field === 'name')) tokens.add(identifier.toLowerCase());
  }
  return [...tokens];
}

/**
 * What is left of a lower-case word when accents, English plural and final vowels are gone, so that `category` meets
 * `categories` and `course` meets `courses`; `null` for words that name nothing.
 */
export function stem(term: string): string | null {
  if (stopWords.has(term)) return null;
  let word = isAscii(term) ? term : term.normalize('NFKD').replace(/\p{M}/gu, '');
  if (word.length <= 3) return word;
  if (word.endsWith('s') && !/[sui]s$/.test(word)) word = word.slice(0, -1);
  if (word.endsWith('e')) return word.slice(0, -1);
  return word.endsWith('y') ? `${word.slice(0, -1)}i` : word;
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) return false;
  return true;
}
