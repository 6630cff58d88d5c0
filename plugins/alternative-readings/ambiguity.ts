/** Finds columns and measures of the semantic layer that a question may mean as well as the ones that were taken. */
import type { KnownMeasure } from '../provenance/index.ts';
import {
  isTime,
  type Measure,
  type ModelDimension,
  type ModelEntity,
  type ModelMetric,
  reads,
  type SemanticModel,
  visibleModel,
} from '../semantic-layer/index.ts';
import type { Member } from '../semantic-query/index.ts';
import { fold } from '../sql-kit/index.ts';
import { isTimeWord, type Said, type Word, wordsOf } from './question-words.ts';

/** A measure or metric by the words that name it. */
export interface NamedMeasure extends KnownMeasure {
  /** Whose rows it is about. */
  readonly entity: ModelEntity;
  readonly type: Measure['type'] | 'expression';
  readonly phrases: readonly (readonly Word[])[];
}

/** Rows were born then, or something was done to their record: questions about a period do not mean that. */
const OF_PEOPLE = /birth|born|(?:^|_)dob(?:$|_)|death|deceased/i;
const OF_RECORDS =
  /^(?:(?:row|record|etl|db|dw|sys|system|last)_)?(?:created|updated|modified|changed|edited|inserted|loaded|ingested|imported|synced|synchronized|refreshed|deleted|archived|valid)(?:_|$)/i;

const snake = (name: string) => name.replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1_$2');

/** Whether a period of the entity's rows may be about this time: decided by the layer. */
function isRowTime(dimension: ModelDimension, { rowCount }: ModelEntity): boolean {
  const { name, synonyms = [], null_count: missing = 0, mask, hidden } = dimension;
  if (!isTime(dimension) || mask !== undefined || hidden === true || OF_PEOPLE.test(name)) return false;
  // A layer that calls it by other words wants to be asked by it.
  if (OF_RECORDS.test(snake(name)) && synonyms.length === 0) return false;
  // What most rows have not happened to is no time of theirs.
  return rowCount === undefined || missing * 2 <= rowCount;
}

/** Synonyms, and what it is called in other languages. */
const otherWords = ({ synonyms = [], translations = {} }: Pick<Partial<ModelEntity>, 'synonyms' | 'translations'>) =>
  [...synonyms, ...Object.values(translations).flat()].map(wordsOf);

/** What words may mean in one model. Of an entity it is worked out when a result first is about its rows. */
export class Ambiguity {
  readonly #entities: ReadonlyMap<string, ModelEntity>;
  readonly #byTable: ReadonlyMap<string, ModelEntity>;
  readonly #metrics: ReadonlyMap<string, readonly ModelMetric[]>;
  readonly #known = new WeakMap<ModelEntity, EntityWords>();
  readonly #measuresByName: MeasuresByName;

  constructor(model: SemanticModel, measuresByName: MeasuresByName) {
    const { entities, metrics } = visibleModel(model);
    this.#measuresByName = measuresByName;
    this.#entities = new Map(entities.map((one) => [fold(one.name), one]));
    this.#byTable = new Map(entities.map((one) => [fold(one.table), one]));
    this.#metrics = Map.groupBy(metrics, entityNameOf);
  }

  /** Whether a statement over these tables may have another reading; some microseconds. */
  isPossible(tables: readonly string[] | undefined, said: () => Said): boolean {
    if (tables === undefined) return true;
    return tables.some((name) => {
      const entity = this.#byTable.get(fold(name.replace(/^.*\./, '')));
      const words = entity && this.#of(entity);
      if (words === undefined) return false;
      return words.hasTimes || (words.shared.size > 0 && said().words.some(({ root }) => words.shared.has(root)));
    });
  }

  /** The other times of the entity that the question may mean; none where it names one of them. */
  otherTimes({ entity, dimension: taken }: Member, said: Said, measure: NamedMeasure | undefined): ModelDimension[] {
    const { rows, masked } = this.#of(entity);
    const isSaid = matcherOf(tellingWords(said, rows, measure));
    const others = entity.dimensions.filter(
      (one) => one !== taken && isRowTime(one, entity) && !reads(one.sql, masked),
    );
    const isNamed = (one: ModelDimension) =>
      columnPhrases(one, entity, rows).some((words) => words.every(({ root }) => isSaid(root)));
    return reads(taken.sql, masked) || [taken, ...others].some(isNamed) ? [] : others;
  }

  /** The other measures of the entity that the words of the question name as well as this one. */
  otherMeasures(taken: NamedMeasure, { words }: Said): NamedMeasure[] {
    const { rows, measures } = this.#of(taken.entity);
    const asked = new Set(words.map(({ root }) => root));
    const own = bestMatch(taken, asked, rows);
    if (own === undefined) return [];
    return measures.filter((one) => {
      if (one.name === taken.name || one.type !== taken.type || one.sql === taken.sql) return false;
      const match = bestMatch(one, asked, rows);
      return match?.isWhole === own.isWhole && match.words === own.words;
    });
  }

  /** By `entity.measure`, or the id of a metric. */
  measure(name: string): NamedMeasure | undefined {
    const isOwn = (one: { readonly id?: string; readonly name?: string }) =>
      fold(one.id ?? one.name ?? '') === fold(name);
    const metric = [...this.#metrics.values()].flat().find(isOwn);
    const owner = metric === undefined ? name.slice(0, Math.max(0, name.lastIndexOf('.'))) : entityNameOf(metric);
    const entity = this.#entities.get(fold(owner));
    return entity && this.#of(entity).measures.find(isOwn);
  }

  #of(entity: ModelEntity): EntityWords {
    const known = this.#known.get(entity) ?? this.#read(entity);
    this.#known.set(entity, known);
    return known;
  }

  #read(entity: ModelEntity): EntityWords {
    const { dimensions, joins } = entity;
    const near = [entity, ...joins.flatMap(({ target }) => this.#entities.get(fold(target)) ?? [])];
    const rows = near.flatMap((one) => [
      ...wordsOf(one.name),
      ...otherWords(one).flatMap((phrase) => (phrase.length === 1 ? phrase : [])),
    ]);
    const hidden = dimensions.filter(({ mask }) => mask !== undefined).flatMap((one) => [one.name, one.sql]);
    const masked = new Set(hidden.map(fold));
    const found = {
      hasTimes: dimensions.filter(isTime).length > 1 && dimensions.some((time) => isRowTime(time, entity)),
      rows: new Set(rows.map(({ plain }) => plain)),
      masked,
      measures: this.#measuresOf(entity, masked),
    };
    return { ...found, shared: sharedWords(found) };
  }

  /** Without those that read masked columns. */
  #measuresOf(entity: ModelEntity, masked: ReadonlySet<string>): NamedMeasure[] {
    const metrics = this.#metrics.get(entity.name) ?? [];
    const known = this.#measuresByName([entity], metrics);
    const typeOf = ({ measure }: ModelMetric) =>
      entity.measures.find(({ name }) => name === measure?.replace(/^.*\./, ''))?.type ?? ('expression' as const);
    const named = [
      ...entity.measures.map((one) => ({ name: `${entity.name}.${one.name}`, type: one.type, words: one })),
      ...metrics.map((one) => ({ name: one.id, type: typeOf(one), words: one })),
    ];
    return named.flatMap(({ name, type, words }) => {
      const measure = known.get(fold(name));
      if (measure === undefined || reads(measure.sql, masked)) return [];
      const phrases = [wordsOf(measure.words), ...otherWords(words)].filter((phrase) => phrase.length > 0);
      return [{ ...measure, entity, type, phrases }];
    });
  }
}

type MeasuresByName = (entities: ModelEntity[], metrics: readonly ModelMetric[]) => ReadonlyMap<string, KnownMeasure>;

interface EntityWords {
  /** A period of its rows may be about several times. */
  readonly hasTimes: boolean;
  /** What its rows are called, and those beside them. */
  readonly rows: ReadonlySet<string>;
  /** Names of masked columns. */
  readonly masked: ReadonlySet<string>;
  readonly measures: readonly NamedMeasure[];
  /** Words of several measures of one type. */
  readonly shared: ReadonlySet<string>;
}

const entityNameOf = ({ entity, measure }: ModelMetric): string =>
  measure?.includes('.') ? measure.slice(0, measure.lastIndexOf('.')) : (entity ?? '');

function sharedWords({ measures, rows }: Pick<EntityWords, 'measures' | 'rows'>): ReadonlySet<string> {
  const owners = new Map<string, { readonly root: string; readonly names: Set<string> }>();
  for (const { name, type, phrases } of measures)
    for (const { root, plain } of phrases.flat()) {
      if (rows.has(plain)) continue;
      const key = `${root} ${type}`;
      const { names } = owners.get(key) ?? { names: new Set<string>() };
      owners.set(key, { root, names: names.add(name) });
    }
  return new Set([...owners.values()].flatMap(({ root, names }) => (names.size > 1 ? [root] : [])));
}

const MIN_PREFIX = 4;
/** Stems of what is often done to rows, whose forms do not begin alike. */
const IRREGULAR = new Map(
  [
    'pai paid payment',
    'send sent',
    'sell sold sale',
    'bui bought',
    'begin began begun',
    'leav left',
    'close closur',
  ].flatMap((forms) => forms.split(' ').map((one, _, [first = one]) => [one, first] as const)),
);
const formOf = (root: string) => IRREGULAR.get(root) ?? root;

/** Whether a word was said, also as the noun of a verb, whose stem is longer: "delivery" of `delivered_at`. */
function matcherOf(said: ReadonlySet<string>): (root: string) => boolean {
  const forms = new Set([...said].map(formOf));
  const beginnings = new Set([...said].flatMap(beginningsOf));
  return (root) => forms.has(formOf(root)) || beginnings.has(root) || beginningsOf(root).some((one) => said.has(one));
}

const beginningsOf = (root: string): string[] =>
  Array.from({ length: Math.max(0, root.length - MIN_PREFIX + 1) }, (_, at) => root.slice(0, MIN_PREFIX + at));

/** The words that may name a column: not those for rows or for the measure. */
function tellingWords(
  { words, dated }: Said,
  rows: ReadonlySet<string>,
  { phrases = [] }: Partial<Pick<NamedMeasure, 'phrases'>> = {},
): ReadonlySet<string> {
  const asked = new Set(words.map(({ root }) => root));
  const isSaid = (phrase: readonly Word[]) => phrase.every(({ root }) => asked.has(root));
  const ofMeasure = new Set([...phrases.slice(0, 1), ...phrases.filter(isSaid)].flat().map(({ plain }) => plain));
  const telling = words.filter(({ plain }) => !rows.has(plain) && !ofMeasure.has(plain));
  return new Set([...telling.map(({ root }) => root), ...dated]);
}

/**
 * What names a time, of which all words must be said: its names without words such as "date", and each word of its
 * description that names nothing else.
 */
function columnPhrases(column: ModelDimension, { dimensions, measures }: ModelEntity, rows: ReadonlySet<string>) {
  const telling = (words: readonly Word[]) => words.filter((word) => !isTimeWord(word));
  const [sentence = ''] = (column.description ?? '').split(/[.;\n]/, 1);
  const others = [...measures, ...dimensions.filter((one) => !isTime(one))].flatMap(({ name }) => wordsOf(name));
  const names = new Set([...rows, ...others.map(({ plain }) => plain)]);
  const hints = telling(wordsOf(sentence)).filter(({ plain }) => !names.has(plain));
  const phrases = [wordsOf(column.name), ...otherWords(column)].map(telling);
  return [...phrases.filter((phrase) => phrase.length > 0), ...hints.map((hint) => [hint])];
}

/** The most words of one of its names that the question has, besides those for rows. */
function bestMatch({ phrases }: NamedMeasure, asked: ReadonlySet<string>, rows: ReadonlySet<string>) {
  let best: { readonly isWhole: boolean; readonly count: number; readonly words: string } | undefined;
  for (const phrase of phrases) {
    const hit = phrase.filter(({ root, plain }) => asked.has(root) && !rows.has(plain));
    if (hit.length === 0) continue;
    const isWhole = phrase.every(({ root }) => asked.has(root));
    const isBetter = best === undefined || (isWhole === best.isWhole ? hit.length > best.count : isWhole);
    const words = [...new Set(hit.map(({ root }) => root))].toSorted().join(' ');
    if (isBetter) best = { isWhole, count: hit.length, words };
  }
  return best;
}
