/** Splits wordings and questions into units that compare: words that say something, and names by what they stand for. */
import type { timeReader, tokenizer } from '../model-offline/index.ts';
import { type SemanticModel, visibleModel } from '../semantic-layer/index.ts';

type Tokenize = Awaited<ReturnType<typeof tokenizer>>['tokenize'];
export type Token = ReturnType<Tokenize>[number] & {
  readonly isStop: boolean;
  /** "were" of "were booked", which says that others did it. */
  readonly isPassive: boolean;
};
export type ReadTime = Awaited<ReturnType<typeof timeReader>>['readTime'];

/** What is said before a question, and the empty ways to ask for the existence of something. */
const LEAD_IN =
  /^\s*(?:(?:hi|hello|hey|please|kindly)\b[,!.]*\s*)*(?:(?:can|could|would) you (?:please |kindly )?)?(?:(?:show|tell|give) (?:me|us)\s|show\s|i (?:want|need|would like) to (?:see|know)\s)?\s*(?:what(?:'s|’s|s| is| are| was| were)\s)?/i;
const EMPTY = /\b(?:(?:are|is|were|was) there|(?:do|did) we have|please|thanks|thank you)\b/gi;
const ARTICLES = new Set(['the', 'a', 'an', 'our']);
const BE = new Set(['is', 'are', 'was', 'were']);
const AUXILIARIES = new Set([...BE, 'do', 'does', 'did']);
/** What stands between a form of "be" and its participle. */
export const ADVERB = /^(?:not|never|ever|also|only|already|\w+ly)$/;
const PARTICIPLE = /(?:ed|en)$|^(?:paid|sent|lent|sold|bought|told|taught|met|found|lost)$/;
/** Those that say no more than that two things belong together; "from", "to", "by" and "with" say how. */
const PREPOSITIONS = new Set(['of', 'in', 'for', 'at', 'on']);
const LONGEST_NAME = 6;

/** The tokens of a text; those that say nothing are marked, not removed, as periods are read with their prepositions. */
export function tokensOf(text: string, tokenize: Tokenize): Token[] {
  const asked = text.replace(LEAD_IN, '').replace(EMPTY, ' ');
  const tokens = tokenize(asked);
  return tokens.map((token, at) => {
    const isPassive = BE.has(token.word) && isParticiple(tokens, at + 1);
    return { ...token, ...(isPassive && { stem: 'be' }), isPassive, isStop: !isPassive && isStop(tokens, at) };
  });
}

function isParticiple(tokens: ReturnType<Tokenize>, at: number): boolean {
  const next = tokens.slice(at).find(({ word }) => !ADVERB.test(word));
  return next?.kind === 'word' && PARTICIPLE.test(next.word);
}

/** A code such as "IN" or "A" is a name, and so is what a preposition without anything else behind it stands before. */
function isStop(tokens: ReturnType<Tokenize>, at: number): boolean {
  const { word, text, kind } = tokens[at]!;
  if (kind === 'sign') return word === ',';
  if (kind !== 'word' || (text !== text.toLowerCase() && (at > 0 || text.length === 1))) return false;
  const [before, after] = [tokens[at - 1]?.word ?? '', tokens[at + 1]?.word];
  if (ARTICLES.has(word)) return after !== undefined;
  if (AUXILIARIES.has(word)) return !PREPOSITIONS.has(before);
  return PREPOSITIONS.has(word) && after !== undefined && !PREPOSITIONS.has(after) && !AUXILIARIES.has(after);
}

/** Whether a text speaks of what was, of what is, or does not say. */
export function tenseOf(text: string): 'past' | 'present' | undefined {
  if (/\b(?:was|were|did|had|been)\b/i.test(text)) return 'past';
  return /\b(?:is|are|do|does|has|have)\b|\w'(?:s|re)\b/i.test(text) ? 'present' : undefined;
}

/** Signs that no token has: "500 €", "AA-", "!cancelled" and ".5" are no "500", "AA", "cancelled" and "5". */
export const signsOf = (text: string): string => (text.normalize('NFKC').match(SIGNS) ?? []).join('');
const SIGNS =
  /[\p{S}*/\\@#%&‰′]|(?<![\p{L}\p{N}])(?:[\p{Pd}!](?=[\p{L}\p{N}.])|\.(?=\p{N}))|(?<=[\p{L}\p{N}])\p{Pd}(?![\p{L}\p{N}])/gu;

/** What the names of a layer stand for. A name of several things stands for itself. */
export class Names {
  readonly tokenize: Tokenize;
  readonly #ids = new Map<string, Set<string>>();

  constructor(model: SemanticModel, tokenize: Tokenize) {
    this.tokenize = tokenize;
    const { entities, metrics, glossary } = visibleModel(model);
    for (const { name, synonyms, dimensions, measures, segments } of entities) {
      this.#add(name, [name, ...synonyms]);
      for (const one of [...dimensions, ...measures, ...segments])
        this.#add(`${name}.${one.name}`, [one.name, ...(one.synonyms ?? [])]);
    }
    for (const { id, label = id, synonyms = [], entity, measure } of metrics)
      this.#add(measure === undefined ? `metric ${id}` : `${entity}.${measure}`, [id, label, ...synonyms]);
    for (const { term, synonyms = [], status } of glossary)
      if (status === 'defined') this.#add(`term ${term}`, [term, ...synonyms]);
  }

  #add(id: string, names: readonly string[]): void {
    for (const name of names) {
      const key = keyOf(tokensOf(name, this.tokenize));
      this.#ids.set(key, (this.#ids.get(key) ?? new Set()).add(id.toLowerCase()));
    }
  }

  /** What the tokens from `at` may be: each name that begins there, the longest first, or the word. */
  unitsAt(tokens: readonly Token[], at: number): { readonly id: string; readonly next: number }[] {
    const found: { id: string; next: number }[] = [];
    let [key, length] = ['', 0];
    for (let next = at; next < tokens.length && length < LONGEST_NAME; next += 1) {
      const { isStop: isSilent, stem, kind } = tokens[next]!;
      if (isSilent) continue;
      if (kind !== 'word' && kind !== 'number') break;
      key = key === '' ? stem : `${key} ${stem}`;
      length += 1;
      const ids = this.#ids.get(key);
      if (ids?.size === 1) found.unshift({ id: `#${[...ids][0]}`, next: next + 1 });
    }
    if (!found.some(({ next }) => next === at + 1)) found.push({ id: tokens[at]!.stem, next: at + 1 });
    return found;
  }

  /** The units of a whole text, by their longest names. */
  unitsOf(tokens: readonly Token[]): string[] {
    const units: string[] = [];
    for (let at = 0; at < tokens.length; ) {
      if (tokens[at]!.isStop) at += 1;
      else {
        const [unit] = this.unitsAt(tokens, at);
        units.push(unit!.id);
        at = unit!.next;
      }
    }
    return units;
  }
}

const keyOf = (tokens: readonly Token[]) =>
  tokens.flatMap(({ isStop: isSilent, stem }) => (isSilent ? [] : stem)).join(' ');
