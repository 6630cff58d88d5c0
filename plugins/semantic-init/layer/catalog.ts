/** Says what each entity is for, with questions that are understood without a language model. */
import { offlineReader } from '../../model-offline/index.ts';
import { isCopy, nameKey, plural, singular, spoken } from '../../profile-kit/index.ts';
import {
  createModel,
  type ModelEntity,
  type ModelMetric,
  type ModelTerm,
  type SemanticModel,
} from '../../semantic-layer/index.ts';
import type { Dimension } from './dimensions.ts';
import type { Entity } from './entity.ts';

const { readQuestion } = await offlineReader();

const MAX_QUESTIONS = 3;
const MAX_USES = 4;
const MAX_NEIGHBORS = 20;
const MAX_NAMED = 5;
/** Questions are read as if asked at this time; none of them depends on it. */
const ASKED_AT = new Date(Date.UTC(2025, 0, 1));

const list = (words: readonly string[]) => new Intl.ListFormat('en').format(words.slice(0, MAX_NAMED));

interface Parts {
  readonly categories: readonly Dimension[];
  readonly times: readonly Dimension[];
}

function partsOf({ dimensions }: Entity): Parts {
  const shown = [...dimensions.values()].filter(({ hidden }) => hidden !== true);
  return {
    categories: shown.filter(({ sample_values: samples }) => samples !== undefined && samples.length > 1),
    times: shown.filter(({ type }) => type === 'date' || type === 'timestamp'),
  };
}

function usesOf(entity: Entity): string[] {
  const { name, measures, joins } = entity;
  const { categories, times } = partsOf(entity);
  const many = spoken(plural(name));
  const sums = measures.filter(({ type }) => type === 'sum').map((measure) => spoken(measure.name));
  const averages = measures.filter(({ type }) => type === 'avg').map((measure) => spoken(measure.name));
  const figures = sums.length > 0 ? sums : averages;
  const targets = [...new Set(joins.map(({ target }) => spoken(singular(target))))].filter(
    (target) => target !== spoken(singular(name)),
  );
  return [
    ...(figures.length > 0 ? [`${list(figures)} of ${many}`] : []),
    ...(categories.length > 0 ? [`${many} by ${list(categories.map((one) => spoken(one.name)))}`] : []),
    ...(times.length > 0 && entity.type === 'fact'
      ? [`${many} over time by ${list(times.map((one) => spoken(one.name)))}`]
      : []),
    ...(targets.length > 0 ? [`${many} by ${list(targets)}`] : []),
  ].slice(0, MAX_USES);
}

/** Questions about an entity, the most useful first; each as a list of ways to ask it. */
function questionsOf(entity: Entity): readonly (readonly string[])[] {
  const { name, type, measures, joins } = entity;
  if (isCopy(name)) return [];
  const { categories, times } = partsOf(entity);
  const many = spoken(plural(name));
  const one = spoken(singular(name));
  const sum = measures.find((measure) => measure.type === 'sum');
  const average = measures.find((measure) => measure.type === 'avg');
  const figure = sum && (sum.synonyms?.find((synonym) => synonym.startsWith('total ')) ?? spoken(sum.name));
  const targets = joins.filter((join) => join.target !== name && join.name === undefined).map(({ target }) => target);
  const groups = [
    ...categories.slice(0, 2).map((category) => [spoken(category.name), `${one} ${spoken(category.name)}`]),
    ...(type === 'fact' && times.length > 0 ? [['month']] : []),
    ...targets.slice(0, 2).map((target) => [spoken(singular(target))]),
  ];
  return [
    [`How many ${many} are there?`],
    ...(figure === undefined ? [] : groups.map((by) => by.map((group) => `What is the ${figure} by ${group}?`))),
    ...groups.map((by) => by.map((group) => `How many ${many} are there by ${group}?`)),
    ...(figure === undefined ? [] : [[`What is the ${figure}?`]]),
    ...(average?.synonyms?.[0] === undefined ? [] : [[`What is the ${average.synonyms[0]}?`]]),
  ];
}

/** The layer as the agent would load it. */
function modelOf(
  entities: readonly Entity[],
  metrics: readonly Record<string, unknown>[],
  glossary: readonly Record<string, unknown>[],
): SemanticModel {
  const place = { file: '', source: 'default' };
  const parts = entities.map(
    ({ profile: { table }, name, type, dimensions, measures, joins }): ModelEntity => ({
      name,
      table: table.name,
      type,
      description: table.comment ?? '',
      synonyms: [],
      dimensions: Array.from(
        dimensions.values(),
        ({ references: _, sample_values: samples, synonyms, ...dimension }) => ({
          ...dimension,
          sql: dimension.sql ?? dimension.name,
          ...(samples !== undefined && { sample_values: [...samples] }),
          ...(synonyms !== undefined && { synonyms: [...synonyms] }),
        }),
      ),
      measures: measures.map(({ synonyms, ...measure }) => ({
        ...measure,
        ...(synonyms && { synonyms: [...synonyms] }),
      })),
      joins: joins.map((join) => ({ ...join, name: join.name ?? join.target })),
      segments: [],
      queryPatterns: [],
      ...place,
    }),
  );
  return createModel(
    {
      entities: parts,
      metrics: metrics.map((metric) => ({ ...metric, ...place }) as unknown as ModelMetric),
      glossary: glossary.map((term) => ({ ...term, ...place }) as unknown as ModelTerm),
      catalog: undefined,
    },
    1,
    [],
  );
}

/** The entities that a question about one may mean: those that it joins, and those whose names share a word with its own. */
function neighborhoods(entities: readonly Entity[]): (entity: Entity) => readonly Entity[] {
  const byName = new Map(entities.map((entity) => [entity.name, entity]));
  const wordsOf = ({ name }: Entity) => name.split('_').map(nameKey);
  const byWord = new Map<string, Entity[]>();
  for (const entity of entities) {
    for (const word of wordsOf(entity)) {
      const known = byWord.get(word);
      if (known === undefined) byWord.set(word, [entity]);
      else known.push(entity);
    }
  }
  const joined = ({ joins }: Entity) => joins.flatMap(({ target }) => byName.get(target) ?? []);
  return (entity) => {
    const near = joined(entity);
    const named = wordsOf(entity).flatMap((word) => byWord.get(word) ?? []);
    const found = new Set([entity, ...near, ...near.flatMap(joined), ...named].slice(0, MAX_NEIGHBORS));
    // Joins to what is left out lead nowhere.
    const names = new Set(Array.from(found, ({ name }) => name));
    return Array.from(found, (one) => ({ ...one, joins: one.joins.filter(({ target }) => names.has(target)) }));
  };
}

/** The entries of the catalog. */
export function catalogOf(
  entities: readonly Entity[],
  metrics: readonly Record<string, unknown>[],
  glossary: readonly Record<string, unknown>[],
): Record<string, unknown>[] {
  const metricsOf = Map.groupBy(metrics, ({ entity }) => entity);
  const neighborsOf = neighborhoods(entities);
  const isAbout = (question: string, name: string, model: SemanticModel) => {
    const reading = readQuestion([question], model, { now: ASKED_AT });
    const [figure = ''] = (reading.kind === 'plan' && reading.plan.measures) || [];
    return figure.startsWith(`${name}.`) || model.metric(figure)?.entity === name;
  };
  return entities.map((entity) => {
    const { name, grain, profile } = entity;
    const uses = usesOf(entity);
    // In a large layer, reading a question over all entities takes too long.
    const neighbors = neighborsOf(entity);
    const named = neighbors.flatMap((one) => metricsOf.get(one.name) ?? []);
    const model = modelOf(neighbors, named, glossary);
    const questions: string[] = [];
    for (const ways of questionsOf(entity)) {
      const question = questions.length < MAX_QUESTIONS ? ways.find((way) => isAbout(way, name, model)) : undefined;
      if (question !== undefined) questions.push(question);
    }
    return {
      name,
      file: `entities/${name}.yml`,
      ...(grain !== undefined && { grain }),
      ...(profile.table.comment !== undefined && { description: profile.table.comment }),
      ...(uses.length > 0 && { use_for: uses }),
      ...(questions.length > 0 && { common_questions: questions }),
    };
  });
}
