/** Tells what the rows of an entity are called by, when they happened, and which of its numbers are amounts. */
import type { Condition } from '../parse/request.ts';
import type { ModelDimension } from '../words/layer.ts';
import { type EntityEntry, isPeople, isTime, isYear, type Meaning, type MeaningOf } from '../words/lexicon.ts';
import type { Criterion } from '../words/vocabulary.ts';
import { fullName, nameWords, stem } from '../words/words.ts';
import { refusal } from './outcome.ts';

const stems = (text: string): string[] => nameWords(text).map(stem);

export const keyOfRows = (entity: EntityEntry): ModelDimension | undefined =>
  entity.dimensions.find((one) => one.primary_key === true);

/** A number that only tells rows apart: a key, or a column that joins compare. Nothing is added up or averaged over it. */
const isIdentifier = (entity: EntityEntry, dimension: ModelDimension): boolean =>
  dimension.primary_key === true ||
  [dimension.name, dimension.sql].some((name) => entity.joinColumns.has(name.toLowerCase())) ||
  /^(id|key|uuid|guid)$/.test(nameWords(dimension.name).at(-1) ?? '');

/** Whether rows lack a value, as far as it is known: those of large tables are not counted, but may do so. */
export const mayLack = ({ null_count: count, nullable }: ModelDimension): boolean | undefined =>
  count === undefined ? nullable : count > 0;

/** The meaning is a number that may be added up or averaged. */
export const isAmount = (one: Meaning): one is MeaningOf<'dimension'> =>
  one.kind === 'dimension' && one.dimension.type === 'number' && !isIdentifier(one.entity, one.dimension);

/** The dimensions that name one row for people: its name, or failing that its key. */
export function labelOf(entity: EntityEntry): readonly ModelDimension[] {
  const own = stems(entity.one);
  const last = own.at(-1) ?? '';
  const keys = entity.dimensions.filter((one) => one.primary_key === true);
  const texts = entity.dimensions.filter((one) => one.type === 'string' && !keys.includes(one));
  const called = (names: string): ModelDimension[] =>
    texts.filter((one) => names.split(' ').includes(stems(one.name).join('')));
  const isOwnName = (words: readonly string[]): boolean =>
    /^(name|title|label)$/.test(words.at(-1)!) &&
    words.slice(0, -1).every((word) => own.includes(word) || word === 'full');
  // A synonym says that it is a name, "company name"; or there are nearly as many values as rows.
  const bySynonym = texts.filter((one) => (one.synonyms ?? []).map(stems).some(isOwnName));
  const byCount = texts.filter((one) => (one.unique_count ?? 0) > 20 + (one.sample_values?.length ?? 0));
  const isUnique = (one: ModelDimension): boolean =>
    one.unique_count === entity.model.rowCount && !/mail|phone/.test(one.name);
  const named = texts.filter((one) => stems(one.name).at(-1) === 'name');
  const found = [
    called(`name ${last}name fullname`).slice(0, 1),
    called(`title label ${last}title displayname subject`).slice(0, 1),
    called('firstname lastname givenname surname familyname'),
    ...[named, bySynonym, byCount, byCount.filter(isUnique)].filter(({ length }) => length === 1),
    keys,
  ].find(({ length }) => length > 0);
  if (!found) throw refusal([entity.one], `${entity.many} have no name or key to group by.`);
  return found;
}

/** Rows that have no more than a key or a number are hardly asked for one by one. */
export const isNamed = (entity: EntityEntry): boolean =>
  labelOf(entity).some(({ primary_key: isKey, name }) => !isKey && !/(no|nr|number|code|tag|sku|ref)$/i.test(name));

const isCalled = (dimension: ModelDimension, words: readonly string[]): boolean =>
  nameWords(dimension.name).some((word) => words.includes(word));
const isWorth = (dimension: ModelDimension): boolean => isCalled(dimension, ['total', 'amount', 'value']);

/** What "over 500" or "largest" is about: the entity's one amount, else any of its numbers. */
export function amountsOf(entity: EntityEntry): ModelDimension[] {
  const numbers = entity.dimensions.filter(
    (one) =>
      one.type === 'number' &&
      !isIdentifier(entity, one) &&
      !/(^|_)(number|code|year|month|day|pct|percent(age)?|ratio)$/i.test(one.name),
  );
  const names = ['total', 'amount', 'value', 'price'];
  const amounts = numbers.filter((one) => isCalled(one, names));
  // A price is of a row, but no more its amount than its other numbers.
  if (amounts.length === 0 || (amounts.length === 1 && !isWorth(amounts[0]!))) return numbers;
  const own = [...nameWords(entity.one), ...names];
  const plain = amounts.filter((one) => nameWords(one.name).every((word) => own.includes(word)));
  return plain.length === 1 ? plain : amounts;
}

/** What the columns are called or described as that a word is about. */
const ABOUT = {
  money:
    /^(price|cost|amount|fee|total|value|charge|fare|rate|rent|salary|premium|budget|euro|eur|dollar|usd|pound|gbp)$/,
  cost: /^(price|cost)$/,
  length: /^(duration|length|runtime|distance|second|minute|hour|day|night|mile|km|kilometer|meter)$/,
  weight: /^(weight|mass)$/,
};

/** The columns of a row that "cheapest", "oldest", "largest" or "over 500 euros" may be about. */
export function columnsFor(entity: EntityEntry, by: Criterion | undefined): readonly ModelDimension[] {
  // The age of people goes by their birth.
  const isOld = ({ name, type }: ModelDimension): boolean => type === 'number' && /(^|_)year(_|$)/i.test(name);
  const years = entity.dimensions.filter((one) => isOld(one) || (BIRTH.test(one.name) && isTime(one)));
  if (by === 'age') return isPeople(entity) ? years : [...new Set([...primaryDates(entity), ...years])];
  const amounts = amountsOf(entity);
  if (by === undefined || !(by in ABOUT)) return by === undefined ? amounts : [];
  const isAbout = (texts: readonly string[]): boolean =>
    texts.flatMap(stems).some((word) => ABOUT[by as keyof typeof ABOUT].test(word));
  const named = amounts.filter(({ name, synonyms = [] }) => isAbout([name, ...synonyms]));
  const found =
    named.length > 0 || by === 'cost' ? named : amounts.filter(({ description = '' }) => isAbout([description]));
  const called = (shape: RegExp) => found.filter(({ name }) => by === 'money' && shape.test(name));
  return [called(/price$/i), called(/cost$/i), found].find(({ length }) => length > 0) ?? [];
}

/** What one row is worth, if it is worth something: "average invoice", "total fines". */
export const worthOf = (entity: EntityEntry): ModelDimension[] => amountsOf(entity).filter(isWorth);

export const isStatus = ({ name, type }: ModelDimension): boolean =>
  type === 'boolean' || /(status|state)$/i.test(name);
/** Says what state rows are in. */
export const saysState = ({ type, mention, negated }: Condition): boolean =>
  (type === 'missing' && !negated) ||
  mention.meanings.some(
    (one) => one.kind === 'segment' || one.kind === 'term' || ('dimension' in one && isStatus(one.dimension)),
  );
/** Whether rows may be over, so that some are not current. */
export const mayEnd = ({ model, dimensions }: EntityEntry): boolean =>
  model.segments.length > 0 || dimensions.some((one) => isStatus(one) || (isTime(one) && mayLack(one) !== false));

/** Everything that the layer says of a column. */
export const wordsOf = ({ name, description = '', synonyms = [] }: ModelDimension): string[] =>
  [fullName(name), description, ...synonyms].flatMap(nameWords);
/** Whether the layer says that a number is in this unit. */
export const isIn = (dimension: ModelDimension, unit: string): boolean =>
  wordsOf(dimension).some((word) => stem(word).startsWith(unit));

const BIRTH = /birth|born|dob/i;
const BOOKKEEPING = /^(updated|modified|changed|deleted|synced|imported|loaded|expires?|expiry|valid|due)/;
/** What ends or follows a row does not stand for it. */
const ENDS =
  /(^|_)(closed|ended?|end|finish(ed)?|completed?|resolved|solved|settled|decided|cancell?ed|cancellation|churned|terminated|termination|left|exit|restored|shipped|delivered|out|logout|repaired|arriv(ed|al)|dropoff|returned|refunded|paid|renewed|renewal|last|next|due|expires?|expiry|expiration|deactivated|archived|approved|rejected|responded|discharged?|discontinued|retired|deceased|died|scrapped)(_|$)/;
/** What a row begins with, by what it is called. */
const BEGINS =
  /(^|_)(in|login|pickup|departed|departure|created?|placed|ordered|start(s|ed)?|began|begins?|opened|issued|filed|submitted|requested|booked|scheduled|hired?|joined|registered|signed|signup|reported|received|purchased|bought|sold|posted|published|logged|recorded|occurred|happened|entered|admitted|admission|invoiced)(_|$)/;
/** The date with which rows are over, however that came about. */
const OVER =
  /(^|_)(ends?|ended|closed|resolved|settled|decided|cancel\w*|terminat\w*|left|exit|finish\w*|complet\w*|churn\w*)(_|$)/;
export const isOver = (one: ModelDimension): boolean => isTime(one) && OVER.test(one.name) && mayLack(one) !== false;

/** The two dates of a row between which it takes its time, where one of each is clear and no column holds that time. */
export function spanOf(entity: EntityEntry): { readonly since?: ModelDimension; readonly until?: ModelDimension } {
  if (entity.dimensions.some((one) => one.type === 'number' && isCalled(one, ['days', 'hours', 'duration']))) return {};
  const [since, other] = primaryDates(entity);
  const isEnd = ({ name }: ModelDimension): boolean =>
    ENDS.test(name) && !/(^|_)(last|next|due|expir|renew|approv)/.test(name);
  const [until, more] = entity.dimensions.filter((one) => isTime(one) && isEnd(one));
  return { ...(since && !other && { since }), ...(until && !more && { until }) };
}

const PLAIN = /^(date|timestamp|time|datetime|day|ts|occurredat|happenedat|eventdate|eventtime|recordedat|loggedat)$/;
const CREATED = /^(created(at|on|date|datetime|time)?|creationdate|datecreated)$/;

/** The dates that stand for the entity, by convention: one when it is clear, several when it is not, none when it has no date. */
export function primaryDates(entity: EntityEntry): readonly ModelDimension[] {
  const dates = entity.dimensions.filter(({ name }) => !BIRTH.test(name));
  const all = dates.filter(isTime);
  if (all.length === 0) return dates.filter(isYear);
  const isSaid = ({ name, synonyms }: ModelDimension, shape: RegExp): boolean =>
    [name, ...(synonyms ?? [])].some((text) => shape.test(nameWords(text).join('_')));
  const usual = all.filter((one) => !isSaid(one, BOOKKEEPING));
  const begins = usual.filter((one) => !ENDS.test(nameWords(one.name).join('_')));
  // An end that rows may lack does not stand for them.
  const [ended, ever] = [usual, all].map((some) => some.filter((one) => !mayLack(one)));
  const rest = [begins, ended!, ever!].find(({ length }) => length > 0) ?? [];
  const first = rest.filter((one) => !isSaid(one, ENDS));
  if (rest.length > 1 && first.length === 1 && isSaid(first[0]!, BEGINS)) return first;
  const names = [entity.one, ...entity.model.synonyms].flatMap(nameWords);
  const isOwn = (word: string): boolean =>
    names.some((one) => stem(one) === stem(word) || (one.length > 4 && one.slice(0, 5) === word.slice(0, 5)));
  const key = ({ name }: ModelDimension): string => nameWords(name).join('');
  const filled = rest.filter((one) => !mayLack(one));
  // What speaks for a date, the strongest first: its name, a plain name, that every row has it, its description.
  const preferences = [
    rest.filter(({ name }) => nameWords(name).some(isOwn)),
    rest.filter((one) => PLAIN.test(key(one))),
    rest.filter((one) => CREATED.test(key(one))),
    filled.length < rest.length ? filled : [],
    (filled.length > 0 ? filled : rest).filter(({ description }) => nameWords(description ?? '').some(isOwn)),
  ];
  return preferences.find(({ length }) => length === 1) ?? rest;
}
