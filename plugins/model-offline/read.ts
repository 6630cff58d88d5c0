/** One message to a plan, through the stages: words → linked names → draft → plan. */
import type { SemanticModel } from '../semantic-layer/index.ts';
import type { QueryPlan } from '../semantic-query/index.ts';
import { unrepresented } from './audit.ts';
import type { Draft, Mention } from './draft.ts';
import { type Lexicon, lexiconOf, type Meaning } from './lexicon.ts';
import { type Item, link } from './link.ts';
import { type Parsed, parse } from './parse.ts';
import { resolve } from './resolve.ts';
import { Terms } from './terms.ts';
import { tokenize } from './tokenize.ts';
import { isHarmless } from './vocabulary.ts';
import { nameWords, root, stem } from './words.ts';

export interface Sentence {
  readonly draft: Draft;
  /** Words without a place, as written. */
  readonly unplaced: readonly string[];
  /** Spellings that were forgiven: what was written, what it was taken for. */
  readonly corrections: readonly (readonly [written: string, taken: string])[];
  readonly items: readonly Item[];
  /** Nothing in it names anything of the layer. */
  readonly isEmpty: boolean;
}

export interface Reader {
  readonly lexicon: Lexicon;
  /** The draft of one message. */
  sentence(text: string): Sentence;
  /** The plan of a draft. Throws `Ask` or `Refuse`. */
  plan(draft: Draft, chosen: ReadonlyMap<string, number>): QueryPlan;
  /** What the message says and the plan does not. */
  dropped(
    sentence: Sentence,
    draft: Draft,
    plan: QueryPlan,
    chosen: ReadonlyMap<string, number>,
    continues: boolean,
  ): readonly string[];
}

export function createReader(model: SemanticModel, now: Date): Reader {
  const lexicon = lexiconOf(model);
  const terms: Terms = new Terms(lexicon, (text, without) => {
    const drop = (meaning: Meaning): boolean =>
      !(meaning.kind === 'term' && (meaning.term === without || meaning.term.definition === without.definition));
    return read(text, drop);
  });
  const read = (
    text: string,
    keep: (meaning: Meaning) => boolean = () => true,
  ): Parsed & { readonly items: readonly Item[] } => {
    const tokens = tokenize(text);
    const items = link(tokens, lexicon, text.replace(/\s/g, ' '), now, keep);
    const parsed = parse(items, (meaning) => terms.role(meaning.term));
    return { ...absorbed(parsed, items), items };
  };
  return {
    lexicon,
    sentence(text) {
      const { draft, unplaced, placed, items } = read(text);
      const corrections = [...placed.keys()].flatMap((item) =>
        item.corrected ? [[item.text, item.corrected] as const] : [],
      );
      return {
        draft,
        unplaced: unplaced.map((item) => item.text),
        corrections,
        items,
        isEmpty:
          placed.size === 0 &&
          draft.times.length === 0 &&
          draft.conditions.length === 0 &&
          draft.groups.length === 0 &&
          draft.rank === undefined,
      };
    },
    plan: (draft, chosen) => resolve(draft, { lexicon, chosen, now, readTerm: terms.read }),
    dropped: ({ items }, draft, plan, chosen, continues) =>
      unrepresented({ items, draft, plan, lexicon, chosen, readTerm: terms.read, continues }),
  };
}

/** Takes back what only repeats a linked name: "units sold" read as "units … sold", or "live" before a city people "live in". */
function absorbed(parsed: Parsed, items: readonly Item[]): Parsed {
  const unplaced = parsed.unplaced.filter(
    (item) =>
      !(item.kind === 'unknown' || item.operator?.op === 'grain') ||
      !(repeats(item, parsed.placed) || describes(item, items, parsed.placed)),
  );
  return { ...parsed, unplaced };
}

const named = (meaning: Meaning): string[] => {
  switch (meaning.kind) {
    case 'measure':
      return [
        meaning.name,
        meaning.metric?.label ?? '',
        ...(meaning.metric?.synonyms ?? []),
        ...(meaning.measure?.synonyms ?? []),
      ];
    case 'dimension':
    case 'value':
      return [meaning.dimension.name, ...(meaning.dimension.synonyms ?? [])];
    default:
      return [];
  }
};

/** The word is part of a name or synonym of a figure or dimension in the question that has one meaning only. */
function repeats(item: Item, placed: ReadonlyMap<Item, Mention>): boolean {
  const word = item.tokens[0]!.stem;
  return [...placed.values()].some((mention) =>
    mention.meanings.some(
      (meaning) =>
        (meaning.kind === 'measure' ||
          (meaning.kind === 'dimension' && (meaning.dimension.type === 'boolean' || item.kind === 'operator'))) &&
        named(meaning).some((name) => nameWords(name).map(stem).includes(word)),
    ),
  );
}

/** The word stands right before a value or date whose description uses it: "living in Berlin". */
function describes(item: Item, items: readonly Item[], placed: ReadonlyMap<Item, Mention>): boolean {
  let at = item.index + 1;
  while ((items[at]?.kind === 'filler' && isHarmless(items[at]!.tokens[0]!.word)) || items[at]?.operator?.op === 'not')
    at++;
  const next = items[at];
  if (next && !placed.has(next)) return false;
  const near = next ? next.meanings : [...placed.values()].flatMap((mention) => mention.meanings);
  const words = near.flatMap((meaning) =>
    meaning.kind === 'value' || (!next && meaning.kind === 'dimension') ? [meaning.dimension.description ?? ''] : [],
  );
  return words.length > 0 && words.every((text) => nameWords(text).map(root).includes(root(item.tokens[0]!.word)));
}
