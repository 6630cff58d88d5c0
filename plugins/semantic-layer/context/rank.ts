/** Ranks entities, metrics and terms by their relevance to a question, from the hits of the text index. */

import type { VisibleModel } from '../hidden-columns.ts';
import type { ModelEntity, ModelMetric, ModelTerm, SemanticModel } from '../model.ts';
import { type Hit, termId } from './search.ts';
import { stem, tokenize } from './words.ts';

export interface Ranking {
  /** All entities, the most relevant first. */
  readonly entities: readonly ModelEntity[];
  readonly metrics: readonly ModelMetric[];
  readonly glossary: readonly ModelTerm[];
}

/** Weight of an entity for being joined to a relevant one. */
const JOINED_WEIGHT = 0.3;
/** Entities whose joined entities are ranked up. */
const EXPANDED_ENTITIES = 3;
/** Metrics and terms with a smaller share of the best hit's score are left out. */
const NOISE_LEVEL = 0.3;

interface TermNames {
  readonly term: ModelTerm;
  /** The words of the term and of each of its synonyms. */
  readonly names: readonly (readonly string[])[];
}

/** Ranks the parts of one model. */
export class Ranker {
  readonly #model: SemanticModel;
  readonly #visible: VisibleModel;
  readonly #metrics: ReadonlyMap<string, ModelMetric>;
  readonly #terms: ReadonlyMap<string, ModelTerm>;
  readonly #termNames: readonly TermNames[];
  /** Names of the entities that join an entity, by its name. */
  readonly #joining = new Map<string, string[]>();

  constructor(model: SemanticModel, visible: VisibleModel) {
    this.#model = model;
    this.#visible = visible;
    this.#metrics = new Map(visible.metrics.map((metric) => [metric.id, metric]));
    this.#terms = new Map(visible.glossary.map((term) => [termId(term), term]));
    this.#termNames = visible.glossary.map((term) => ({ term, names: namesOf(term) }));
    for (const { name, joins } of visible.entities) {
      for (const { target } of joins) {
        const known = this.#joining.get(target);
        if (known === undefined) this.#joining.set(target, [name]);
        else known.push(name);
      }
    }
  }

  rank(hits: readonly Hit[], question: string): Ranking {
    const strong = hits.filter(({ score }) => score >= NOISE_LEVEL * (hits[0]?.score ?? 0));
    const mentioned = this.#mentionedIn(question);
    // A term that the question mentions must be in the prompt, an ambiguous one above all.
    mentioned.sort((a, b) => Number(b.status === 'ambiguous') - Number(a.status === 'ambiguous'));
    return {
      entities: this.#entities(hits),
      metrics: pickHits(strong, 'metric', this.#metrics),
      glossary: [...new Set([...mentioned, ...pickHits(strong, 'term', this.#terms)])],
    };
  }

  /** By the question's words, and by the metrics, terms and joins that refer to an entity. */
  #entities(hits: readonly Hit[]): readonly ModelEntity[] {
    const model = this.#model;
    const scores = new Map<string, number>();
    const raise = (name: string | undefined, score: number) => {
      const key = name === undefined ? undefined : model.entity(name)?.name;
      if (key !== undefined) scores.set(key, Math.max(scores.get(key) ?? 0, score));
    };
    for (const { kind, id, score } of hits) {
      if (kind === 'entity') raise(id, score);
      else if (kind === 'metric') raise(model.metric(id)?.entity, score);
      else for (const name of entitiesOf(this.#terms.get(id), model)) raise(name, score);
    }
    const best = [...scores].sort(([, a], [, b]) => b - a).slice(0, EXPANDED_ENTITIES);
    for (const [name, score] of best) {
      for (const { target } of model.entity(name)?.joins ?? []) raise(target, score * JOINED_WEIGHT);
      for (const other of this.#joining.get(name) ?? []) raise(other, score * JOINED_WEIGHT * 0.9);
    }
    const { entities } = this.#visible;
    const scoreOf = ({ name }: ModelEntity) => scores.get(name) ?? 0;
    const wanted = entities.filter((entity) => scoreOf(entity) > 0).sort((a, b) => scoreOf(b) - scoreOf(a));
    return [...wanted, ...entities.filter((entity) => scoreOf(entity) === 0)];
  }

  /** Terms of which all words, or all words of a synonym, are in the question. */
  #mentionedIn(question: string): ModelTerm[] {
    const words = new Set(tokenize(question).map(compared));
    return this.#termNames
      .filter(({ names }) => names.some((parts) => parts.every((word) => words.has(word))))
      .map(({ term }) => term);
  }
}

function entitiesOf(term: ModelTerm | undefined, model: SemanticModel): readonly (string | undefined)[] {
  const meanings = (term?.meanings ?? []).flatMap((meaning) => (typeof meaning === 'string' ? [] : meaning));
  const metrics = meanings.map(({ metric }) => model.metric(metric ?? '')?.entity);
  return [term?.entity, ...(term?.tables ?? []), ...meanings.map(({ entity }) => entity), ...metrics];
}

function pickHits<T>(hits: readonly Hit[], kind: Hit['kind'], byId: ReadonlyMap<string, T>): T[] {
  return hits.flatMap((hit) => (hit.kind === kind ? (byId.get(hit.id) ?? []) : []));
}

function namesOf({ term, synonyms }: ModelTerm): string[][] {
  const names = [term, ...(synonyms ?? [])].map((name) => tokenize(name, 'text').map(compared));
  return names.filter((parts) => parts.length > 0);
}

// Stop words count here: "US" may be a term although "us" is a stop word.
const compared = (word: string) => stem(word) ?? word;
