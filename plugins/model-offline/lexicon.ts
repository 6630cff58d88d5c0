/** Everything the semantic layer names, found by the words people use for it. Built once per model. */
import type {
  Measure,
  ModelDimension,
  ModelEntity,
  ModelMetric,
  ModelTerm,
  Segment,
  SemanticModel,
} from '../semantic-layer/index.ts';
import { entityName, type JoinGraph, joinColumns, joinGraph } from './graph.ts';
import { isFunctionWord } from './vocabulary.ts';
import { keyOf, nameWords, rootKeyOf, stem } from './words.ts';

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
  /** Words for one row and for several, for answers. */
  /** Words of the name of one row. */
  readonly words: readonly string[];
  /** Keys of the entity's own names. */
  readonly keys: ReadonlySet<string>;
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
  ratio: [],
};
const lexicons = new WeakMap<SemanticModel, Lexicon>();

/** The lexicon of a model; made on first use and kept as long as the model lives. */
export function lexiconOf(model: SemanticModel): Lexicon {
  const known = lexicons.get(model);
  if (known) return known;
  const lexicon = buildLexicon(model);
  lexicons.set(model, lexicon);
  return lexicon;
}

function buildLexicon(model: SemanticModel): Lexicon {
  const phrases: Index = new Map();
  const roots: Index = new Map();
  const measures = new Map<string, MeaningOf<'measure'>>();
  const vocabulary = new Map<string, Set<string>>();
  const entities = new Map<string, EntityEntry>();
  const joined = joinColumns(model);
  let longest = 1;

  // The same few phrases name things in many entities.
  const keys = new Map<string, { readonly key: string; readonly rootKey: string; readonly stems: readonly string[] }>();
  const keysOf = (words: readonly string[]) => {
    const text = words.join(' ');
    const known = keys.get(text) ?? { key: keyOf(words), rootKey: rootKeyOf(words), stems: words.map(stem) };
    keys.set(text, known);
    return known;
  };
  const add = (words: readonly string[], meaning: Meaning): void => {
    const { key, rootKey, stems } = keysOf(words);
    if (key === '') return;
    longest = Math.max(longest, words.length);
    const id = identity(meaning);
    put(phrases, key, id, meaning);
    put(roots, rootKey, id, meaning);
    if (meaning.kind === 'measure') measures.set(meaning.name, meaning);
    if (meaning.kind === 'value' && words.length > 3) return;
    for (const word of stems) {
      if (word.length < 4 || /\d/.test(word)) continue;
      const group = vocabulary.get(word[0]!) ?? new Set();
      vocabulary.set(word[0]!, group.add(word));
    }
  };

  for (const model_ of model.entities) {
    const entry = entityEntry(model, model_, joined);
    entities.set(entry.name, entry);
    for (const [words, rank] of entityPhrases(model_)) add(words, { kind: 'entity', entity: entry, rank });
    for (const dimension of entry.dimensions) {
      for (const [words, rank] of dimensionPhrases(dimension, entry))
        add(words, { kind: 'dimension', entity: entry, dimension, rank });
      for (const value of dimension.sample_values ?? []) {
        if (typeof value !== 'string' || dimension.type !== 'string') continue;
        const words = nameWords(value);
        if (words.join('').length > 0 && !/^\d+$/.test(words.join('')))
          add(words, { kind: 'value', entity: entry, dimension, value, rank: 3 });
      }
    }
    for (const measure of model_.measures)
      for (const [words, rank] of measurePhrases(measure.name, measure.synonyms, measure.type, entry))
        add(words, { kind: 'measure', entity: entry, name: `${entry.name}.${measure.name}`, measure, rank });
    for (const segment of model_.segments)
      for (const [words, rank] of namePhrases(segment.name, segment.synonyms))
        add(words, { kind: 'segment', entity: entry, segment, rank });
  }
  for (const metric of model.metrics) {
    const entity =
      metric.entity === undefined
        ? undefined
        : (model.entity(`${metric.source}.${metric.entity}`) ?? model.entity(metric.entity));
    const entry = entity && entities.get(entityName(model, entity));
    if (!entity || !entry) continue;
    const measure = entity.measures.find((item) => item.name === metric.measure);
    const meaning = { kind: 'measure', entity: entry, name: metric.id, metric, ...(measure && { measure }) } as const;
    const names = metric.label === undefined ? [metric.id] : [metric.id, metric.label];
    for (const name of names)
      for (const [words, rank] of measurePhrases(name, metric.synonyms, measure?.type ?? typeOfSql(metric.sql), entry))
        add(words, { ...meaning, rank });
  }
  for (const term of model.glossary)
    for (const [words, rank] of namePhrases(term.term, term.synonyms)) add(words, { kind: 'term', term, rank });
  return {
    model,
    graph: joinGraph(model),
    entities,
    measures,
    phrases: lists(phrases),
    roots: lists(roots),
    vocabulary,
    longest: Math.min(longest, 8),
  };
}

/** Meanings by key, each once, by its identity. */
type Index = Map<string, Map<string, Meaning>>;

function put(index: Index, key: string, id: string, meaning: Meaning): void {
  const known = index.get(key);
  if (known === undefined) index.set(key, new Map([[id, meaning]]));
  else if ((known.get(id)?.rank ?? -1) < meaning.rank) known.set(id, meaning);
}

const lists = (index: Index): Map<string, readonly Meaning[]> =>
  new Map([...index].map(([key, meanings]) => [key, [...meanings.values()]]));

/** Two meanings with the same identity are the same thing. */
export function identity(meaning: Meaning): string {
  switch (meaning.kind) {
    case 'entity':
      return `entity ${meaning.entity.name}`;
    case 'dimension':
      return `dimension ${meaning.entity.name}.${meaning.dimension.name}`;
    case 'measure':
      return `measure ${meaning.name}`;
    case 'value':
      return `value ${meaning.entity.name}.${meaning.dimension.name} ${meaning.value}`;
    case 'segment':
      return `segment ${meaning.entity.name}.${meaning.segment.name}`;
    case 'term':
      return `term ${meaning.term.term}`;
  }
}

type Phrase = readonly [words: readonly string[], rank: Closeness];

const NONE: ReadonlySet<string> = new Set();

function entityEntry(
  model: SemanticModel,
  entity: ModelEntity,
  joined: ReadonlyMap<string, ReadonlySet<string>>,
): EntityEntry {
  const words = nameWords(entity.name.replace(TABLE_PREFIX, ''));
  const last = words.at(-1) ?? entity.name;
  const single =
    last === 'people'
      ? 'person'
      : last
          .replace(/ies$/, 'y')
          .replace(/(ss|sh|ch|x)es$/, '$1')
          .replace(/([^s])s$/, '$1');
  const start = words.slice(0, -1);
  const plural =
    single !== last || stem(last) !== last
      ? last
      : last
          .replace(/([^aeiou])y$/, '$1ie')
          .replace(/(s|sh|ch|x)$/, '$1e')
          .concat('s');
  return {
    words: [...start, single],
    keys: new Set(entityPhrases(entity).map(([name]) => keyOf(name))),
    name: entityName(model, entity),
    model: entity,
    dimensions: entity.dimensions.filter((dimension) => dimension.hidden !== true),
    joinColumns: joined.get(entityName(model, entity)) ?? NONE,
    one: [...start, single].join(' '),
    many: [...start, plural].join(' '),
  };
}

function entityPhrases(entity: ModelEntity): Phrase[] {
  const table = entity.table.split('.').at(-1)!;
  const names: Phrase[] = [
    [nameWords(entity.name), 3],
    [nameWords(table), 3],
    [nameWords(entity.name.replace(TABLE_PREFIX, '')), 3],
    [nameWords(table.replace(TABLE_PREFIX, '')), 3],
  ];
  const words = nameWords(entity.name.replace(TABLE_PREFIX, ''));
  if (words.length > 1) names.push([words.slice(-1), 1]);
  return [...names, ...entity.synonyms.map((name): Phrase => [nameWords(name), 2])];
}

function namePhrases(name: string, synonyms: readonly string[] | undefined): Phrase[] {
  return [[nameWords(name), 3], ...(synonyms ?? []).map((synonym): Phrase => [withoutQuestion(nameWords(synonym)), 2])];
}

/** "how many orders" as a synonym is about "orders"; the rest is said by the question. */
const withoutQuestion = (words: readonly string[]): readonly string[] =>
  words[0] === 'how' && /^(many|much)$/.test(words[1] ?? '') ? words.slice(2) : words;

function dimensionPhrases(dimension: ModelDimension, entry: EntityEntry): Phrase[] {
  const words = nameWords(dimension.name);
  const out = namePhrases(dimension.name, dimension.synonyms);
  const isBirth = words.includes('birth') && (isTime(dimension) || isYear(dimension));
  if (isBirth) out.push([['born'], 1]);
  if (isTime(dimension))
    for (const [said] of [...out]) {
      // "delivery date" is also a delivery, "delivered on" also what was delivered.
      const short = said.slice(0, -1);
      if (short.length > 0 && DATE_WORD.test(said.at(-1)!) && !isEntityName(short, entry)) out.push([short, 1]);
    }
  const own = entry.words;
  const bare = keyOf(words.slice(0, own.length)) === keyOf(own) ? words.slice(own.length) : words;
  if (bare.length > 0 && bare.length < words.length) out.push([bare, 2]);
  const last = bare.at(-1) ?? '';
  const start = bare.slice(0, -1);
  if (start.length === 0) return out;
  if (dimension.type === 'boolean' && /^(is|has|was|can|did)$/.test(bare[0]!)) out.push([bare.slice(1), 2]);
  if (isTime(dimension) && DATE_WORD.test(last)) out.push([start, 1]);
  else if (/^(name|code|type|label)$/.test(last)) {
    out.push([start, 1]);
    if (last === 'name') out.push([[last], 1]);
  } else if (/^(id|key|number)$/.test(last)) out.push([start, 0]);
  else if (isYear(dimension)) out.push([start, 1]);
  return out;
}

const DATE_WORD = /^(at|on|date|time|day|datetime|timestamp|ts|dt)$/;

/** A year as a number: "published 1998". */
export const isYear = (dimension: ModelDimension): boolean =>
  dimension.type === 'number' && /^(year|yr)$/.test(nameWords(dimension.name).at(-1) ?? '');

export const isTime = (dimension: ModelDimension): boolean =>
  dimension.type === 'date' || dimension.type === 'timestamp';

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
    const short = named.includes(stems[0]!)
      ? words.slice(stems[1] === 'of' ? 2 : 1)
      : named.includes(stems.at(-1)!)
        ? words.slice(0, -1)
        : undefined;
    const plain = short ?? words;
    // The bare entity name stays the entity's: "orders" are rows, not a measure.
    if (short && short.length > 0 && !isEntityName(short, entry) && type !== 'avg' && type !== 'min' && type !== 'max')
      out.push([short, Math.min(rank, 2) as Closeness]);
    if (type === 'sum' && !isFunctionWord(plain[0] ?? ''))
      out.push([['total', ...plain], Math.min(rank, 2) as Closeness]);
    if (type === 'avg' && short) out.push([['average', ...short], rank]);
    if ((type === 'count' || type === 'count_distinct') && !isEntityName(plain, entry)) {
      out.push([[...plain, 'count'], 2], [['total', ...plain], 2]);
    }
  }
  return out;
}

/** "total" goes with a metric that adds up: a single sum or count, not one divided by another. */
const typeOfSql = (sql: string | undefined): Measure['type'] =>
  /^\s*(sum|count)\s*\([^()]*\)\s*$/i.test(sql ?? '') ? 'sum' : 'ratio';

const isEntityName = (words: readonly string[], entry: EntityEntry): boolean => entry.keys.has(keyOf(words));
