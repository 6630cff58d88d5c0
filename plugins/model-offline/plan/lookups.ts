/** Names the columns in which words that the layer does not know may be values, and adds what is found there. */
import type { Request } from '../parse/request.ts';
import type { ModelDimension } from '../words/layer.ts';
import { type EntityEntry, type Lexicon, type Meaning, singular } from '../words/lexicon.ts';
import type { Item } from '../words/link.ts';
import { keyOf, nameWords, stem } from '../words/words.ts';
import { ownerOf } from './planner.ts';

/** A column, and a text that one of its values may contain. */
export type Lookup = Readonly<{ column: string; text: string }>;
export type FoundValue = Readonly<{ column: string; value: string }>;

/** Each is a statement over a column, or two. Twice as many gave 2 more right answers of 463 questions. */
const MAX_LOOKUPS = 8;

/** The words without a slot, neighbours as one: "Maple Court". */
function textsOf(unplaced: readonly Item[], message: string): string[] {
  const spans: { start: number; end: number }[] = [];
  for (const { tokens } of unplaced) {
    const [start, end] = [tokens[0]!.start, tokens.at(-1)!.end];
    const last = spans.at(-1);
    if (last && /^(-|\.?\s+(of (the )?)?)$/.test(message.slice(last.end, start))) last.end = end;
    else spans.push({ start, end });
  }
  // The values that "apartments" asks for are "Apartment".
  return spans.map(({ start, end }) => message.slice(start, end).replace(/["']/g, '').replace(/\w+$/, singular));
}

/** Whether a column has values that the layer does not name. */
const isOpen = (entity: EntityEntry, { type, name, primary_key: isKey, ...one }: ModelDimension): boolean =>
  type === 'string' &&
  !isKey &&
  one.mask === undefined &&
  !entity.joinColumns.has(name.toLowerCase()) &&
  (one.sample_values ?? []).length < (one.unique_count ?? Number.POSITIVE_INFINITY);

/** What to look for where: the names of rows first, of what is related to what the question names. */
export function lookupsFor({ entities, graph }: Lexicon, unplaced: readonly Item[], request: Request, message: string) {
  const mentions = [request.subject ?? [], request.beside, request.figures.map(({ mention }) => mention)].flat();
  const owners = mentions.flatMap(({ meanings }) => meanings).flatMap((one) => (one.kind === 'term' ? [] : one.entity));
  const isNear = ({ name }: EntityEntry): boolean =>
    owners.length === 0 || owners.some((own) => graph.isRelated(own.name, name));
  const openIn = (entity: EntityEntry): string[] =>
    entity.dimensions.filter((one) => isOpen(entity, one)).map(({ name }) => `${entity.name}.${name}`);
  const isCode = unplaced.every(({ text }) => !/[a-z]/.test(text));
  const likely = isCode ? /(code|no|nr|number|sku|ref)$/ : /(name|title|label)$/;
  const columns = [...entities.values()]
    .filter(isNear)
    .flatMap(openIn)
    .sort((a, b) => Number(likely.test(b)) - Number(likely.test(a)));
  // A word that says what to do is found in no column.
  const texts = unplaced.some(({ kind }) => kind === 'operator') ? [] : textsOf(unplaced, message);
  return columns.flatMap((column) => texts.map((text): Lookup => ({ column, text }))).slice(0, MAX_LOOKUPS);
}

/** The lexicon with values that the database has. */
export function withValues(lexicon: Lexicon, found: readonly FoundValue[]): Lexicon {
  const phrases = new Map(lexicon.phrases);
  const known = new Set(lexicon.words);
  let { longest } = lexicon;
  for (const { column, value } of found) {
    const entity = lexicon.entities.get(ownerOf(column));
    const dimension = entity?.dimensions.find(({ name }) => column === `${entity.name}.${name}`);
    const words = nameWords(value);
    if (!entity || !dimension || words.length > 8 || dimension.sample_values?.includes(value)) continue;
    const meaning: Meaning = { kind: 'value', rank: 3, entity, dimension, value };
    phrases.set(keyOf(words), [...(phrases.get(keyOf(words)) ?? []), meaning]);
    longest = Math.max(longest, words.length);
    for (const word of words) known.add(stem(word));
  }
  return { ...lexicon, phrases, words: known, longest };
}
