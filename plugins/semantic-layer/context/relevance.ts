/** Tells how much the members of an entity have to do with a question. */
import { listedValues, type ModelDimension } from '../model.ts';
import type { Measure, Segment } from '../schema.ts';
import { pairsOf, termsOf } from './words.ts';

/** How much a word says where it stands. */
const NAME_WEIGHT = 3;
const TEXT_WEIGHT = 1;
const VALUE_WEIGHT = 3;
/** What a column is worth without any word of the question, so that space that is left goes to the most telling ones. */
const TIME_WORTH = 0.6;
const ASKED_TIME_WORTH = 4;
const LABEL_WORTH = 1;
const CODED_WORTH = 2;
const FLAG_WORTH = 0.5;
/** A column of no more different values is described by them. */
const FEW_VALUES = 12;

const TIME_WORDS =
  /\b(?:1[89]|20)\d\d\b|\b(?:today|yesterday|days?|weeks?|months?|quarters?|years?|daily|weekly|monthly|yearly|annual|since|until|before|after|during|between|latest|recent|last|first|newest|oldest|when|date|time|trend|january|february|march|april|may|june|july|august|september|october|november|december|q[1-4])\b/i;
const LABEL = /^(?:name|title|label|(?:full|display|first|last)_?name)$/i;
const FLAG = /^(?:is|has)_|_(?:flag)$/i;

/** The question as its words, with how much each says. */
export interface AskedWords {
  readonly words: ReadonlyMap<string, number>;
  /** Whether it names a time. */
  readonly isTimed: boolean;
}

/** `mayBeTimed`: the words for times are not known in its language. */
export const askedWords = (question: string, words: ReadonlyMap<string, number>, mayBeTimed = false): AskedWords => ({
  words,
  isTimed: mayBeTimed || TIME_WORDS.test(question),
});

/** The words of one member, by where they stand. */
interface MemberWords {
  readonly names: ReadonlySet<string>;
  readonly text: ReadonlySet<string>;
  readonly values: ReadonlySet<string>;
}

type Member = ModelDimension | Measure | Segment;

const known = new WeakMap<object, MemberWords>();

function setOf(texts: readonly unknown[]): ReadonlySet<string> {
  const words = new Set<string>();
  for (const text of texts) {
    if (typeof text !== 'string') continue;
    const terms = termsOf(text);
    for (const term of terms) words.add(term);
    for (const pair of pairsOf(terms)) words.add(pair);
  }
  return words;
}

function wordsOf(member: Member): MemberWords {
  let words = known.get(member);
  if (words === undefined) {
    const values = 'sample_values' in member ? (member.sample_values ?? []) : [];
    const called = 'valueWords' in member ? Array.from(member.valueWords?.values() ?? []).flat() : [];
    words = {
      names: setOf([member.name, ...(member.synonyms ?? [])]),
      text: setOf([member.description]),
      values: setOf([...values, ...called]),
    };
    known.set(member, words);
  }
  return words;
}

/** What the words of the question say of a member, from 0. */
export function relevanceOf(member: Member, { words }: AskedWords): number {
  const { names, text, values } = wordsOf(member);
  let score = 0;
  for (const [word, rarity] of words) {
    const weight = names.has(word) ? NAME_WEIGHT : values.has(word) ? VALUE_WEIGHT : text.has(word) ? TEXT_WEIGHT : 0;
    score += weight * rarity;
  }
  return score;
}

/** The same for a column, with what it is worth of itself. */
export function columnRelevance(dimension: ModelDimension, asked: AskedWords): number {
  const { name, type, sample_values = [], unique_count = sample_values.length } = dimension;
  let score = relevanceOf(dimension, asked);
  if (type === 'date' || type === 'timestamp') score += asked.isTimed ? ASKED_TIME_WORTH : TIME_WORTH;
  if (LABEL.test(name)) score += LABEL_WORTH;
  if (type === 'boolean' || FLAG.test(name)) score += FLAG_WORTH;
  else if (sample_values.length > 0 && unique_count <= FEW_VALUES) score += CODED_WORTH;
  return score;
}

/** Sample values, those that the question names first; `named`: how many they are. */
export function valuesByRelevance(
  dimension: ModelDimension,
  { words }: AskedWords,
): { readonly values: readonly unknown[]; readonly named: number } {
  const { valueWords } = dimension;
  const values = listedValues(dimension);
  if (![...words.keys()].some((word) => wordsOf(dimension).values.has(word))) return { values, named: 0 };
  const isSaid = (text: string) => termsOf(text).some((term) => words.has(term));
  const isNamed = (value: unknown) =>
    typeof value === 'string' && [value, ...(valueWords?.get(value) ?? [])].some(isSaid);
  const named = values.filter(isNamed);
  if (named.length === 0) return { values, named: 0 };
  return { values: [...named, ...values.filter((value) => !isNamed(value))], named: named.length };
}

/** How well a solved question answers this one: the share of the question's weight in its words. */
export function likeness(description: string, { words }: AskedWords): number {
  const own = setOf([description]);
  let [shared, all] = [0, 0];
  for (const [word, rarity] of words) {
    all += rarity;
    if (own.has(word)) shared += rarity;
  }
  return all === 0 ? 0 : shared / all;
}
