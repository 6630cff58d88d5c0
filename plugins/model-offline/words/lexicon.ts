/** Finds everything the semantic layer names by the words people use for it. Built once per model. */
import type { SemanticModel } from '../../semantic-layer/index.ts';
import { entityName, type JoinGraph, joinColumns, joinGraph } from './join-distance.ts';
import type { Measure, ModelDimension, ModelEntity, ModelMetric, ModelTerm, Segment } from './layer.ts';
import { keyOf, nameWords, rootKeyOf, stem } from './stem.ts';
import { isFunctionWord } from './vocabulary.ts';

/** How directly a name was given: 3 its own name, 2 a declared synonym, 1 shortened or derived, 0 the loosest form. */
export type Closeness = 0 | 1 | 2 | 3;

export type Meaning = { readonly rank: Closeness } & (
  | { readonly kind: 'entity'; readonly entity: EntityEntry }
  | { readonly kind: 'dimension'; readonly entity: EntityEntry; readonly dimension: ModelDimension }
  | {
      readonly kind: 'measure';
      readonly entity: EntityEntry;
      readonly name: string;
      readonly measure?: Measure;
      readonly metric?: ModelMetric;
    }
  | { readonly kind: 'value'; readonly entity: EntityEntry; readonly dimension: ModelDimension; readonly value: string }
  | { readonly kind: 'segment'; readonly entity: EntityEntry; readonly segment: Segment }
  | { readonly kind: 'term'; readonly term: ModelTerm }
);
export type MeaningOf<K extends Meaning['kind']> = Extract<Meaning, { kind: K }>;

export interface EntityEntry {
  /** The name plans use. */
  readonly name: string;
  readonly model: ModelEntity;
  readonly dimensions: readonly ModelDimension[];
  /** Columns that joins compare, in lower case. */
  readonly joinColumns: ReadonlySet<string>;
  /** Words of the name of one row. */
  readonly words: readonly string[];
  /** Keys of the entity's own names. */
  readonly keys: ReadonlySet<string>;
  /** What one row and several are called in answers. */
  readonly one: string;
  readonly many: string;
}

export interface Lexicon {
  readonly model: SemanticModel;
  readonly graph: JoinGraph;
  readonly entities: ReadonlyMap<string, EntityEntry>;
  /** Measures and metrics by the name that plans use. */
  readonly measures: ReadonlyMap<string, MeaningOf<'measure'>>;
  /** Meanings of a phrase by its key (`keyOf` of its words). */
  readonly phrases: ReadonlyMap<string, readonly Meaning[]>;
  /** The same by the roots of the words: found only where the key is not. */
  readonly roots: ReadonlyMap<string, readonly Meaning[]>;
  /** Words of all phrases, for spelling, grouped by first letter. */
  readonly vocabulary: ReadonlyMap<string, ReadonlySet<string>>;
  /** Words of the longest phrase. */
  readonly longest: number;
}

const TABLE_PREFIX = /^(dim|fact|fct|tbl|stg|vw)_/;
const AGGREGATES: Readonly<Record<string, readonly string[]>> = {
  sum: ['total'],
  avg: ['average'],
  count: ['total', 'count', 'number'],
  count_distinct: ['count', 'number', 'total'],
  min: ['minimum'],
  max: ['maximum'],
};
const LONGEST_PHRASE = 8;
const lexicons = new WeakMap<SemanticModel, Lexicon>();

/** The lexicon of a model; made on first use and kept as long as the model lives. */
export function lexiconOf(model: SemanticModel): Lexicon {
  const known = lexicons.get(model) ?? buildLexicon(model);
  lexicons.set(model, known);
  return known;
}

/** Meanings by key, each once, by its identity. */
type Index = Map<string, Map<string, Meaning>>;

function put(index: Index, key: string, id: string, meaning: Meaning): void {
  const known = index.get(key) ?? new Map<string, Meaning>();
  index.set(key, known);
  if ((known.get(id)?.rank ?? -1) < meaning.rank) known.set(id, meaning);
}

const lists = (index: Index): Map<string, readonly Meaning[]> =>
  new Map([...index].map(([key, found]) => [key, [...found.values()]]));

function buildLexicon(model: SemanticModel): Lexicon {
  const [phrases, roots]: Index[] = [new Map(), new Map()];
  const measures = new Map<string, MeaningOf<'measure'>>();
  const vocabulary = new Map<string, Set<string>>();
  const entities = new Map<string, EntityEntry>();
  const joined = joinColumns(model);
  let longest = 1;
  // The same few phrases name things in many entities.
  const keys = new Map<string, { readonly key: string; readonly rootKey: string; readonly stems: readonly string[] }>();
  const add = (found: readonly Phrase[], meaning: MeaningWithoutRank): void => {
    for (const [words, rank] of found) {
      const text = words.join(' ');
      const known = keys.get(text) ?? { key: keyOf(words), rootKey: rootKeyOf(words), stems: words.map(stem) };
      keys.set(text, known);
      if (known.key === '') continue;
      longest = Math.max(longest, words.length);
      const ranked = { ...meaning, rank } as Meaning;
      const id = identity(ranked);
      put(phrases!, known.key, id, ranked);
      put(roots!, known.rootKey, id, ranked);
      if (ranked.kind === 'measure') measures.set(ranked.name, ranked);
      if (ranked.kind === 'value' && words.length > 3) continue;
      for (const word of known.stems)
        if (word.length >= 4 && !/\d/.test(word))
          vocabulary.set(word[0]!, (vocabulary.get(word[0]!) ?? new Set()).add(word));
    }
  };
  for (const one of model.entities) {
    const entity = entityEntry(model, one, joined);
    entities.set(entity.name, entity);
    add(entityPhrases(one), { kind: 'entity', entity });
    for (const dimension of entity.dimensions) {
      add(dimensionPhrases(dimension, entity), { kind: 'dimension', entity, dimension });
      for (const value of dimension.sample_values ?? []) {
        const words = typeof value === 'string' && dimension.type === 'string' ? nameWords(value) : [];
        if (/\D/.test(words.join(''))) add([[words, 3]], { kind: 'value', entity, dimension, value: value as string });
      }
    }
    for (const measure of one.measures)
      add(measurePhrases(measure.name, measure.synonyms, measure.type, entity), {
        kind: 'measure',
        entity,
        name: `${entity.name}.${measure.name}`,
        measure,
      });
    for (const segment of one.segments)
      add(namePhrases(segment.name, segment.synonyms), { kind: 'segment', entity, segment });
  }
  for (const metric of model.metrics) {
    const found = metric.entity && (model.entity(`${metric.source}.${metric.entity}`) ?? model.entity(metric.entity));
    const entity = found && entities.get(entityName(model, found));
    if (!found || !entity) continue;
    const measure = found.measures.find(({ name }) => name === metric.measure);
    for (const name of [metric.id, metric.label ?? metric.id])
      add(measurePhrases(name, metric.synonyms, measure?.type ?? typeOfSql(metric.sql), entity), {
        kind: 'measure',
        entity,
        name: metric.id,
        metric,
        ...(measure && { measure }),
      });
  }
  for (const term of model.glossary) add(namePhrases(term.term, term.synonyms), { kind: 'term', term });
  return {
    model,
    graph: joinGraph(model),
    entities,
    measures,
    phrases: lists(phrases!),
    roots: lists(roots!),
    vocabulary,
    longest: Math.min(longest, LONGEST_PHRASE),
  };
}

type WithoutRank<M> = M extends Meaning ? Omit<M, 'rank'> : never;
type MeaningWithoutRank = WithoutRank<Meaning>;

/** Two meanings with the same identity are the same thing. */
function identity(meaning: Meaning): string {
  if (meaning.kind === 'term') return `term ${meaning.term.term}`;
  if (meaning.kind === 'measure') return `measure ${meaning.name}`;
  const part =
    meaning.kind === 'segment' ? meaning.segment.name : meaning.kind === 'entity' ? '' : meaning.dimension.name;
  return `${meaning.kind} ${meaning.entity.name}.${part} ${meaning.kind === 'value' ? meaning.value : ''}`;
}

type Phrase = readonly [words: readonly string[], rank: Closeness];

const singular = (word: string): string =>
  word === 'people'
    ? 'person'
    : word
        .replace(/ies$/, 'y')
        .replace(/(ss|sh|ch|x)es$/, '$1')
        .replace(/([^s])s$/, '$1');
const plural = (word: string): string => `${word.replace(/([^aeiou])y$/, '$1ie').replace(/(s|sh|ch|x)$/, '$1e')}s`;

function entityEntry(
  model: SemanticModel,
  entity: ModelEntity,
  joined: ReadonlyMap<string, ReadonlySet<string>>,
): EntityEntry {
  const words = nameWords(entity.name.replace(TABLE_PREFIX, ''));
  const last = words.at(-1) ?? entity.name;
  const start = words.slice(0, -1);
  const one = singular(last);
  const many = one !== last || stem(last) !== last ? last : plural(last);
  const name = entityName(model, entity);
  return {
    name,
    model: entity,
    words: [...start, one],
    keys: new Set(entityPhrases(entity).map(([phrase]) => keyOf(phrase))),
    dimensions: entity.dimensions.filter(({ hidden }) => hidden !== true),
    joinColumns: joined.get(name) ?? new Set(),
    one: [...start, one].join(' '),
    many: [...start, many].join(' '),
  };
}

function entityPhrases(entity: ModelEntity): Phrase[] {
  const names = [entity.name, entity.table.split('.').at(-1)!].flatMap((name) => [
    name,
    name.replace(TABLE_PREFIX, ''),
  ]);
  const words = nameWords(entity.name.replace(TABLE_PREFIX, ''));
  return [
    ...names.map((name): Phrase => [nameWords(name), 3]),
    ...(words.length > 1 ? [[words.slice(-1), 1] as const] : []),
    ...entity.synonyms.map((name): Phrase => [nameWords(name), 2]),
  ];
}

/** "how many orders" as a synonym is about "orders"; the rest is said by the question. */
const namePhrases = (name: string, synonyms: readonly string[] = []): Phrase[] => [
  [nameWords(name), 3],
  ...synonyms.map((synonym): Phrase => [nameWords(synonym.replace(/^how (many|much) /i, '')), 2]),
];

function dimensionPhrases(dimension: ModelDimension, entry: EntityEntry): Phrase[] {
  const words = nameWords(dimension.name);
  const out = namePhrases(dimension.name, dimension.synonyms);
  const isDated = isTime(dimension);
  if (isDated && words.includes('birth')) out.push([['born'], 1]);
  // "delivery date" is also a delivery, "delivered on" also what was delivered.
  for (const [said] of isDated || isYear(dimension) ? [...out] : []) {
    const short = said.slice(0, -1);
    if (short.length > 0 && DATE_WORD.test(said.at(-1)!) && !isEntityName(short, entry)) out.push([short, 1]);
  }
  // "customer name", "claim amount"
  for (const [said, rank] of isDated || dimension.type === 'boolean' ? [] : [...out])
    out.push([[...entry.words, ...said], rank]);
  const own = entry.words;
  const bare = keyOf(words.slice(0, own.length)) === keyOf(own) ? words.slice(own.length) : words;
  if (bare.length > 0 && bare.length < words.length) out.push([bare, 2]);
  const last = bare.at(-1) ?? '';
  const start = bare.slice(0, -1);
  if (start.length === 0) return out;
  if (dimension.type === 'boolean' && /^(is|has|was|can|did)$/.test(bare[0]!)) out.push([bare.slice(1), 2]);
  if (last === 'name') out.push([['name'], 1]);
  if (/^(name|code|type|label)$/.test(last) || (isDated && DATE_WORD.test(last))) out.push([start, 1]);
  else if (/^(id|key|number)$/.test(last)) out.push([start, 0]);
  return out;
}

const DATE_WORD = /^(at|on|date|time|day|datetime|timestamp|ts|dt|year)$/;

export const isTime = (dimension: ModelDimension): boolean =>
  dimension.type === 'date' || dimension.type === 'timestamp';
/** A number that is a year of the calendar. */
export const isYear = ({ type, name }: ModelDimension): boolean => type === 'number' && /(^|_)year$/i.test(name);

/** Names without the aggregate word they begin or end with: `total_revenue` is also "revenue", `avg_price` never "price". */
function measurePhrases(
  name: string,
  synonyms: readonly string[] | undefined,
  type: Measure['type'],
  entry: EntityEntry,
): Phrase[] {
  const out = namePhrases(name, synonyms);
  for (const [words, rank] of [...out]) {
    const stems = words.map(stem);
    const named = AGGREGATES[type] ?? [];
    const isFirst = named.includes(stems[0]!);
    const short = isFirst
      ? words.slice(stems[1] === 'of' ? 2 : 1)
      : named.includes(stems.at(-1)!)
        ? words.slice(0, -1)
        : undefined;
    const plain = short ?? words;
    const derived = Math.min(rank, 2) as Closeness;
    // The bare entity name stays the entity's: "orders" are rows, not a measure.
    if (short && short.length > 0 && !isEntityName(short, entry) && !/^(avg|min|max)$/.test(type))
      out.push([short, derived]);
    if (type === 'sum' && !isFunctionWord(plain[0] ?? '')) out.push([['total', ...plain], derived]);
    if (type === 'avg' && short) out.push([['average', ...short], rank]);
    if (type.startsWith('count') && !isEntityName(plain, entry))
      out.push([[...plain, 'count'], 2], [['total', ...plain], 2]);
  }
  return out;
}

/** "total" goes with a metric that adds up: a single sum or count, not one divided by another. */
const typeOfSql = (sql: string | undefined): Measure['type'] =>
  /^\s*(sum|count)\s*\([^()]*\)\s*$/i.test(sql ?? '') ? 'sum' : 'ratio';

const isEntityName = (words: readonly string[], entry: EntityEntry): boolean => entry.keys.has(keyOf(words));
