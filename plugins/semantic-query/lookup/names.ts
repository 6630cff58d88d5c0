/** Resolves the names in a plan to members of the model, ignoring case. An ambiguous name is an error with choices. */
import { nearest } from '../../../kernel/index.ts';
import type { Measure, ModelDimension, ModelEntity, ModelMetric, SemanticModel } from '../../semantic-layer/index.ts';
import { PlanError } from '../errors.ts';

const MAX_CHOICES = 20;

export const sameName = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

interface DimensionMember {
  readonly entity: ModelEntity;
  readonly dimension: ModelDimension;
}

/** `measure` is `undefined` for the row count that every entity has. */
interface MeasureMember {
  readonly entity: ModelEntity;
  readonly measure: Measure | undefined;
}

/** A named condition: a segment, or a glossary term with SQL. */
interface NamedCondition {
  readonly entity: ModelEntity;
  readonly label: string;
  readonly sql: string;
}

const full = (entity: ModelEntity, member: { readonly name: string }) => `${entity.name}.${member.name}`;

const bare = (text: string) => text.slice(text.lastIndexOf('.') + 1);

/** The texts most like `wanted` first, by the share of common pairs of letters. */
export function byLikeness(wanted: string, texts: readonly string[], partOf = (text: string) => text): string[] {
  const pairsOf = (text: string) => {
    const letters = partOf(text).toLowerCase();
    return new Set(Array.from({ length: Math.max(0, letters.length - 1) }, (_, at) => letters.slice(at, at + 2)));
  };
  const own = pairsOf(wanted);
  const likeness = (text: string) => {
    const pairs = pairsOf(text);
    return own.intersection(pairs).size / Math.max(1, own.size + pairs.size);
  };
  const measured = texts.map((text) => ({ text, likeness: likeness(text) })).sort((a, b) => b.likeness - a.likeness);
  return measured.map(({ text }) => text);
}

function unknown(kind: string, name: string, known: readonly string[]): PlanError {
  const close = nearest(bare(name), known.map(bare));
  const meant = known.filter((candidate) => bare(candidate) === close);
  const hint = meant.length > 0 ? ` Did you mean ${meant.join(' or ')}?` : '';
  const choices = [...new Set([...meant, ...byLikeness(name, known, bare)])].slice(0, MAX_CHOICES);
  return new PlanError('unknown_name', `The semantic layer has no ${kind} ${JSON.stringify(name)}.${hint}`, choices);
}

function only<T>(kind: string, name: string, found: readonly T[], label: (item: T) => string): T | undefined {
  if (found.length <= 1) return found[0];
  const choices = found.map(label);
  throw new PlanError(
    'ambiguous_name',
    `${JSON.stringify(name)} is the name of several ${kind}s: ${choices.join(', ')}. Say which one.`,
    choices,
  );
}

export class Names {
  readonly #model: SemanticModel;

  constructor(model: SemanticModel) {
    this.#model = model;
  }

  entity(name: string): ModelEntity {
    const entity = this.#model.entity(name);
    if (entity !== undefined) return entity;
    throw unknown(
      'entity',
      name,
      this.#model.entities.map((known) => known.name),
    );
  }

  /** Splits `entity.member` when the part before the last dot is an entity. */
  #split(name: string): { entity: ModelEntity; member: string } | undefined {
    const dot = name.lastIndexOf('.');
    const entity = dot > 0 ? this.#model.entity(name.slice(0, dot)) : undefined;
    return entity && { entity, member: name.slice(dot + 1) };
  }

  #all<T>(of: (entity: ModelEntity) => readonly T[]): { entity: ModelEntity; member: T }[] {
    return this.#model.entities.flatMap((entity) => of(entity).map((member) => ({ entity, member })));
  }

  /** A hidden dimension is refused like one that does not exist. */
  dimension(name: string): DimensionMember {
    const visible = (entity: ModelEntity) => entity.dimensions.filter((dimension) => dimension.hidden !== true);
    const split = this.#split(name);
    if (split !== undefined) {
      const { entity } = split;
      const dimension = visible(entity).find((known) => sameName(known.name, split.member));
      if (dimension !== undefined) return { entity, dimension };
      throw unknown(
        'dimension',
        name,
        visible(entity).map((known) => full(entity, known)),
      );
    }
    const all = this.#all(visible);
    const found = all.filter(({ member }) => sameName(member.name, name));
    const one = only('dimension', name, found, ({ entity, member }) => full(entity, member));
    if (one !== undefined) return { entity: one.entity, dimension: one.member };
    throw unknown(
      'dimension',
      name,
      all.map(({ entity, member }) => full(entity, member)),
    );
  }

  /** Finds a metric by id, a measure, or `entity.count`. */
  measure(name: string): MeasureMember | ModelMetric {
    const metric = this.#model.metric(name);
    if (metric !== undefined) return metric;
    const split = this.#split(name);
    if (split !== undefined) return this.measureOf(split.entity, split.member);
    const all = this.#all((entity) => entity.measures);
    const found = all.filter(({ member }) => sameName(member.name, name));
    const one = only('measure', name, found, ({ entity, member }) => full(entity, member));
    if (one !== undefined) return { entity: one.entity, measure: one.member };
    if (sameName(name, 'count')) {
      const counts = only('measure', name, this.#model.entities, (entity) => `${entity.name}.count`);
      if (counts !== undefined) return { entity: counts, measure: undefined };
    }
    const known = [
      ...this.#model.metrics.map(({ id }) => id),
      ...all.map(({ entity, member }) => full(entity, member)),
    ];
    throw unknown('measure or metric', name, known);
  }

  measureOf(entity: ModelEntity, name: string): MeasureMember {
    const measure = entity.measures.find((known) => sameName(known.name, name));
    if (measure !== undefined || sameName(name, 'count')) return { entity, measure };
    throw unknown('measure', `${entity.name}.${name}`, [
      ...entity.measures.map((known) => full(entity, known)),
      `${entity.name}.count`,
    ]);
  }

  condition(name: string): NamedCondition {
    const split = this.#split(name);
    const own = split?.entity.segments.find((segment) => sameName(segment.name, split.member));
    if (split !== undefined && own !== undefined) {
      return { entity: split.entity, label: full(split.entity, own), sql: own.sql };
    }
    const segments = this.#all((entity) => entity.segments);
    const found = segments.filter(({ member }) => sameName(member.name, name));
    const one = only('segment', name, found, ({ entity, member }) => full(entity, member));
    if (one !== undefined) return { entity: one.entity, label: full(one.entity, one.member), sql: one.member.sql };
    const term = this.#term(name);
    if (term !== undefined) return term;
    throw unknown('segment or term', name, [
      ...segments.map(({ entity, member }) => full(entity, member)),
      ...this.#model.glossary.map(({ term }) => term),
    ]);
  }

  #term(name: string): NamedCondition | undefined {
    for (const { meanings } of this.#model.glossary) {
      for (const meaning of meanings ?? []) {
        if (typeof meaning === 'string' || !sameName(meaning.name, name)) continue;
        if (meaning.entity !== undefined && meaning.sql !== undefined) {
          return { entity: this.entity(meaning.entity), label: meaning.name, sql: meaning.sql };
        }
      }
    }
    const term = this.#model.glossary.find(
      (known) => sameName(known.term, name) || known.synonyms?.some((synonym) => sameName(synonym, name)),
    );
    if (term === undefined) return undefined;
    if (term.status === 'ambiguous') {
      const choices = (term.meanings ?? []).map((meaning) => (typeof meaning === 'string' ? meaning : meaning.name));
      throw new PlanError(
        'ambiguous_name',
        `"${term.term}" has several meanings: ${choices.join(', ')}. Say which one.`,
        choices,
      );
    }
    const entity = term.entity ?? (term.tables?.length === 1 ? term.tables[0] : undefined);
    if (entity === undefined || term.sql === undefined) {
      throw new PlanError(
        'invalid_plan',
        `"${term.term}" has no condition in the semantic layer; filter on a dimension instead.`,
      );
    }
    return { entity: this.entity(entity), label: term.term, sql: term.sql };
  }
}
