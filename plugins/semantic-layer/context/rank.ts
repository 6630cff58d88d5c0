/** Ranks entities, metrics and terms by their relevance to a question, and chooses the entities that answer it. */
import type { VisibleModel } from '../hidden-columns.ts';
import type { ModelEntity, ModelMetric, ModelTerm, SemanticModel } from '../model.ts';
import { JoinPaths } from './join-paths.ts';
import { type Hit, termId } from './search.ts';
import { stem, tokenize } from './words.ts';

export interface ScoredEntity {
  readonly entity: ModelEntity;
  readonly score: number;
  /** What each word of the question adds to the score. */
  readonly parts: readonly number[];
}

export interface Ranking {
  /** Those that the question, or a metric or term of it, is about, the most relevant first. */
  readonly entities: readonly ScoredEntity[];
  readonly metrics: readonly ModelMetric[];
  readonly glossary: readonly ModelTerm[];
}

/** Entities that one question may be given in detail. */
export const MAX_CHOSEN = 6;
/** So many are chosen where there are so many. */
const MIN_CHOSEN = 5;
/** An entity is not chosen for its words with a smaller share of the best score. */
const CHOSEN_SHARE = 0.12;
/** How much a word still says that an entity chosen before has as well. */
const REPEATED_WEIGHT = 0.3;
/** Entities among which is chosen. */
const CONSIDERED = 30;
/** Share of the score of a metric or term that its entity gets besides its own. */
const REFERENCE_WEIGHT = 0.4;
/** Share of its score that a relevant entity lends to those that it joins. */
const JOINED_WEIGHT = 0.15;
/** Entities that lend. */
const EXPANDED_ENTITIES = 4;
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
  /** What may be shown of the entities, by name. */
  readonly #shown: ReadonlyMap<string, ModelEntity>;
  readonly #metrics: ReadonlyMap<string, ModelMetric>;
  readonly #terms: ReadonlyMap<string, ModelTerm>;
  readonly #termNames: readonly TermNames[];
  readonly #paths: JoinPaths;

  /** All entities of a small layer. */
  readonly #rest: readonly string[];

  constructor(model: SemanticModel, visible: VisibleModel) {
    this.#rest = visible.entities.length <= MAX_CHOSEN ? visible.entities.map(({ name }) => name) : [];
    this.#model = model;
    this.#shown = new Map(visible.entities.map((entity) => [entity.name, entity]));
    this.#metrics = new Map(visible.metrics.map((metric) => [metric.id, metric]));
    this.#terms = new Map(visible.glossary.map((term) => [termId(term), term]));
    this.#termNames = visible.glossary.map((term) => ({ term, names: namesOf(term) }));
    this.#paths = new JoinPaths(visible.entities);
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

  /**
   * The entities to show in detail: one after the other the one that adds most to what the chosen ones say of the words of
   * the question, with the entities through which it is joined; then, where those are few, what is nearest.
   */
  choose(ranked: readonly ScoredEntity[]): ScoredEntity[] {
    const [best] = ranked;
    const chosen = new Set<string>(best && [best.entity.name]);
    const covered = [...(best?.parts ?? [])];
    const left = new Set(ranked.slice(1, CONSIDERED));
    while (best !== undefined && left.size > 0) {
      const next = mostTelling(left, covered);
      if (next === undefined || next.gain < CHOSEN_SHARE * best.score) break;
      left.delete(next.one);
      const { name } = next.one.entity;
      const added = new Set([...chosen, name, ...this.#paths.between([...chosen, name])]);
      if (added.size > MAX_CHOSEN) continue;
      for (const one of added) chosen.add(one);
      for (const [at, part] of next.one.parts.entries()) covered[at] = Math.max(covered[at] ?? 0, part);
    }
    const joined = [...chosen].flatMap((name) => [...this.#paths.joined(name)]);
    for (const name of [...ranked.map(({ entity }) => entity.name), ...joined, ...this.#rest]) {
      if (chosen.size < MIN_CHOSEN) chosen.add(name);
    }
    const known = new Map(ranked.map((one) => [one.entity.name, one]));
    return [...chosen].flatMap((name) => {
      const entity = this.#shown.get(name);
      return entity === undefined ? [] : (known.get(name) ?? { entity, score: 0, parts: [] });
    });
  }

  /** By the question's words, and by the metrics, terms and joins that refer to an entity. */
  #entities(hits: readonly Hit[]): ScoredEntity[] {
    const parts = new Map<string, readonly number[]>();
    for (const { kind, id, parts: own } of hits) if (kind === 'entity') parts.set(id, own);
    for (const [name, hit] of this.#references(hits)) {
      const own = parts.get(name);
      parts.set(
        name,
        hit.parts.map((part, at) => (own?.[at] ?? 0) + part * REFERENCE_WEIGHT),
      );
    }
    const scores = new Map([...parts].map(([name, own]) => [name, own.reduce((sum, part) => sum + part, 0)]));
    const lenders = [...scores].sort(([, a], [, b]) => b - a).slice(0, EXPANDED_ENTITIES);
    for (const [name, score] of lenders) {
      for (const other of this.#paths.joined(name)) scores.set(other, (scores.get(other) ?? 0) + JOINED_WEIGHT * score);
    }
    const scored = [...scores].flatMap(([name, score]) => {
      const entity = this.#shown.get(name);
      return entity === undefined ? [] : [{ entity, score, parts: parts.get(name) ?? [] }];
    });
    return scored.sort((a, b) => b.score - a.score);
  }

  /** The best metric or term that refers to each entity. */
  #references(hits: readonly Hit[]): Map<string, Hit> {
    const best = new Map<string, Hit>();
    for (const hit of hits) {
      const names =
        hit.kind === 'metric'
          ? [this.#model.metric(hit.id)?.entity]
          : hit.kind === 'term'
            ? entitiesOf(this.#terms.get(hit.id), this.#model)
            : [];
      for (const name of names) {
        const entity = this.#model.entity(name ?? '')?.name;
        if (entity !== undefined && !best.has(entity)) best.set(entity, hit);
      }
    }
    return best;
  }

  /** Terms of which all words, or all words of a synonym, are in the question. */
  #mentionedIn(question: string): ModelTerm[] {
    const words = new Set(tokenize(question).map(compared));
    return this.#termNames
      .filter(({ names }) => names.some((parts) => parts.every((word) => words.has(word))))
      .map(({ term }) => term);
  }
}

/** The entity that adds most to what is covered: of a word that is, it adds less. */
function mostTelling(entities: Iterable<ScoredEntity>, covered: readonly number[]) {
  let best: { readonly one: ScoredEntity; readonly gain: number } | undefined;
  for (const one of entities) {
    let gain = one.score;
    for (const [at, part] of one.parts.entries())
      gain -= Math.min(part, covered[at] ?? 0, (1 - REPEATED_WEIGHT) * part);
    if (gain > (best?.gain ?? 0)) best = { one, gain };
  }
  return best;
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
