/** Searches entities, metrics and glossary terms with a text index. */
import { createHash } from 'node:crypto';
import MiniSearch from 'minisearch';
import { visibleModel } from '../hidden-columns.ts';
import type { ModelEntity, ModelMetric, ModelTerm, SemanticModel } from '../model.ts';
import { stem, tokenize } from './words.ts';

type HitKind = 'entity' | 'metric' | 'term';

export interface Hit {
  readonly kind: HitKind;
  /** Entity name, metric id or `source.term`. */
  readonly id: string;
  readonly score: number;
}

interface SearchDocument {
  readonly id: string;
  readonly name: string;
  readonly members: string;
  readonly text: string;
  readonly values: string;
}

const FIELDS = ['name', 'members', 'text', 'values'] as const;
/** A longer question is pasted text; only its beginning is searched. */
const MAX_QUESTION_LENGTH = 4000;
/** Documents that are indexed before other requests run, which takes some 6 ms. */
const INDEXED_AT_ONCE = 50;
const BOOST = { name: 4, members: 1.5, text: 1, values: 2 };

/**
 * One index for all versions of a layer; a reload updates the documents that changed. A request with an older version
 * may find names that its model does not have, which it ignores.
 */
export class LayerSearch {
  readonly #index: MiniSearch<SearchDocument>;
  /** Fingerprint of each document in the index. */
  readonly #documents = new Map<string, string>();
  readonly #vocabulary = new Set<string>();
  #version = 0;
  #update: Promise<void> = Promise.resolve();

  constructor() {
    this.#index = new MiniSearch<SearchDocument>({
      fields: [...FIELDS],
      tokenize,
      processTerm: (term) => this.#learn(term),
      searchOptions: {
        processTerm: stem,
        boost: BOOST,
        prefix: (term) => term.length >= 4 && !/\d/.test(term),
        // Only a word that the layer does not contain can be a typo: one edit, or two in a long word.
        fuzzy: (term) =>
          !this.#vocabulary.has(term) && term.length >= 4 && !/\d/.test(term) && (term.length < 8 ? 1 : 2),
        maxFuzzy: 2,
        weights: { fuzzy: 0.9, prefix: 0.3 },
      },
    });
  }

  /** The parts that match the question, best first. Updates the index first, yielding to other requests. */
  async search(model: SemanticModel, question: string): Promise<readonly Hit[]> {
    this.#update = this.#update.then(() => this.#updateIndex(model));
    await this.#update;
    return this.#index.search(question.slice(0, MAX_QUESTION_LENGTH)).map(({ id, score }) => {
      const colon = String(id).indexOf(':');
      return { kind: String(id).slice(0, colon) as HitKind, id: String(id).slice(colon + 1), score };
    });
  }

  /** How many parts of the model can be found, and by how many different words. */
  async size(model: SemanticModel): Promise<{ readonly documents: number; readonly words: number }> {
    await this.search(model, '');
    return { documents: this.#index.documentCount, words: this.#index.termCount };
  }

  #learn(term: string): string | null {
    const word = stem(term);
    if (word !== null) this.#vocabulary.add(word);
    return word;
  }

  async #updateIndex(model: SemanticModel): Promise<void> {
    if (model.version <= this.#version) return;
    const changed: SearchDocument[] = [];
    const present = new Set<string>();
    for (const document of documentsOf(model)) {
      if (present.has(document.id)) continue;
      present.add(document.id);
      const fingerprint = createHash('sha1').update(JSON.stringify(document)).digest('base64');
      const known = this.#documents.get(document.id);
      if (known !== fingerprint) {
        if (known !== undefined) this.#index.discard(document.id);
        changed.push(document);
        this.#documents.set(document.id, fingerprint);
      }
    }
    for (const id of this.#documents.keys()) {
      if (present.has(id)) continue;
      this.#index.discard(id);
      this.#documents.delete(id);
    }
    await this.#index.addAllAsync(changed, { chunkSize: INDEXED_AT_ONCE });
    this.#version = model.version;
  }
}

export function termId(term: ModelTerm): string {
  return `${term.source}.${term.term}`;
}

function* documentsOf(model: SemanticModel): Generator<SearchDocument> {
  const { entities, metrics, glossary } = visibleModel(model);
  const catalog = new Map(model.catalog?.entities?.map((entry) => [entry.name.toLowerCase(), entry]));
  for (const entity of entities) {
    const listed = catalog.get(entity.name.toLowerCase());
    const use = [listed?.description, ...(listed?.use_for ?? []), ...(listed?.common_questions ?? [])];
    yield entityDocument(entity, use);
  }
  for (const metric of metrics) yield metricDocument(metric);
  for (const term of glossary) yield termDocument(term);
}

function entityDocument(entity: ModelEntity, use: readonly (string | undefined)[]): SearchDocument {
  const { dimensions, measures, segments, queryPatterns } = entity;
  const members = [...dimensions, ...measures, ...segments];
  return {
    id: `entity:${entity.name}`,
    name: join([entity.name, entity.table === entity.name ? undefined : entity.table, ...entity.synonyms]),
    members: join(members.flatMap(({ name, synonyms }) => [name, ...(synonyms ?? [])])),
    text: join([
      ...[entity.description, entity.grain, ...use],
      ...members.map(({ description }) => description),
      ...queryPatterns.map(({ description }) => description),
    ]),
    values: join(dimensions.flatMap(({ sample_values }) => sample_values ?? [])),
  };
}

function metricDocument(metric: ModelMetric): SearchDocument {
  const name = join([metric.id, metric.label, ...(metric.synonyms ?? [])]);
  return { id: `metric:${metric.id}`, name, members: '', text: metric.description ?? '', values: '' };
}

function termDocument(term: ModelTerm): SearchDocument {
  const meanings = (term.meanings ?? []).map((meaning) => (typeof meaning === 'string' ? meaning : meaning.name));
  return {
    id: `term:${termId(term)}`,
    name: join([term.term, ...(term.synonyms ?? [])]),
    members: join(meanings),
    text: term.definition ?? '',
    values: '',
  };
}

function join(parts: readonly unknown[]): string {
  return parts.filter((part) => part !== undefined && part !== null && part !== '').join(' ; ');
}
