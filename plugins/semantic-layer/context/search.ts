/** Searches entities, metrics and glossary terms by everything that names them. */
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { LanguageCode } from '../../language-kit/index.ts';
import { visibleModel } from '../hidden-columns.ts';
import type { ModelDimension, ModelEntity, ModelMetric, ModelTerm, SemanticModel } from '../model.ts';
import { FieldIndex, type FieldWeight } from './field-index.ts';
import { SimilarWords } from './similar-words.ts';
import { askedPart, pairsOf, termsOf, withoutFrequent } from './words.ts';

type HitKind = 'entity' | 'metric' | 'term';

export interface Hit {
  readonly kind: HitKind;
  /** Entity name, metric id or `source.term`. */
  readonly id: string;
  readonly score: number;
  /** What each word of the question adds to the score. */
  readonly parts: readonly number[];
}

export interface Found {
  /** The words of the question that the layer has, and those that others stand for, with how much each says. */
  readonly words: ReadonlyMap<string, number>;
  /** The best first. */
  readonly hits: readonly Hit[];
}

/** Texts by field; of names, each is one text. */
interface SearchDocument {
  readonly id: string;
  readonly fields: readonly (readonly string[])[];
}

const NAMES = 0;
/** Descriptions and questions. */
const PROSE = new Set([2, 4]);
/** In the order of a document's fields. */
const WEIGHTS: readonly FieldWeight[] = [
  // Names of the entity, metric or term.
  { weight: 5, lengthEffect: 0.6 },
  // Names of columns, measures and segments.
  { weight: 1.6, lengthEffect: 0.4 },
  // Descriptions.
  { weight: 0.7, lengthEffect: 0.6 },
  // Values of columns.
  { weight: 2, lengthEffect: 0.3 },
  // Questions that it answers.
  { weight: 1.2, lengthEffect: 0.5 },
];
/** Words of a name that is also found as a whole. */
const LONGEST_NAME = 4;
/** Documents that are indexed before other requests run, which takes some 6 ms. */
const INDEXED_AT_ONCE = 50;
/** Words that a word of the question may stand for, where the layer does not have it. */
const MAX_ALIKE = 3;
/** Words of a question that are looked for so; pasted text may have any number. */
const MAX_CORRECTED = 30;
const ALIKE_WEIGHT = 0.8;
const MIN_ALIKE_LENGTH = 4;
const MIN_PART_LENGTH = 3;
const MAX_PARTS = 3;

/**
 * One index for all versions of a layer; a reload updates the documents that changed. A request with an older version
 * may find names that its model does not have, which it ignores.
 */
export class LayerSearch {
  readonly #index = new FieldIndex(WEIGHTS);
  /** Fingerprint of each document in the index. */
  readonly #documents = new Map<string, string>();
  /** The stems of the words of the layer. */
  readonly #stems = new Map<string, string | null>();
  /** Made when a word is first unknown. */
  #similar: SimilarWords | undefined;
  #version = 0;
  #update: Promise<void> = Promise.resolve();

  /** The parts that match the question, best first. Updates the index first, yielding to other requests. */
  async search(model: SemanticModel, question: string, language?: LanguageCode): Promise<Found> {
    const update = this.#update.catch(() => undefined).then(() => this.#updateIndex(model));
    this.#update = update;
    await update;
    const asked = this.#wordsOf(question, language);
    const found = this.#index.search(asked);
    const hits = [...found].map(([key, parts]) => {
      const colon = key.indexOf(':');
      const score = parts.reduce((sum, part) => sum + part, 0);
      return { kind: key.slice(0, colon) as HitKind, id: key.slice(colon + 1), score, parts };
    });
    const words = new Map([...asked].map(([word, share]) => [word, share * this.#index.rarity(word)]));
    return { words, hits: hits.sort((a, b) => b.score - a.score) };
  }

  /** How many parts of the model can be found, and by how many different words. */
  async size(model: SemanticModel): Promise<{ readonly documents: number; readonly words: number }> {
    await this.search(model, '');
    return { documents: this.#index.documentCount, words: this.#index.wordCount };
  }

  /** The words of a question and its pairs of words; for one that the layer does not have, those that it may stand for. */
  #wordsOf(question: string, language: LanguageCode | undefined): Map<string, number> {
    const asked = new Map<string, string | null>();
    const part = askedPart(question);
    const terms = termsOf(language === undefined ? part : withoutFrequent(part, language), asked);
    const words = new Map<string, number>();
    const add = (word: string, weight = 1) => {
      if (this.#index.has(word)) words.set(word, Math.max(words.get(word) ?? 0, weight));
    };
    for (const word of [...terms, ...pairsOf(terms)]) add(word);
    for (let length = 1; length <= LONGEST_NAME; length += 1) {
      for (let at = 0; at + length <= terms.length; at += 1) add(wholeName(terms.slice(at, at + length)));
    }
    // "order line items" may be the table `orderlineitems`.
    const written = [...asked.keys()];
    for (const [at, word] of written.entries()) {
      const next = `${word}${written[at + 1] ?? ''}`;
      for (const compound of [next, `${next}${written[at + 2] ?? ''}`]) for (const term of termsOf(compound)) add(term);
    }
    const unknown = [...asked].filter(([, term]) => term !== null && !this.#index.has(term));
    for (const [word] of unknown.slice(0, MAX_CORRECTED)) {
      for (const [meant, weight] of this.#meant(word, language)) add(meant, weight);
    }
    return words;
  }

  /** The parts of a compound that the layer has, else the words that are written much like it. */
  #meant(word: string, language: LanguageCode | undefined): [word: string, weight: number][] {
    if (word.length < (language === 'ja' ? MIN_PART_LENGTH : MIN_ALIKE_LENGTH) || /\d/.test(word)) return [];
    const parts = this.#partsOf(word, MAX_PARTS) ?? (language && this.#edgeOf(word, language));
    if (parts !== undefined) return parts.map((part) => [part, ALIKE_WEIGHT]);
    this.#similar ??= new SimilarWords([...this.#stems].flatMap(([known, stem]) => (stem === null ? [] : known)));
    const alike = this.#similar.to(word).slice(0, MAX_ALIKE);
    return alike.map(([known, likeness]) => [this.#stems.get(known) ?? known, likeness * ALIKE_WEIGHT]);
  }

  /** The longest word of the layer that a word of another language begins or ends with: "Kunden", "Monatsumsatz". */
  #edgeOf(word: string, language: LanguageCode): string[] | undefined {
    for (let length = word.length - 1; length >= (language === 'ja' ? 2 : MIN_ALIKE_LENGTH); length -= 1) {
      const found = [word.slice(0, length), word.slice(-length)].flatMap((part) => termsOf(part));
      const known = found.find((term) => this.#index.has(term));
      if (known !== undefined) return [known];
    }
    return undefined;
  }

  /** A word as a sequence of at least two words of the layer. */
  #partsOf(word: string, most: number): string[] | undefined {
    for (let at = word.length - MIN_PART_LENGTH; at >= MIN_PART_LENGTH && most > 1; at -= 1) {
      const [first] = termsOf(word.slice(0, at));
      if (first === undefined || !this.#index.has(first)) continue;
      const [last, ...others] = termsOf(word.slice(at));
      if (last !== undefined && others.length === 0 && this.#index.has(last)) return [first, last];
      const rest = this.#partsOf(word.slice(at), most - 1);
      if (rest !== undefined) return [first, ...rest];
    }
    return undefined;
  }

  /** The words of the texts of a field; of names and values the pairs of words as well, and each name as a whole. */
  #wordsIn(texts: readonly string[], field: number): Set<string> {
    const words = new Set<string>();
    for (const text of texts) {
      const terms = termsOf(text, this.#stems);
      for (const term of terms) words.add(term);
      if (!PROSE.has(field)) for (const pair of pairsOf(terms)) words.add(pair);
      if (field === NAMES && terms.length > 0 && terms.length <= LONGEST_NAME) words.add(wholeName(terms));
    }
    return words;
  }

  async #updateIndex(model: SemanticModel): Promise<void> {
    if (model.version <= this.#version) return;
    const documents = new Map<string, SearchDocument['fields']>();
    for (const { id, fields } of documentsOf(model)) if (!documents.has(id)) documents.set(id, fields);
    const fingerprints = new Map(
      Array.from(documents, ([id, fields]) => [id, createHash('sha1').update(JSON.stringify(fields)).digest('base64')]),
    );
    const changed = [...documents].filter(([id]) => this.#documents.get(id) !== fingerprints.get(id));
    const gone = [...this.#documents.keys()].filter((id) => !documents.has(id));
    const replaced = [...gone, ...changed.map(([id]) => id)];
    this.#index.remove(replaced);
    for (const id of replaced) this.#documents.delete(id);
    for (const [at, [id, fields]] of changed.entries()) {
      this.#index.add(
        id,
        fields.map((texts, field) => this.#wordsIn(texts, field)),
      );
      this.#documents.set(id, fingerprints.get(id)!);
      if ((at + 1) % INDEXED_AT_ONCE === 0) await setImmediate();
    }
    for (const [word, term] of this.#stems) if (term !== null && !this.#index.has(term)) this.#stems.delete(word);
    this.#similar = undefined;
    this.#version = model.version;
  }
}

const wholeName = (terms: readonly string[]) => `=${terms.join(' ')}`;

export function termId(term: ModelTerm): string {
  return `${term.source}.${term.term}`;
}

function* documentsOf(model: SemanticModel): Generator<SearchDocument> {
  const { entities, metrics, glossary } = visibleModel(model);
  const catalog = new Map(model.catalog?.entities?.map((entry) => [entry.name.toLowerCase(), entry]));
  for (const entity of entities) {
    const listed = catalog.get(entity.name.toLowerCase());
    yield entityDocument(entity, listed);
  }
  for (const metric of metrics) yield metricDocument(metric);
  for (const term of glossary) yield termDocument(term);
}

type CatalogEntry = NonNullable<NonNullable<SemanticModel['catalog']>['entities']>[number];

function entityDocument(entity: ModelEntity, listed: CatalogEntry | undefined): SearchDocument {
  const { dimensions, measures, segments, queryPatterns } = entity;
  const members = [...dimensions, ...measures, ...segments];
  const names = [entity.name, ...(entity.table === entity.name ? [] : [entity.table]), ...entity.synonyms];
  const questions = [...(listed?.common_questions ?? []), ...queryPatterns.map(({ description }) => description)];
  return {
    id: `entity:${entity.name}`,
    fields: [
      names,
      members.flatMap(({ name, synonyms }) => [name, ...(synonyms ?? [])]),
      texts([
        ...[entity.description, entity.grain, listed?.description, ...(listed?.use_for ?? [])],
        ...members.map(({ description }) => description),
      ]),
      texts(
        dimensions.flatMap(({ sample_values = [], valueWords }) => [...sample_values, ...wordsOfValues(valueWords)]),
      ),
      questions,
    ],
  };
}

function metricDocument(metric: ModelMetric): SearchDocument {
  const names = texts([metric.id, metric.label, ...(metric.synonyms ?? [])]);
  return { id: `metric:${metric.id}`, fields: [names, [], texts([metric.description]), [], []] };
}

function termDocument(term: ModelTerm): SearchDocument {
  const meanings = (term.meanings ?? []).map((meaning) => (typeof meaning === 'string' ? meaning : meaning.name));
  const names = [term.term, ...(term.synonyms ?? [])];
  return { id: `term:${termId(term)}`, fields: [names, meanings, texts([term.definition]), [], []] };
}

const wordsOfValues = (words: ModelDimension['valueWords']) => Array.from(words?.values() ?? []).flat();

/** Values that are words: numbers and flags name nothing. */
function texts(parts: readonly unknown[]): string[] {
  return parts.filter((part): part is string => typeof part === 'string' && part !== '');
}
