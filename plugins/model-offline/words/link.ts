/** Links the words of a question to what they name: the longest phrase first. */
import { type DayRange, MONTHS } from './calendar.ts';
import { isDated, type Lexicon, type Meaning } from './lexicon.ts';
import { readTime } from './time-phrases.ts';
import type { Token } from './tokenize.ts';
import {
  FUNCTION_WORDS,
  isEverydayVerb,
  isFunctionWord,
  isHarmless,
  type Operator,
  readOperator,
} from './vocabulary.ts';
import { isDerived, isSlip, rootKey, stem } from './words.ts';

type Kind = 'names' | 'operator' | 'time' | 'number' | 'quoted' | 'filler' | 'unknown';
/** `verb`: what a verb that is said of anything may mean besides, "borrowed" of borrowings. */
type Content = Readonly<{
  operator?: Operator;
  time?: readonly DayRange[];
  number?: number;
  verb?: readonly Meaning[];
}>;
/** A stretch of the question and what it may mean. */
export type Item = Content &
  Readonly<{ kind: Kind; text: string; tokens: readonly Token[]; meanings: readonly Meaning[] }>;
type Found = Content & Readonly<{ kind: Kind; meanings?: readonly Meaning[]; length?: number }>;
type Names = Readonly<{ meanings: readonly Meaning[]; length: number }>;
type Sources = Readonly<{ tokens: readonly Token[]; words: readonly string[] }> &
  Readonly<{ lexicon: Lexicon; now: Date; isApart: boolean }>;

/** Splits the tokens into items; each token is in exactly one. */
export function link(tokens: readonly Token[], lexicon: Lexicon, question: string, now: Date): Item[] {
  const items: Item[] = [];
  const words = tokens.map(({ word }) => word);
  const isApart = words.some((_, at) => readOperator(words, at)?.operator.op === 'compare');
  for (let at = 0; at < tokens.length; ) {
    const { length = 1, meanings = [], ...found } = best({ tokens, words, lexicon, now, isApart }, at, items);
    const used = tokens.slice(at, at + length);
    const text = used[0]!.kind === 'quoted' ? used[0]!.text : question.slice(used[0]!.start, used.at(-1)!.end);
    items.push({ ...found, meanings, text, tokens: used });
    at += length;
  }
  return items;
}

function best({ tokens, words, lexicon, now, isApart }: Sources, at: number, before: readonly Item[]): Found {
  const token = tokens[at]!;
  const named = token.kind === 'sign' ? undefined : readNames(tokens, at, lexicon);
  if (token.kind === 'quoted') return { kind: 'quoted', meanings: named?.meanings ?? [] };
  const [last, second, third] = [-1, -2, -3].map((back) => before.at(back));
  // "over 2000", "between 1000 and 2000" are amounts, not years.
  const isBound = last?.text === 'and' && second?.kind === 'number' && third?.operator?.op === 'between';
  const isAmount = token.kind === 'number' && (isBound || /^(comparator|rank)$/.test(last?.operator?.op ?? ''));
  const time = isAmount ? undefined : readTime(tokens, at, now, isApart);
  const timeLength = time ? time.next - at : 0;
  const read = readOperator(words, at);
  // "or under 20": the number is of the comparison that begins here, not of the one before.
  const behind = tokens[at + (read?.length ?? 0)];
  const begins = read?.operator.suffix && (behind?.kind === 'number' || behind?.word === 'than');
  const found = begins ? readOperator(words.slice(0, at + 1), at) : read;
  const operator: Found | undefined = found && { kind: 'operator', ...found };
  const { op } = found?.operator ?? {};
  const names: Found | undefined = named && { kind: 'names', ...named };
  const length = named?.length ?? 0;
  const after = found && length > found.length ? readOperator(words, at + length)?.operator.op : undefined;
  // "with a discount over 10" is no name, although "with a discount" is one.
  if (operator && (after === 'comparator' || (after !== undefined && words[at + length] === 'of'))) return operator;
  // "average commission rate" is an average of the commission rate, although "average commission" has a name.
  const rest =
    names && op === 'aggregate' && length > found!.length ? readNames(tokens, at + found!.length, lexicon) : undefined;
  if (rest && found!.length + rest.length > length) return operator!;
  // A code in capitals is the code: "NO", "IN".
  const isCode = length === 1 && /^[A-Z]{2,3}$/.test(token.text) && tokens.some(({ text }) => /[a-z]/.test(text));
  if (names && isCode && named!.meanings.some((one) => one.kind === 'value' && one.value === token.text)) return names;
  // "annual subscriptions" where annual is a value of theirs, or each year.
  const isNamed = named?.meanings.some(({ rank }) => rank >= 2);
  if (isNamed && op === 'grain' && length === found!.length) return { kind: 'unknown' };
  if (time && timeLength >= Math.max(found?.length ?? 0, length))
    return { kind: 'time', time: time.ranges, length: timeLength };
  if (names && (/^(amount|duration)$/.test(op ?? '') || (op === 'unread' && length >= found!.length))) return names;
  if (operator && found!.length >= length) return operator;
  // "ended in May", where that is a state and has a date
  const isDone = isDerived(token.word) || (words[0] !== 'when' && /^(we|they)$/.test(words[at - 1] ?? ''));
  const isState = length === 1 && isDone && named!.meanings.every(({ kind }) => /^(value|segment)$/.test(kind));
  if (isState)
    return { kind: 'names', meanings: [...named!.meanings, ...byRoot([token.word], lexicon).filter(isDated)] };
  if (names) return names;
  if (token.kind === 'number') return { kind: 'number', number: token.value! };
  // "find out", but "out of stock"; "return" at the beginning, but "from pickup to return"
  const isOut = token.word === 'out' && !/^(figure|find)$/.test(words[at - 1] ?? '');
  if (token.kind !== 'word' || isOut) return { kind: 'unknown' };
  if (isHarmless(token.word) && !(at > 1 && /^re(turn|port)$/.test(token.word))) return { kind: 'filler' };
  const said = [2, 1].map((length) => ({ length, meanings: byRoot(words.slice(at, at + length), lexicon) }));
  const verb = said.find(({ meanings }) => meanings.length > 0);
  // "opening date" of what was opened
  const dates = words[at + 1] === 'date' && verb?.length === 1 ? verb.meanings.filter(isDated) : [];
  if (dates.length > 0) return { kind: 'names', meanings: dates, length: 2 };
  if (isEverydayVerb(token.word)) return { kind: 'unknown', ...(verb?.length === 1 && { verb: verb.meanings }) };
  return verb ? { kind: 'names', ...verb } : { kind: 'unknown' };
}

/** What is named by the same root: "produced" by "production", "signed up" by "signup". */
function byRoot(words: readonly string[], { roots }: Lexicon): readonly Meaning[] {
  if (words.slice(1).some((word) => word.length > 3)) return [];
  const key = rootKey(words).replace('~', '');
  return [...(words.some(isDerived) ? (roots.get(`~${key}`) ?? []) : []), ...(roots.get(key) ?? [])];
}

const TIME_WORDS = new Set(`${MONTHS.join(' ')} today yesterday tomorrow trailing preceding throughout`.split(' '));

/** The tokens with words that the layer does not know as the one word that differs by a slip. */
export function respell(tokens: readonly Token[], lexicon: Lexicon): Token[] {
  const isKnown = ({ word, stem: key }: Token): boolean =>
    FUNCTION_WORDS.has(word) || TIME_WORDS.has(word) || lexicon.words.has(key) || byRoot([word], lexicon).length > 0;
  return tokens.map((token) => {
    if (token.kind !== 'word' || token.word.length < 5 || isKnown(token)) return token;
    // What begins with a capital may be a name.
    const known = token.capitalised ? [TIME_WORDS] : [lexicon.words, FUNCTION_WORDS, TIME_WORDS];
    const found = known.flatMap((words) =>
      [...words].filter((one) => isSlip(token.stem, one) && !one.startsWith(token.stem)).map(stem),
    );
    const [only, more] = new Set(found);
    return only && !more ? { ...token, word: only, stem: only } : token;
  });
}

/** "unpaid" as "not paid", where the layer knows only that, and whoever is not has no third state. */
export const withoutPrefixes = (tokens: readonly Token[], lexicon: Lexicon): Token[] =>
  tokens.flatMap((token) => {
    const [, word] = /^(?:un|in|non)([a-z]{4,})$/.exec(token.word) ?? [];
    if (!word || FUNCTION_WORDS.has(token.word) || lexicon.words.has(token.stem)) return token;
    const meanings = lexicon.phrases.get(stem(word)) ?? byRoot([word], lexicon);
    const isCertain = (one: Meaning): boolean => one.kind !== 'value' || one.dimension.unique_count === 2;
    if (meanings.length === 0 || !meanings.every(isCertain)) return token;
    return ['un', word].map((text) => ({ ...token, text, word: text, stem: stem(text) }));
  });

/** The longest run of tokens from `at` that is a phrase of the lexicon. */
function readNames(tokens: readonly Token[], at: number, lexicon: Lexicon): Names | undefined {
  let found: Names | undefined;
  let key = '';
  for (let length = 1; length <= lexicon.longest && at + length <= tokens.length; length++) {
    const token = tokens[at + length - 1]!;
    if (token.kind === 'sign' || (token.kind === 'quoted' && length > 1)) break;
    key += token.stem;
    const single = length === 1 ? token : undefined;
    const meanings = (lexicon.phrases.get(key) ?? []).filter((one) => fits(one, single, tokens, at));
    if (meanings.length > 0) found = { meanings, length };
    if (token.kind === 'quoted') break;
  }
  return found;
}

const ADDRESSING = new Set('show tell give let get send bring owe owes pay to for with'.split(' '));

/** Short codes and values that look like plain English count only when written as they are: "IN", "NO", "M". */
function fits(meaning: Meaning, single: Token | undefined, tokens: readonly Token[], at: number): boolean {
  if (single === undefined || single.kind === 'quoted') return true;
  // "what is" asks, also where a column is called `what`.
  if (at === 0 && single.word === 'what' && isHarmless(tokens[1]?.word ?? '')) return false;
  // "us" names a place, unless it is us who are told something.
  if (single.word === 'us') return !ADDRESSING.has(tokens[at - 1]?.word ?? '');
  if (meaning.kind === 'value' && /^(price|cost|fee)s?$/.test(single.word)) return false;
  if (meaning.kind === 'value' && (single.text.length <= 2 || isFunctionWord(single.word)))
    return single.text === meaning.value;
  return !isHarmless(single.word) || single.word.length > 3 || single.text !== single.word;
}
