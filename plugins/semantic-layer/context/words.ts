/** Splits names and questions into words and stems them for comparison. */
import { stemmer } from 'stemmer';
import { folded, isFrequent, type LanguageCode, segmented } from '../../language-kit/index.ts';

/** Words of questions that never name anything in a database. */
const STOP_WORDS = new Set(
  `a about all also an and any are as at be been being between but by can could did do does each every for from get
  give had has have how i if in into is it its last let list me more most much many my no not of on one or our out over
  past per please show since so some tell than that the their them then there these they this those through to top
  under until up us was we were what when where which who whose why will with would you your`.split(/\s+/),
);

/** A longer question is mostly pasted text, before or behind what is asked. */
const MAX_QUESTION_LENGTH = 4_000;

/** The beginning and the end of a long question, in which it is asked. */
export function askedPart(question: string): string {
  if (question.length <= MAX_QUESTION_LENGTH) return question;
  return `${question.slice(0, MAX_QUESTION_LENGTH / 2)}\n${question.slice(-MAX_QUESTION_LENGTH / 2)}`;
}

/** Longer words are ignored: no database has such names, and fuzzy search over them is slow. */
const MAX_WORD_LENGTH = 128;

/**
 * The distinct words of a text in lower case, split at everything but letters and digits, at `camelCase` and between
 * letters and digits. In queries and the field `name` a compound identifier is also a word itself, so that a full match
 * ranks highest.
 */
export function tokenize(text: string, field?: string): string[] {
  const tokens = new Set<string>();
  for (const identifier of text.match(/[\p{L}\p{M}\p{N}_]+/gu) ?? []) {
    if (identifier.length > MAX_WORD_LENGTH) continue;
    const parts = partsOf(identifier, /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{N}+/gu);
    for (const part of parts) tokens.add(part.toLowerCase());
    if (parts.length > 1 && (field === undefined || field === 'name')) tokens.add(identifier.toLowerCase());
  }
  return [...tokens];
}

/**
 * A lower-case word without accents, English plural and final vowels, so that `category` matches `categories` and
 * `course` matches `courses`; `null` for stop words.
 */
export function stem(term: string): string | null {
  if (STOP_WORDS.has(term)) return null;
  let word = folded(term);
  if (word.length <= 3) return word;
  if (word.endsWith('s') && !/[sui]s$/.test(word)) word = word.slice(0, -1);
  if (word.endsWith('e')) return word.slice(0, -1);
  return word.endsWith('y') ? `${word.slice(0, -1)}i` : word;
}

/**
 * The words of a text for the text index, in order and with repetitions: without stop words, by their stems (Porter 1980),
 * so that `cancelled` matches `cancellations`. `stems`: those known so far, as most words of a layer are repeated.
 */
export function termsOf(text: string, stems?: Map<string, string | null>): string[] {
  const termOf = (word: string): string | null => {
    let term = stems?.get(word);
    if (term === undefined) {
      term = STOP_WORDS.has(word) ? null : stemmer(folded(word));
      stems?.set(word, term);
    }
    return term;
  };
  const terms: string[] = [];
  for (const [identifier] of text.matchAll(/[\p{L}\p{M}\p{N}]+(?:[_-][\p{L}\p{M}\p{N}]+)*_*/gu)) {
    if (identifier.length > MAX_WORD_LENGTH) continue;
    const parts = partsOf(identifier, PARTS).map((part) => termOf(part.toLowerCase()));
    for (const term of parts) if (term !== null) terms.push(term);
    // `no_show` and "no-shows" are words although neither of their parts says anything.
    if (parts.length > 1 && parts.includes(null)) {
      const whole = termOf(identifier.toLowerCase().replace(/[_-]/g, ''));
      if (whole !== null) terms.push(whole);
    }
  }
  return terms;
}

/** The words of an identifier: of `camelCase`, between letters and digits, and "SUVs" as one. */
const PARTS = /\p{Lu}{2,}s(?!\p{L})|\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{N}+/gu;

const partsOf = (identifier: string, pattern: RegExp): string[] =>
  segmented(identifier).flatMap((word) => word.match(pattern) ?? []);

/** A question in another language without the words that say nothing, such as "wie" and "der". */
export const withoutFrequent = (question: string, language: LanguageCode): string =>
  segmented(question)
    .join(' ')
    .replace(/\p{L}+/gu, (word) => (isFrequent(language, folded(word)) ? ' ' : word));

/** Each two words that follow each other. */
export const pairsOf = (terms: readonly string[]): string[] => terms.slice(1).map((term, at) => `${terms[at]} ${term}`);
