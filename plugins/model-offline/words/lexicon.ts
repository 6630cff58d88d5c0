/** Finds everything the semantic layer names by the words people use for it. Built once per model. */
import { setImmediate } from 'node:timers/promises';
import { isColumnTerm, type SemanticModel } from '../../semantic-layer/index.ts';
import { entityName, type JoinGraph, joinGraph } from './join-distance.ts';
import type { Measure, ModelDimension, ModelEntity, ModelMetric, ModelTerm, Segment } from './layer.ts';
import { isFunctionWord, isUnit } from './vocabulary.ts';
import { fullName, isDerived, keyOf, nameWords, rootKey, spoken, stem } from './words.ts';

/** How directly a name was given: 3 its own name, 2 a declared synonym, 1 shortened or derived, 0 the loosest form. */
export type Closeness = 0 | 1 | 2 | 3;
type Thing =
  | { readonly kind: 'entity' }
  | { readonly kind: 'dimension'; readonly dimension: ModelDimension }
  | { readonly kind: 'measure'; readonly name: string; readonly measure?: Measure; readonly metric?: ModelMetric }
  | { readonly kind: 'value'; readonly dimension: ModelDimension; readonly value: string }
  | { readonly kind: 'segment'; readonly segment: Segment };
export type Meaning = { readonly rank: Closeness } & (
  | (Thing & { readonly entity: EntityEntry })
  | { readonly kind: 'term'; readonly term: ModelTerm }
);
export type MeaningOf<K extends Meaning['kind']> = Extract<Meaning, { kind: K }>;

/**
 * `name`: as plans use it. `joinColumns`: columns that joins compare, in lower case. `words`: of the name of one row.
 * `keys`: of the entity's own names; `stems`: of its words. `one`, `many`: what one row and several are called in answers.
 */
export type EntityEntry = Readonly<{ name: string; model: ModelEntity; dimensions: readonly ModelDimension[] }> &
  Readonly<{ joinColumns: ReadonlySet<string>; keys: ReadonlySet<string>; words: readonly string[] }> &
  Readonly<{ one: string; many: string; stems: readonly string[] }>;

type ByName<T> = ReadonlyMap<string, T>;
/**
 * `measures`: and metrics, by the name that plans use. `phrases`: meanings by `keyOf` their words, `roots`: by what these
 * have in common with a verb. `longest`: in words. `words`: stems of the words of names.
 */
export type Lexicon = Readonly<{ model: SemanticModel; graph: JoinGraph; entities: ByName<EntityEntry> }> &
  Readonly<{ longest: number; measures: ByName<MeaningOf<'measure'>>; phrases: ByName<readonly Meaning[]> }> &
  Readonly<{ roots: ByName<readonly Meaning[]>; words: ReadonlySet<string> }>;

const TABLE_PREFIX = /^(dim|fact|fct|tbl|stg|vw)_/;
/** What the names of figures of a type may begin or end with, beside what they measure. */
const AGGREGATES: Readonly<Record<string, string>> = {
  ...{ sum: 'total', avg: 'average', min: 'minimum', max: 'maximum' },
  ...{ count: 'total count number', count_distinct: 'count number total' },
};
const lexicons = new WeakMap<SemanticModel, Lexicon>();
const building = new WeakMap<SemanticModel, Generator<void>>();

/** The steps that are still to be done; whoever takes one does it for all who wait. */
function stepsOf(model: SemanticModel): Generator<void> {
  const steps = building.get(model) ?? buildLexicon(model);
  building.set(model, steps);
  return steps;
}

/** The lexicon of a model. That of 2,000 entities takes half a second: prepare it first, while other requests run. */
export function lexiconOf(model: SemanticModel): Lexicon {
  stepsOf(model).forEach(() => {});
  return lexicons.get(model)!;
}

export async function prepareLexicon(model: SemanticModel): Promise<void> {
  for (const _ of stepsOf(model)) await setImmediate();
}

type Phrase = readonly [words: readonly string[], rank: Closeness];
/** Meanings by key, each once, by its identity. */
type Index = Map<string, Map<string, Meaning>>;
type WithoutRank<M> = M extends Meaning ? Omit<M, 'rank'> : never;

function* buildLexicon(model: SemanticModel): Generator<void> {
  const phrases: Index = new Map();
  const roots: Index = new Map();
  const known = new Set<string>();
  const measures = new Map<string, MeaningOf<'measure'>>();
  const entities = new Map<string, EntityEntry>();
  const graph = joinGraph(model);
  let longest = 1;
  const add = (found: readonly Phrase[], id: string, meaning: WithoutRank<Meaning>): void => {
    for (const [words, rank] of found.filter(([{ length }]) => length > 0)) {
      const ranked = { ...meaning, rank } as Meaning;
      longest = Math.min(Math.max(longest, words.length), 8);
      note(phrases, keyOf(words), id, ranked);
      // "checked in" of check-ins, "cancellations" of what was cancelled
      if (words.length === 1 || (words.length === 2 && ranked.kind === 'entity' && words[1]!.length < 4)) {
        const root = rootKey(words.length === 2 ? words.map(singular) : words);
        if (root[0] !== '~' || isVerbal(ranked)) note(roots, root, id, { ...ranked, rank: 0 });
      }
      for (const word of words) known.add(stem(word));
      if (ranked.kind === 'measure') measures.set(ranked.name, ranked);
    }
  };
  for (const one of model.entities) {
    const name = entityName(model, one);
    const entity = entityEntry(name, one, graph.columns(name));
    yield void entities.set(name, entity);
    add(entityPhrases(one), name, { kind: 'entity', entity });
    if (isPeople(entity)) add([[['people'], 1]], name, { kind: 'entity', entity });
    for (const dimension of entity.dimensions) {
      const id = `${name}.${dimension.name}`;
      add(dimensionPhrases(dimension, entity), id, { kind: 'dimension', entity, dimension });
      for (const value of (dimension.type === 'string' && dimension.sample_values) || []) {
        const words = nameWords(String(value));
        if (/\D/.test(words.join('')))
          add([[words, 3]], `${id} ${value}`, { kind: 'value', entity, dimension, value: String(value) });
      }
    }
    for (const measure of one.measures) {
      const full = `${name}.${measure.name}`;
      const found = measurePhrases(measure.name, measure.synonyms, measure.type, entity);
      add(found, `measure ${full}`, { kind: 'measure', entity, name: full, measure });
    }
    for (const segment of one.segments)
      add(namePhrases(segment.name, segment.synonyms), `${name} ${segment.name}`, { kind: 'segment', entity, segment });
  }
  for (const metric of model.metrics) {
    const found = metric.entity && (model.entity(`${metric.source}.${metric.entity}`) ?? model.entity(metric.entity));
    const entity = found && entities.get(entityName(model, found));
    if (!found || !entity) continue;
    const measure = found.measures.find(({ name }) => name === metric.measure);
    // "total" goes with a metric that adds up: a single sum or count, not one divided by another.
    const isTotal = /^\s*(sum|count)\s*\([^()]*\)\s*$/i.test(metric.sql ?? '');
    const type = measure?.type ?? (isTotal ? 'sum' : 'ratio');
    for (const name of [metric.id, metric.label ?? metric.id]) {
      const meaning = { kind: 'measure', entity, name: metric.id, metric, ...(measure && { measure }) } as const;
      add(measurePhrases(name, metric.synonyms, type, entity), `measure ${metric.id}`, meaning);
    }
  }
  for (const term of model.glossary.filter((one) => !isColumnTerm(one)))
    add(namePhrases(term.term, term.synonyms), `term ${term.term}`, { kind: 'term', term });
  // Facts come before views of them.
  const isView = (one: Meaning): boolean => one.kind !== 'term' && one.entity.model.type === 'view';
  const factsOf = (all: readonly Meaning[]): readonly Meaning[] =>
    all.length < 2 || all.every(isView) ? all : all.filter((one) => !isView(one));
  const all = (index: Index) => new Map([...index].map(([key, found]) => [key, factsOf([...found.values()])]));
  const [byPhrase, byRoot] = [all(phrases), all(roots)];
  lexicons.set(model, { model, graph, entities, measures, phrases: byPhrase, roots: byRoot, words: known, longest });
}

export const isDated = (one: Meaning): boolean => one.kind === 'dimension' && isTime(one.dimension);

/** Whether the rows are people: "who has the most …". */
export const isPeople = ({ dimensions }: Pick<EntityEntry, 'dimensions'>): boolean =>
  dimensions.some(({ name }) =>
    /^(first|last|full|given|family|sur|company)_?name$|^(e_?mail|gender|phone|birth|hired?_|salary|wage|commission_rate)/i.test(
      name,
    ),
  );

/** What verbs may name that it is not made of: "failed" where a result is "fail". */
const isVerbal = (one: Meaning): boolean =>
  one.kind === 'value'
    ? /(status|state|result|outcome)$/i.test(one.dimension.name)
    : one.kind === 'entity' || isDated(one);

/** Keeps the closest form of a meaning. */
function note(index: Index, key: string, id: string, meaning: Meaning): void {
  const found = index.get(key) ?? new Map<string, Meaning>();
  index.set(key, found);
  if ((found.get(id)?.rank ?? -1) < meaning.rank) found.set(id, meaning);
}

export const singular = (word: string): string =>
  word
    .replace(/^people$/, 'person')
    .replace(/ies$/, 'y')
    .replace(/(ss|sh|ch|x)es$/, '$1')
    .replace(/([^s])s$/, '$1');
const plural = (word: string): string => `${word.replace(/([^aeiou])y$/, '$1ie').replace(/(s|sh|ch|x)$/, '$1e')}s`;

/** What one row of a table and several are called in answers. */
export function rowNames(name: string): [one: string, many: string] {
  const words = spoken(name.replace(TABLE_PREFIX, '')).split(' ');
  const last = words.pop()!;
  const one = singular(last);
  const many = one !== last || stem(last) !== last || /\d|\P{ASCII}/u.test(last) ? last : plural(last);
  return [[...words, one].join(' '), [...words, many].join(' ')];
}

function entityEntry(name: string, model: ModelEntity, joinColumns: ReadonlySet<string>): EntityEntry {
  const [one, many] = rowNames(model.name);
  const keys = new Set(entityPhrases(model).map(([phrase]) => keyOf(phrase)));
  const dimensions = model.dimensions.filter(({ hidden }) => hidden !== true);
  const stems = [one, many, ...model.synonyms].flatMap(nameWords).map(stem);
  return { name, model, joinColumns, words: nameWords(one), keys, dimensions, one, many, stems };
}

function entityPhrases({ name, table, synonyms, dimensions }: ModelEntity): Phrase[] {
  const names = [name, table.split('.').at(-1)!].flatMap((one) => [one, one.replace(TABLE_PREFIX, '')]);
  const words = nameWords(name.replace(TABLE_PREFIX, ''));
  return [
    ...names.map((one): Phrase => [nameWords(one), 3]),
    [nameWords(rowNames(name)[0]), 3],
    // "monthly_revenue" with a column `revenue` has no rows that are called revenues.
    ...(words.length > 1 && !dimensions.some((one) => one.name === words.at(-1))
      ? [[words.slice(-1), 1] as const]
      : []),
    ...synonyms.map((one): Phrase => [nameWords(one), 2]),
  ];
}

/** "how many orders" as a synonym is about "orders"; the rest is said by the question. */
const namePhrases = (name: string, synonyms: readonly string[] = []): Phrase[] => [
  [nameWords(name), 3],
  ...synonyms.map((synonym): Phrase => [nameWords(synonym.replace(/^how (many|much) /i, '')), 2]),
];

/** "output" for `output_mwh`; "price per kwh" keeps its unit. */
function withoutUnit(words: readonly string[]): string[] {
  const isLong = words.length > 1 && isUnit(stem(words.at(-1)!)) && !/^(per|in|of|to)$/.test(words.at(-2)!);
  return isLong ? words.slice(0, -1) : [];
}

const DATE_WORD = /^(at|on|date|time|day|datetime|timestamp|ts|dt|year)$/;
const isEntityName = (words: readonly string[], { keys }: EntityEntry): boolean => keys.has(keyOf(words));
export const isTime = ({ type }: ModelDimension): boolean => type === 'date' || type === 'timestamp';
/** A number that is a year of the calendar. */
export const isYear = ({ type, name }: ModelDimension): boolean => type === 'number' && /(^|_)year$/i.test(name);

function dimensionPhrases(dimension: ModelDimension, entry: EntityEntry): Phrase[] {
  const name = fullName(dimension.name);
  const words = nameWords(name);
  const out = namePhrases(name, dimension.synonyms);
  const isDated = isTime(dimension);
  if ((isDated || isYear(dimension)) && words.includes('birth')) out.push([['born'], 1]);
  if (isDated && /^(joined|registered|signed_?up|enrolled|member_since)/.test(dimension.name))
    out.push([['signed', 'up'], 1], [['joined'], 1], [['registered'], 1]);
  // "inspected" of `last_inspection`
  if (isDated && /^(last|latest)$/.test(words[0]!)) out.push([words.slice(1), 0], [[...words.slice(1), 'date'], 1]);
  // "delivery date" is also a delivery, "delivered on" also what was delivered.
  for (const [said] of isDated || isYear(dimension) ? [...out] : []) {
    const short = said.slice(0, -1);
    if (short.length === 0 || !DATE_WORD.test(said.at(-1)!)) continue;
    if (said.at(-1) !== 'date') out.push([[...short, 'date'], 1]);
    if (!isEntityName(short, entry)) out.push([short, 1]);
    // "due" of `next_due_on`
    if (short.length > 1) out.push([short.slice(-1), 0]);
  }
  // "output" of `output_mwh`, "affected households" of `households_affected`; "total orders" is no "order total"
  if (dimension.type === 'number')
    for (const [said] of [...out])
      out.push(
        [withoutUnit(said), 1],
        [withoutUnit(said).length > 0 ? said.slice(-1) : [], 0],
        [/^(qty|quantity|count)$/.test(said.at(-1)!) && !said.some(isDerived) ? said.slice(0, -1) : [], 0],
        [said.length === 2 && said[1] !== 'total' ? said.toReversed() : [], 1],
      );
  const [, means = ''] = /(?:^|_)(e_?mail|phone|mobile)$/.exec(dimension.name) ?? [];
  if (means) out.push([[words.at(-1)!, means.endsWith('mail') ? 'address' : 'number'], 1]);
  // "rent" of `monthly_rent`, where nothing is called so; "type" of `fuel_type`, where nothing else of the rows ends so
  const head = words.at(-1)!;
  const isHead = (one: ModelDimension): boolean => stem(nameWords(fullName(one.name)).at(-1)!) === stem(head);
  const isOnly = dimension.type === 'string' && entry.model.dimensions.filter(isHead).length === 1;
  const isOpen = /^(id|key|no|number|nr|code|name|year|total|count)$/.test(head) || isUnit(stem(head));
  if (words.length > 1 && !isOpen && !isFunctionWord(head) && (isOnly || dimension.type === 'number'))
    out.push([[head], isOnly ? 2 : 0]);
  // "customer name", "claim amount", "net invoice amount"
  const own = entry.words;
  for (const [said, rank] of isDated || dimension.type === 'boolean' ? [] : out.filter(([{ length }]) => length > 0)) {
    out.push([[...own, ...said], rank]);
    // "request category" and "maintenance category" of a maintenance request
    if (own.length > 1 && rank === 3) out.push([[own.at(-1)!, ...said], 1], [[...own.slice(0, -1), ...said], 1]);
    if (said.length === 2 && dimension.type === 'number' && !isFunctionWord(said[0]!))
      out.push([[said[0]!, ...own, said[1]!], rank]);
  }
  const bare = keyOf(words.slice(0, own.length)) === keyOf(own) ? words.slice(own.length) : words;
  if (bare.length > 0 && bare.length < words.length) out.push([bare, 2]);
  const [start, last] = [bare.slice(0, -1), bare.at(-1) ?? ''];
  if (start.length === 0) return out;
  if (dimension.type === 'boolean' && /^(is|has|was|can|did)$/.test(bare[0]!)) out.push([bare.slice(1), 2]);
  if (last === 'name') out.push([['name'], 1]);
  if (last === 'name' && /^(full|first|last|short|given|family|middle|display|nick)$/.test(start.at(-1)!)) return out;
  if (/^(name|code|type|label)$/.test(last) || (isDated && DATE_WORD.test(last))) out.push([start, 1]);
  else if (/^(id|key|number)$/.test(last)) out.push([start, 0]);
  return out;
}

/** Names without the aggregate word they begin or end with: `total_revenue` is also "revenue", `avg_price` never "price". */
function measurePhrases(
  name: string,
  synonyms: readonly string[] | undefined,
  type: Measure['type'],
  entry: EntityEntry,
): Phrase[] {
  const out = namePhrases(fullName(name), synonyms);
  const plain = withoutUnit(nameWords(fullName(name)));
  if (plain.length > 0) out.push([plain, 1]);
  const named = (AGGREGATES[type] ?? '').split(' ');
  for (const [words, rank] of [...out]) {
    const stems = words.map(stem);
    const behind = named.includes(stems.at(-1)!) ? words.slice(0, -1) : undefined;
    const short = named.includes(stems[0]!) ? words.slice(stems[1] === 'of' ? 2 : 1) : behind;
    const rest = short ?? words;
    const derived = Math.min(rank, 2) as Closeness;
    // The bare entity name stays the entity's: "orders" are rows, not a measure.
    if (short?.length && !isEntityName(short, entry) && !/^(avg|min|max)$/.test(type)) out.push([short, derived]);
    if (type === 'sum' && !isFunctionWord(rest[0] ?? '')) out.push([['total', ...rest], derived]);
    if (type === 'avg' && short) out.push([['average', ...short], rank]);
    if (type.startsWith('count') && !isEntityName(rest, entry))
      out.push([[...rest, 'count'], 2], [['total', ...rest], 2]);
  }
  // "inspection cost" is the cost that inspections measure, "net invoice amount" their net amount.
  const own = entry.words;
  const inner = out.filter(([words, rank]) => rank >= 2 && words.length === 2);
  return [
    ...out,
    ...out.map(([words, rank]): Phrase => [[...own, ...words], rank]),
    ...(own.length > 1 ? out.map(([words]): Phrase => [[...own.slice(0, -1), ...words], 1]) : []),
    ...inner.map(([words, rank]): Phrase => [[...words.slice(0, -1), ...own, words.at(-1)!], rank]),
  ];
}
