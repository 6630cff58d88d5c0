/** Which entities, metrics and terms a question speaks of, from the hits of the text index. */
import type { ModelEntity, ModelMetric, ModelTerm, SemanticModel } from './model.ts';
import { type Hit, termId } from './search.ts';
import type { VisibleModel } from './visible.ts';
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

export function rank(model: SemanticModel, visible: VisibleModel, hits: readonly Hit[], question: string): Ranking {
  const strong = hits.filter(({ score }) => score >= noiseLevel * (hits[0]?.score ?? 0));
  const metrics = pickHits(strong, 'metric', visible.metrics, ({ id }) => id);
  const terms = pickHits(strong, 'term', visible.glossary, termId);
  const spoken = visible.glossary.filter(isSpokenIn(question));
  // A term of the question, above all an ambiguous one, must be in the prompt whatever else is.
  spoken.sort((a, b) => Number(b.status === 'ambiguous') - Number(a.status === 'ambiguous'));
  return {
    entities: rankEntities(model, visible.entities, hits),
    metrics,
    glossary: [...new Set([...spoken, ...terms])],
  };
}

/** By the question's own words, and by the metrics, terms and joins that lead to an entity. */
function rankEntities(
  model: SemanticModel,
  entities: readonly ModelEntity[],
  hits: readonly Hit[],
): readonly ModelEntity[] {
  const scores = new Map<string, number>();
  const raise = (name: string | undefined, score: number) => {
    const key = name === undefined ? undefined : model.entity(name)?.name;
    if (key !== undefined) scores.set(key, Math.max(scores.get(key) ?? 0, score));
  };
  const terms = new Map(model.glossary.map((term) => [termId(term), term]));
  for (const { kind, id, score } of hits) {
    if (kind === 'entity') raise(id, score);
    else if (kind === 'metric') raise(model.metric(id)?.entity, score);
    else for (const name of entitiesOf(terms.get(id), model)) raise(name, score);
  }
  const best = [...scores].sort(([, a], [, b]) => b - a).slice(0, parentsOfJoins);
  for (const [name, score] of best) {
    for (const { target } of model.entity(name)?.joins ?? []) raise(target, score * joinedWeight);
    for (const other of entities) {
      if (other.joins.some(({ target }) => target === name)) raise(other.name, score * joinedWeight * 0.9);
    }
  }
  const scoreOf = ({ name }: ModelEntity) => scores.get(name) ?? 0;
  return [...entities].sort((a, b) => scoreOf(b) - scoreOf(a));
}

function entitiesOf(term: ModelTerm | undefined, model: SemanticModel): readonly (string | undefined)[] {
  const meanings = (term?.meanings ?? []).flatMap((meaning) => (typeof meaning === 'string' ? [] : meaning));
  const metrics = meanings.map(({ metric }) => model.metric(metric ?? '')?.entity);
  return [term?.entity, ...(term?.tables ?? []), ...meanings.map(({ entity }) => entity), ...metrics];
}

function pickHits<T>(hits: readonly Hit[], kind: Hit['kind'], items: readonly T[], idOf: (item: T) => string): T[] {
  const byId = new Map(items.map((item) => [idOf(item), item]));
  return hits.flatMap((hit) => (hit.kind === kind ? (byId.get(hit.id) ?? []) : []));
}

/** Whether every word of the term, or of one of its synonyms, is in the question. */
function isSpokenIn(question: string): (term: ModelTerm) => boolean {
  // Here even stop words count: "US" is a term, and "us" a word that names nothing.
  const compared = (word: string) => stem(word) ?? word;
  const words = new Set(tokenize(question).map(compared));
  return ({ term, synonyms }) =>
    [term, ...(synonyms ?? [])].some((name) => {
      const parts = tokenize(name, 'text');
      return parts.length > 0 && parts.every((word) => words.has(compared(word)));
    });
}
