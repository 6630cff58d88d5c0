/** Links the words of a question to what they name: longest phrase first, spelling forgiven where only one name is near. */
import { isTime, isYear, type Lexicon, type Meaning } from './lexicon.ts';
import { readTime, type TimePhrase } from './time-phrases.ts';
import type { Token } from './tokenize.ts';
import { isFunctionWord, isHarmless, type Operator, readOperator } from './vocabulary.ts';
import { editDistance, root, stem } from './words.ts';

/** A stretch of the question and what it may mean. */
export interface Item {
  /** Position in the list of items: its identity. */
  readonly index: number;
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

interface Names {
  readonly meanings: readonly Meaning[];
  readonly length: number;
  readonly rooted?: boolean;
  readonly inverted?: boolean;
}
type Found = Omit<Item, 'index' | 'text' | 'tokens'>;

/** Splits the tokens into items; each token is in exactly one. `keep` leaves meanings out. */
export function link(
  tokens: readonly Token[],
  lexicon: Lexicon,
  question: string,
  now: Date,
  keep: (meaning: Meaning) => boolean,
): Item[] {
  const items: Item[] = [];
  const spelled = tokens.map((token) => respell(token, tokens, lexicon));
  const words = spelled.map((token) => token.word);
  for (let at = 0; at < tokens.length; ) {
    const { found, length } = best(spelled, words, at, items.at(-1), lexicon, now, keep);
    const used = tokens.slice(at, at + length);
    const corrected = used.some((token, i) => token.word !== words[at + i])
      ? words.slice(at, at + length).join(' ')
      : undefined;
    const text =
      used[0]!.kind === 'quoted' && length === 1 ? used[0]!.text : question.slice(used[0]!.start, used.at(-1)!.end);
    items.push({ ...found, index: items.length, text, tokens: used, ...(corrected && { corrected }) });
    at += length;
  }
  return items;
}

function best(
  tokens: readonly Token[],
  words: readonly string[],
  at: number,
  before: Item | undefined,
  lexicon: Lexicon,
  now: Date,
  keep: (meaning: Meaning) => boolean,
): { found: Found; length: number } {
  const token = tokens[at]!;
  const none = { meanings: [] as readonly Meaning[] };
  const named =
    token.kind === 'sign' ? undefined : (dated(tokens, at, lexicon, now, keep) ?? inverted(tokens, at, lexicon, keep));
  if (token.kind === 'quoted') return { found: { kind: 'quoted', meanings: named?.meanings ?? [] }, length: 1 };
  const afterAmount =
    before?.operator?.op === 'comparator' || (before?.operator?.op === 'rank' && token.kind === 'number');
  const time = afterAmount && token.kind === 'number' ? undefined : readTime(tokens, at, now);
  const timeLength = time ? time.next - at : 0;
  const read = readOperator(words, at);
  // "or under 20": the number is of the comparison that begins here, not of the one before.
  const begins =
    read?.operator.op === 'comparator' &&
    read.operator.suffix &&
    (tokens[at + read.length]?.kind === 'number' || words[at + read.length] === 'than');
  const operator = begins ? readOperator(words.slice(0, at + 1), at) : read;
  const operatorLength = operator?.length ?? 0;
  const namedLength = named?.length ?? 0;
  // A code written in capitals is the code: "NO", "IN".
  const isCode =
    namedLength === 1 &&
    /^[A-Z]{1,3}$/.test(token.text) &&
    named!.meanings.some((meaning) => meaning.kind === 'value' && meaning.value === token.text) &&
    tokens.some((other) => other.text !== other.text.toUpperCase());
  // "with a discount over 10" is no name, although "with a discount" is one.
  const after =
    named && operator && named.length > operator.length
      ? readOperator(words, at + named.length)?.operator.op
      : undefined;
  if (named && operator && (after === 'comparator' || (after !== undefined && words[at + named.length] === 'of')))
    return { found: { kind: 'operator', operator: operator.operator, ...none }, length: operator.length };
  const adjective =
    operator?.operator.op === 'grain' &&
    operator.operator.grouping &&
    namedLength === operatorLength &&
    named!.meanings.some((meaning) => meaning.kind === 'value');
  const noun = adjective ? readNames(tokens, at + namedLength, lexicon, keep) : undefined;
  // "annual subscriptions" where annual is a value of theirs.
  if (noun?.meanings.some((meaning) => meaning.kind === 'entity'))
    return { found: { kind: 'names', meanings: named!.meanings }, length: namedLength };
  if (isCode) return { found: { kind: 'names', meanings: named!.meanings }, length: 1 };
  if (time && timeLength >= Math.max(operatorLength, namedLength))
    return { found: { kind: 'time', time: time.phrase, ...none }, length: timeLength };
  if (named && operator?.operator.op === 'amount')
    return { found: { kind: 'names', meanings: named.meanings }, length: namedLength };
  if (operator && operatorLength >= namedLength)
    return {
      found: {
        kind: 'operator',
        operator: operator.operator,
        meanings: operatorLength === namedLength ? named!.meanings : [],
      },
      length: operatorLength,
    };
  if (named)
    return {
      found: {
        kind: 'names',
        meanings: named.meanings,
        ...(named.rooted && { rooted: true }),
        ...(named.inverted && { inverted: true }),
      },
      length: namedLength,
    };
  if (token.kind === 'number') return { found: { kind: 'number', number: token.value!, ...none }, length: 1 };
  return {
    found: { kind: token.kind === 'word' && isHarmless(token.word) ? 'filler' : 'unknown', ...none },
    length: 1,
  };
}

/** "customers since 2024", where "customer since" is a name too: the period keeps its first word. */
function dated(
  tokens: readonly Token[],
  at: number,
  lexicon: Lexicon,
  now: Date,
  keep: (meaning: Meaning) => boolean,
): Names | undefined {
  const named = readNames(tokens, at, lexicon, keep);
  const last = named && named.length > 1 ? at + named.length - 1 : undefined;
  if (last === undefined || !/^(since|until|before|after)$/.test(tokens[last]!.word) || !readTime(tokens, last, now))
    return named;
  return readNames(tokens.slice(0, last), at, lexicon, keep) ?? named;
}

/** "unpaid", "inactive", "nonsmokers": not what the rest of the word says. */
function inverted(
  tokens: readonly Token[],
  at: number,
  lexicon: Lexicon,
  keep: (meaning: Meaning) => boolean,
): Names | undefined {
  const token = tokens[at]!;
  const rest =
    token.kind === 'word' && !isFunctionWord(token.word)
      ? /^(?:un|in|non|not)-?([a-z]{3,})$/.exec(token.word)?.[1]
      : undefined;
  if (rest === undefined) return undefined;
  const found = readNames([{ ...token, text: rest, word: rest, stem: stem(rest) }], 0, lexicon, keep);
  const meanings = (found?.meanings ?? []).filter(
    (meaning) =>
      meaning.kind === 'segment' ||
      meaning.kind === 'value' ||
      (meaning.kind === 'dimension' && meaning.dimension.type === 'boolean'),
  );
  return meanings.length > 0 ? { meanings, length: 1, inverted: true } : undefined;
}

/** The longest run of tokens from `at` that is a phrase of the lexicon; by the roots of its words only where none is. */
function readNames(
  tokens: readonly Token[],
  at: number,
  lexicon: Lexicon,
  keep: (meaning: Meaning) => boolean,
): Names | undefined {
  let rooted: Names | undefined;
  let key = '';
  let rootKey = '';
  let found: Names | undefined;
  for (let length = 1; length <= lexicon.longest && at + length <= tokens.length; length++) {
    const token = tokens[at + length - 1]!;
    if (token.kind === 'sign' || (token.kind === 'quoted' && length > 1)) break;
    key += token.stem;
    rootKey += `${length > 1 ? ' ' : ''}${token.kind === 'word' ? root(token.word) : token.stem}`;
    const single = length === 1 ? token : undefined;
    const meanings = (lexicon.phrases.get(key) ?? []).filter(
      (meaning) => keep(meaning) && fits(meaning, single, tokens[at - 1]?.word),
    );
    if (meanings.length > 0) found = { meanings, length };
    // "cancel" is an order to do so, "cancelled" and "cancellations" are about what was.
    const bare = single !== undefined && root(single.word) === single.stem;
    const byRoot =
      single && isFunctionWord(single.word)
        ? []
        : (lexicon.roots.get(rootKey) ?? []).filter(
            (meaning) => keep(meaning) && isVerbal(meaning) && !(bare && meaning.kind === 'value'),
          );
    if (byRoot.length > 0 && rootKey.length >= 3) rooted = { meanings: byRoot, length, rooted: true };
    if (token.kind === 'quoted') break;
  }
  if (!found) return rooted;
  return rooted && rooted.length > found.length ? rooted : found;
}

/** Whether a verb form can mean it: "cancelled", "visited", "opened"; "marketing" is not a market. */
const isVerbal = (meaning: Meaning): boolean =>
  meaning.kind !== 'measure' &&
  (meaning.kind !== 'dimension' ||
    isTime(meaning.dimension) ||
    isYear(meaning.dimension) ||
    meaning.dimension.type === 'boolean');

const ADDRESSING = new Set('show tell give let get send bring owe owes owed pay paid to for with'.split(' '));

/** Short codes and values that look like plain English count only when written as they are: "IN", "NO", "M". */
function fits(meaning: Meaning, single: Token | undefined, before: string | undefined): boolean {
  if (single === undefined || single.kind === 'quoted') return true;
  // "us" names a place, unless it is us who are told something.
  if (single.word === 'us') return !ADDRESSING.has(before ?? '');
  if (meaning.kind === 'value' && (single.text.length <= 2 || isFunctionWord(single.word)))
    return single.text === meaning.value;
  if (isHarmless(single.word) && single.word.length <= 3) return single.text !== single.word;
  return true;
}

/** A word nobody knows becomes the one known word that is a typing slip away; with two such words it stays unknown. */
function respell(token: Token, tokens: readonly Token[], lexicon: Lexicon): Token {
  const { word } = token;
  if (token.kind !== 'word' || word.length < 4 || /\d/.test(word) || isFunctionWord(word) || readOperator([word], 0))
    return token;
  if (lexicon.phrases.has(token.stem) || lexicon.roots.get(root(word))?.some(isVerbal) || known(token.stem, lexicon))
    return token;
  if (TIME_WORDS.has(word) || TIME_WORDS.has(token.stem) || joins(token, tokens, lexicon)) return token;
  const limit = word.length >= 8 ? 2 : 1;
  let nearest: string[] = [];
  let distance = limit + 1;
  for (const candidate of [...(lexicon.vocabulary.get(word[0]!) ?? []), ...SPELLABLE]) {
    const edits = editDistance(token.stem, candidate, limit);
    // In a short word a replaced letter is more often another word ("lost", "cost") than a slip.
    if (
      edits > limit ||
      candidate[0] !== word[0] ||
      (word.length < 6 && candidate.length === token.stem.length && !swapped(token.stem, candidate))
    )
      continue;
    if (edits < distance) [nearest, distance] = [[candidate], edits];
    else if (edits === distance && !nearest.includes(candidate)) nearest.push(candidate);
  }
  return nearest.length === 1 ? { ...token, word: nearest[0]!, stem: stem(nearest[0]!) } : token;
}

const TIME_WORDS = new Set(
  (
    'today yesterday week month quarter year day january february march april june july august september october november december ' +
    'this last past previous prior trailing preceding current since before after until till between half second third fourth next ago earlier far'
  ).split(' '),
);
/** Words of the reader itself that people mistype. */
const SPELLABLE =
  'average total number month quarter year yesterday highest lowest between previous without excluding monthly weekly january february april august september october november december'.split(
    ' ',
  );

const known = (word: string, lexicon: Lexicon): boolean => lexicon.vocabulary.get(word[0]!)?.has(word) ?? false;

/** Whether the word is part of a longer phrase together with a neighbour ("pay pal" for "paypal"). */
function joins(token: Token, tokens: readonly Token[], lexicon: Lexicon): boolean {
  const i = tokens.indexOf(token);
  const next = tokens[i + 1];
  const last = tokens[i - 1];
  return (
    (next !== undefined && lexicon.phrases.has(token.stem + next.stem)) ||
    (last !== undefined && lexicon.phrases.has(last.stem + token.stem))
  );
}

const swapped = (a: string, b: string): boolean => [...a].sort().join('') === [...b].sort().join('');
