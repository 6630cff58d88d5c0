/** Which entities, metrics and terms a question speaks of, from the hits of the text index. */
import type { ModelEntity, ModelMetric, ModelTerm, SemanticModel } from '../model.ts';
import { type Hit, termId } from './search.ts';
import type { VisibleModel } from '../hidden-columns.ts';
import { stem, tokenize } from './words.ts';

export interface Ranking {
  /** All entities, the most wanted first. */
  readonly entities: readonly ModelEntity[];
  readonly metrics: readonly ModelMetric[];
  readonly glossary: readonly ModelTerm[];
}

/** How much an entity counts for being joined to one that was asked for. */
const joinedWeight = 0.3;
const parentsOfJoins = 3;
/** Metrics and terms below this part of the best hit's score are noise. */
const noiseLevel = 0.3;

interface SpokenTerm {
  readonly term: ModelTerm;
  /** The words of the term and of each of its synonyms. */
  readonly names: readonly (readonly string[])[];
}

/** Ranks the parts of one model. What does not depend on the question is looked up once. */
export class Ranker {
  readonly #model: SemanticModel;
  readonly #visible: VisibleModel;
  readonly #metrics: ReadonlyMap<string, ModelMetric>;
  readonly #terms: ReadonlyMap<string, ModelTerm>;
  readonly #spokenTerms: readonly SpokenTerm[];
  /** Names of the entities that join an entity, by its name. */
  readonly #joining = new Map<string, string[]>();

  constructor(model: SemanticModel, visible: VisibleModel) {
    this.#model = model;
    this.#visible = visible;
    this.#metrics = new Map(visible.metrics.map((metric) => [metric.id, metric]));
    this.#terms = new Map(visible.glossary.map((term) => [termId(term), term]));
    this.#spokenTerms = visible.glossary.map((term) => ({ term, names: namesOf(term) }));
    for (const { name, joins } of visible.entities) {
      for (const { target } of joins) {
        const known = this.#joining.get(target);
        if (known === undefined) this.#joining.set(target, [name]);
        else known.push(name);
      }
    }
  }

  rank(hits: readonly Hit[], question: string): Ranking {
    const strong = hits.filter(({ score }) => score >= noiseLevel * (hits[0]?.score ?? 0));
    const spoken = this.#spokenIn(question);
    // A term of the question, above all an ambiguous one, must be in the prompt whatever else is.
    spoken.sort((a, b) => Number(b.status === 'ambiguous') - Number(a.status === 'ambiguous'));
    return {
      entities: this.#entities(hits),
      metrics: pickHits(strong, 'metric', this.#metrics),
      glossary: [...new Set([...spoken, ...pickHits(strong, 'term', this.#terms)])],
    };
  }

  /** By the question's own words, and by the metrics, terms and joins that lead to an entity. */
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
    const best = [...scores].sort(([, a], [, b]) => b - a).slice(0, parentsOfJoins);
    for (const [name, score] of best) {
      for (const { target } of model.entity(name)?.joins ?? []) raise(target, score * joinedWeight);
      for (const other of this.#joining.get(name) ?? []) raise(other, score * joinedWeight * 0.9);
    }
    const { entities } = this.#visible;
    const scoreOf = ({ name }: ModelEntity) => scores.get(name) ?? 0;
    const wanted = entities.filter((entity) => scoreOf(entity) > 0).sort((a, b) => scoreOf(b) - scoreOf(a));
    return [...wanted, ...entities.filter((entity) => scoreOf(entity) === 0)];
  }

  /** Terms of which every word, or every word of one of their synonyms, is in the question. */
  #spokenIn(question: string): ModelTerm[] {
    const words = new Set(tokenize(question).map(compared));
    return this.#spokenTerms
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

// Here even stop words count: "US" is a term, and "us" a word that names nothing.
const compared = (word: string) => stem(word) ?? word;
