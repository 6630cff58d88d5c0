/** Tells what the rows of an entity are called by, when they happened, and which of its numbers are amounts. */
import type { ModelDimension } from '../words/layer.ts';
import { type EntityEntry, isTime, isYear } from '../words/lexicon.ts';
import { nameWords, root, stem } from '../words/stem.ts';
import { refusal } from './outcome.ts';

const stems = (text: string): string[] => nameWords(text).map(stem);
/** Names of a dimension by how directly they are its own: its name, its synonyms, its description. */
const textsOf = ({ name, description, synonyms }: ModelDimension): string[][] =>
  [[name], synonyms ?? [], [description ?? '']].map((texts) => texts.flatMap(stems));

export const keyOfRows = (entity: EntityEntry): ModelDimension | undefined =>
  entity.dimensions.find((one) => one.primary_key === true);

/** A number that only tells rows apart: a key, or a column that joins compare. Nothing is added up or averaged over it. */
export const isIdentifier = (entity: EntityEntry, dimension: ModelDimension): boolean =>
  dimension.primary_key === true ||
  [dimension.name, dimension.sql].some((name) => entity.joinColumns.has(name.toLowerCase())) ||
  /^(id|key|uuid|guid)$/.test(nameWords(dimension.name).at(-1) ?? '');

/** The dimensions that name one row for people: its name, or failing that its key. */
export function labelOf(entity: EntityEntry): readonly ModelDimension[] {
  const own = stems(entity.one);
  const last = own.at(-1) ?? '';
  const texts = entity.dimensions.filter((one) => one.type === 'string' && one.primary_key !== true);
  const called = (names: string): ModelDimension[] =>
    texts.filter((one) => names.split(' ').includes(stems(one.name).join('')));
  const isOwnName = (words: readonly string[]): boolean =>
    /^(name|title|label)$/.test(words.at(-1)!) &&
    words.slice(0, -1).every((word) => own.includes(word) || word === 'full');
  // A synonym says that it is a name, "company name"; or there are nearly as many values as rows.
  const bySynonym = texts.filter((one) => (one.synonyms ?? []).map(stems).some(isOwnName));
  const telling = texts.filter(
    ({ unique_count: count = 0, sample_values: samples }) => count >= 20 && count > 2 * (samples?.length ?? 0),
  );
  const found = [
    called(`name ${last}name fullname`).slice(0, 1),
    called(`title label ${last}title displayname subject`).slice(0, 1),
    called('firstname lastname givenname surname familyname'),
    ...[texts.filter((one) => stems(one.name).at(-1) === 'name'), bySynonym, telling].filter(
      ({ length }) => length === 1,
    ),
    entity.dimensions.filter((one) => one.primary_key === true),
  ].find(({ length }) => length > 0);
  if (!found) throw refusal([entity.one], `${entity.many} have no name or key to group by.`);
  return found;
}

/** Whether the rows are people: "who has the most …". */
export const isPeople = ({ dimensions }: EntityEntry): boolean =>
  dimensions.some(({ name }) =>
    /^(first|last|full|given|family|sur)_?name$|^(e_?mail|gender|sex|phone|birth|salary|hired)/i.test(name),
  );

export const numbersOf = (entity: EntityEntry): ModelDimension[] =>
  entity.dimensions.filter(
    (one) =>
      one.type === 'number' && !isIdentifier(entity, one) && !/(^|_)(number|code|year|month|day)$/i.test(one.name),
  );

const isCalled = (dimension: ModelDimension, words: readonly string[]): boolean =>
  nameWords(dimension.name).some((word) => words.includes(word));
const isWorth = (dimension: ModelDimension): boolean => isCalled(dimension, ['total', 'amount', 'value']);

/** What "over 500" or "largest" is about: the entity's one amount, else any of its numbers. */
export function amountsOf(entity: EntityEntry): ModelDimension[] {
  const numbers = numbersOf(entity);
  const names = ['total', 'amount', 'value', 'price'];
  const amounts = numbers.filter((one) => isCalled(one, names));
  // A price is of a row, but no more its amount than its other numbers.
  if (amounts.length === 0 || (amounts.length === 1 && !isWorth(amounts[0]!))) return numbers;
  const own = [...nameWords(entity.one), ...names];
  const plain = amounts.filter((one) => nameWords(one.name).every((word) => own.includes(word)));
  return plain.length === 1 ? plain : amounts;
}

/** What one row is worth, if it is worth something: "average invoice", "total fines". */
export const worthOf = (entity: EntityEntry): ModelDimension[] => amountsOf(entity).filter(isWorth);

/** The numbers called by one of these words: by name, else by synonym, else by description. */
export const numbersCalled = (entity: EntityEntry, names: readonly string[]): ModelDimension[] =>
  [0, 1, 2]
    .map((part) => numbersOf(entity).filter((one) => textsOf(one)[part]!.some((word) => names.includes(word))))
    .find((found) => found.length > 0) ?? [];

/** Names of the same unit, as stems. */
const UNITS = 'minute min|hour hr h|second sec|year yr|kilogram kg kilo|gram g|kilometre kilometer km|metre meter m'
  .split('|')
  .map((names) => names.split(' '));

/** Whether a number counts in this unit, as far as its names and description say. */
export function isIn(dimension: ModelDimension, unit: string): boolean {
  const names = UNITS.find((same) => same.includes(unit)) ?? [unit];
  return textsOf(dimension)
    .flat()
    .some((word) => names.includes(word));
}

/** A date of birth, which says how old a person is. */
export const birthOf = (entity: EntityEntry): ModelDimension | undefined =>
  entity.dimensions.find(
    (one) =>
      isTime(one) &&
      textsOf(one)
        .slice(0, 2)
        .flat()
        .some((word) => /^(birth|birthday|birthdate|born|dob)$/.test(word)),
  );

const BOOKKEEPING = /^(updated|modified|changed|deleted|synced|imported|loaded|birth|expires?|expiry|valid|due)/;
/** What ends or follows a row does not stand for it. */
const ENDS =
  /(^|_)(closed|ended?|end|finish(ed)?|completed?|resolved|solved|cancell?ed|cancellation|churned|terminated|termination|left|exit|shipped|delivered|returned|refunded|paid|renewed|renewal|last|next|due|expires?|expiry|expiration|deactivated|archived|approved|rejected|responded|discharged?|discontinued|retired)(_|$)/;
/** What a row begins with, by what it is called. */
const BEGINS =
  /(^|_)(created?|placed|ordered|start(s|ed)?|began|begins?|opened|issued|filed|submitted|requested|booked|scheduled|hired?|joined|registered|signed|signup|reported|received|purchased|bought|sold|posted|published|logged|recorded|occurred|happened|entered|admitted|admission|invoiced)(_|$)/;
const PLAIN = /^(date|timestamp|time|datetime|day|ts|occurredat|happenedat|eventdate|eventtime|recordedat|loggedat)$/;
const CREATED = /^(created(at|on|date|datetime|time)?|creationdate|datecreated)$/;

/** The dates that stand for the entity, by convention: one when it is clear, several when it is not, none when it has no date. */
export function primaryDates(entity: EntityEntry): readonly ModelDimension[] {
  const all = entity.dimensions.filter(isTime);
  if (all.length === 0) return entity.dimensions.filter((one) => isYear(one) && !/birth|born/i.test(one.name));
  const isSaid = ({ name, synonyms }: ModelDimension, shape: RegExp): boolean =>
    [name, ...(synonyms ?? [])].some((text) => shape.test(nameWords(text).join('_')));
  const usual = all.filter((one) => !isSaid(one, BOOKKEEPING));
  const begins = usual.filter((one) => !ENDS.test(nameWords(one.name).join('_')));
  const rest = [begins, usual, all].find(({ length }) => length > 0)!;
  const first = rest.filter((one) => !isSaid(one, ENDS));
  if (rest.length === 1 || (first.length === 1 && isSaid(first[0]!, BEGINS))) return rest.length === 1 ? rest : first;
  const own = new Set(
    [entity.one, ...entity.model.synonyms].flatMap(nameWords).flatMap((one) => [stem(one), root(one)]),
  );
  const isOwn = (word: string): boolean => own.has(stem(word)) || own.has(root(word));
  const key = ({ name }: ModelDimension): string => nameWords(name).join('');
  const filled = rest.filter((one) => !((one.null_count ?? 0) > 0));
  // What speaks for a date, the strongest first.
  const preferences = [
    rest.filter(({ name }) => nameWords(name).some(isOwn)),
    rest.filter((one) => PLAIN.test(key(one))),
    rest.filter((one) => CREATED.test(key(one))),
    // Every row has it; the others come later or never.
    filled.length < rest.length ? filled : [],
    rest.filter(({ description }) => nameWords(description ?? '').some(isOwn)),
  ];
  return preferences.find(({ length }) => length === 1) ?? rest;
}
