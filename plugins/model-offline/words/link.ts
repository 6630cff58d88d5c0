/** Links the words of a question to what they name: longest phrase first, spelling forgiven where only one name is near. */
import { nearest } from '../../../kernel/index.ts';
import { isTime, type Lexicon, type Meaning } from './lexicon.ts';
import { root, stem } from './stem.ts';
import { readTime, TIME_WORDS, type TimePhrase } from './time-phrases.ts';
import type { Token } from './tokenize.ts';
import { isFunctionWord, isHarmless, type Operator, readOperator } from './vocabulary.ts';

/** A stretch of the question and what it may mean. */
export interface Item {
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly kind: 'names' | 'operator' | 'time' | 'number' | 'quoted' | 'filler' | 'unknown';
  readonly meanings: readonly Meaning[];
  readonly operator?: Operator;
  readonly time?: TimePhrase;
  readonly number?: number;
  /** Found by its root only: a verb of the noun, such as "visited" for visits. */
  readonly rooted?: boolean;
  /** The name it was taken for, where the spelling differs. */
  readonly corrected?: string;
  /** Named with a negating prefix: "unpaid". */
  readonly inverted?: boolean;
}

type Names = Pick<Item, 'meanings' | 'rooted' | 'inverted'> & { readonly length: number };
type Found = Omit<Item, 'text' | 'tokens'> & { readonly length: number };
type Keep = (meaning: Meaning) => boolean;

/** Splits the tokens into items; each token is in exactly one. `keep` leaves meanings out. */
export function link(tokens: readonly Token[], lexicon: Lexicon, question: string, now: Date, keep: Keep): Item[] {
  const items: Item[] = [];
  const spelled = tokens.map((token, at) => respell(token, tokens, at, lexicon));
  const words = spelled.map(({ word }) => word);
  for (let at = 0; at < tokens.length; ) {
    const { length, ...found } = best(spelled, words, at, items, lexicon, now, keep);
    const used = tokens.slice(at, at + length);
    const isCorrected = used.some((token, i) => token.word !== words[at + i]);
    const quoted = used[0]!.kind === 'quoted' ? used[0]!.text : undefined;
    const text = quoted ?? question.slice(used[0]!.start, used.at(-1)!.end);
    items.push({
      ...found,
      text,
      tokens: used,
      ...(isCorrected && { corrected: words.slice(at, at + length).join(' ') }),
    });
    at += length;
  }
  return items;
}

function best(
  tokens: readonly Token[],
  words: readonly string[],
  at: number,
  before: readonly Item[],
  lexicon: Lexicon,
  now: Date,
  keep: Keep,
): Found {
  const token = tokens[at]!;
  const none = { meanings: [] as readonly Meaning[] };
  const longest =
    token.kind === 'sign' ? undefined : (readNames(tokens, at, lexicon, keep) ?? inverted(token, lexicon, keep));
  // In "shipments weigh more than …" the first word is what is compared.
  const isCompared = longest && longest.length > 1 && readOperator(words, at + longest.length)?.operator.comparator;
  const first = isCompared && token.stem !== token.word ? readNames([token], 0, lexicon, keep) : undefined;
  const named = first?.meanings.some(({ kind }) => kind === 'entity') ? first : longest;
  if (token.kind === 'quoted') return { kind: 'quoted', meanings: named?.meanings ?? [], length: 1 };
  const [last, second, third] = [-1, -2, -3].map((back) => before.at(back));
  // "over 2000", "between 1000 and 2000" are amounts, not years.
  const isBound = last?.text === 'and' && second?.kind === 'number' && third?.operator?.op === 'between';
  const isAmount = token.kind === 'number' && (isBound || /^(comparator|rank)$/.test(last?.operator?.op ?? ''));
  const time = isAmount ? undefined : readTime(tokens, at, now);
  const timeLength = time ? time.next - at : 0;
  const read = readOperator(words, at);
  // "or under 20": the number is of the comparison that begins here, not of the one before.
  const begins =
    read?.operator.op === 'comparator' &&
    read.operator.suffix &&
    (tokens[at + read.length]?.kind === 'number' || words[at + read.length] === 'than');
  const operator = begins ? readOperator(words.slice(0, at + 1), at) : read;
  const names: Found | undefined = named && { kind: 'names', ...named };
  const after =
    named && operator && named.length > operator.length
      ? readOperator(words, at + named.length)?.operator.op
      : undefined;
  // "with a discount over 10" is no name, although "with a discount" is one.
  if (operator && (after === 'comparator' || (after !== undefined && words[at + named!.length] === 'of')))
    return { kind: 'operator', operator: operator.operator, ...none, length: operator.length };
  // "annual subscriptions" where annual is a value of theirs; a code in capitals is the code: "NO", "IN".
  const isAdjective =
    operator?.operator.op === 'grain' &&
    operator.operator.grouping &&
    named?.length === operator.length &&
    readNames(tokens, at + named.length, lexicon, keep)?.meanings.some(({ kind }) => kind === 'entity');
  const isCode =
    named?.length === 1 &&
    /^[A-Z]{1,3}$/.test(token.text) &&
    named.meanings.some((meaning) => meaning.kind === 'value' && meaning.value === token.text) &&
    tokens.some(({ text }) => text !== text.toUpperCase());
  if (names && (isAdjective || isCode)) return names;
  if (time && timeLength >= Math.max(operator?.length ?? 0, named?.length ?? 0))
    return { kind: 'time', time: time.phrase, ...none, length: timeLength };
  if (names && /^(amount|unread)$/.test(operator?.operator.op ?? '')) return names;
  if (operator && operator.length >= (named?.length ?? 0))
    return { kind: 'operator', operator: operator.operator, ...none, length: operator.length };
  if (names) return names;
  if (token.kind === 'number') return { kind: 'number', number: token.value!, ...none, length: 1 };
  return { kind: token.kind === 'word' && isHarmless(token.word) ? 'filler' : 'unknown', ...none, length: 1 };
}

/** "unpaid", "inactive", "nonsmokers": not what the rest of the word says. */
function inverted(token: Token, lexicon: Lexicon, keep: Keep): Names | undefined {
  const rest = isFunctionWord(token.word) ? undefined : /^(?:un|in|non|not)-?([a-z]{3,})$/.exec(token.word)?.[1];
  if (rest === undefined || token.kind !== 'word') return undefined;
  const found = readNames([{ ...token, text: rest, word: rest, stem: stem(rest) }], 0, lexicon, keep);
  const meanings = (found?.meanings ?? []).filter(
    (meaning) =>
      /^(segment|value)$/.test(meaning.kind) || (meaning.kind === 'dimension' && meaning.dimension.type === 'boolean'),
  );
  return meanings.length > 0 ? { meanings, length: 1, inverted: true } : undefined;
}

/** The longest run of tokens from `at` that is a phrase of the lexicon; by the roots of its words only where none is. */
function readNames(tokens: readonly Token[], at: number, lexicon: Lexicon, keep: Keep): Names | undefined {
  let rooted: Names | undefined;
  let found: Names | undefined;
  let key = '';
  let rootKey = '';
  for (let length = 1; length <= lexicon.longest && at + length <= tokens.length; length++) {
    const token = tokens[at + length - 1]!;
    if (token.kind === 'sign' || (token.kind === 'quoted' && length > 1)) break;
    key += token.stem;
    rootKey += `${length > 1 ? ' ' : ''}${token.kind === 'word' ? root(token.word) : token.stem}`;
    const single = length === 1 ? token : undefined;
    const meanings = (lexicon.phrases.get(key) ?? []).filter(
      (one) => keep(one) && fits(one, single, tokens[at - 1]?.word),
    );
    if (meanings.length > 0) found = { meanings, length };
    // "cancel" is an order to do so, "cancelled" and "cancellations" are about what was.
    const isBare = single !== undefined && root(single.word) === single.stem;
    const byRoot =
      single && isFunctionWord(single.word)
        ? []
        : (lexicon.roots.get(rootKey) ?? []).filter(
            (one) => keep(one) && isVerbal(one) && !(isBare && one.kind === 'value'),
          );
    if (byRoot.length > 0 && rootKey.length >= 3) rooted = { meanings: byRoot, length, rooted: true };
    if (token.kind === 'quoted') break;
  }
  return !found || (rooted && rooted.length > found.length) ? rooted : found;
}

/** Whether a verb form can mean it: "cancelled", "visited", "opened"; "marketing" is not a market. */
const isVerbal = (meaning: Meaning): boolean =>
  meaning.kind !== 'measure' &&
  (meaning.kind !== 'dimension' || isTime(meaning.dimension) || meaning.dimension.type === 'boolean');

const ADDRESSING = new Set('show tell give let get send bring owe owes pay to for with'.split(' '));

/** Short codes and values that look like plain English count only when written as they are: "IN", "NO", "M". */
function fits(meaning: Meaning, single: Token | undefined, before: string | undefined): boolean {
  if (single === undefined || single.kind === 'quoted') return true;
  // "us" names a place, unless it is us who are told something.
  if (single.word === 'us') return !ADDRESSING.has(before ?? '');
  if (meaning.kind === 'value' && (single.text.length <= 2 || isFunctionWord(single.word)))
    return single.text === meaning.value;
  return !isHarmless(single.word) || single.word.length > 3 || single.text !== single.word;
}

/** Words of the reader itself that people mistype. */
const SPELLABLE =
  'average total number month quarter year yesterday highest lowest between previous without excluding monthly weekly october november december'.split(
    ' ',
  );

/** An unknown word becomes the one known word that is a typing slip away; with two such words it stays unknown. */
function respell(token: Token, tokens: readonly Token[], at: number, lexicon: Lexicon): Token {
  const { word } = token;
  if (token.kind !== 'word' || word.length < 4 || /\d/.test(word) || isFunctionWord(word) || TIME_WORDS.has(token.stem))
    return token;
  const isKnown =
    lexicon.phrases.has(token.stem) ||
    lexicon.roots.get(root(word))?.some(isVerbal) ||
    lexicon.vocabulary.get(word[0]!)?.has(token.stem);
  // "pay pal" for "paypal"
  const isJoined = [tokens[at - 1]?.stem + token.stem, token.stem + tokens[at + 1]?.stem].some((key) =>
    lexicon.phrases.has(key),
  );
  if (isKnown || isJoined) return token;
  // In a short word a replaced letter is more often another word ("lost", "cost") than a slip.
  const letters = (text: string): string => [...text].sort().join('');
  const isSlip = (one: string): boolean =>
    one[0] === word[0] &&
    (word.length >= 6 || one.length !== token.stem.length || letters(one) === letters(token.stem));
  const known = new Set([...(lexicon.vocabulary.get(word[0]!) ?? []), ...SPELLABLE].filter(isSlip));
  const limit = word.length >= 8 ? 2 : 1;
  const found = nearest(token.stem, known, limit);
  known.delete(found ?? '');
  const isOne = found !== undefined && nearest(token.stem, known, limit) === undefined;
  return isOne ? { ...token, word: found, stem: stem(found) } : token;
}
