/** Tells what the rows of an entity are called by, and which of its numbers are amounts. */
import type { ModelDimension } from '../words/layer.ts';
import { type EntityEntry, isTime } from '../words/lexicon.ts';
import { nameWords, stem } from '../words/stem.ts';
import { refusal } from './outcome.ts';

export const keyOfRows = (entity: EntityEntry): ModelDimension | undefined =>
  entity.dimensions.find((one) => one.primary_key === true);

/** A number that only tells rows apart: a key, or a column that joins compare. Nothing is added up or averaged over it. */
export const isIdentifier = (entity: EntityEntry, dimension: ModelDimension): boolean =>
  dimension.primary_key === true ||
  [dimension.name, dimension.sql].some((name) => entity.joinColumns.has(name.toLowerCase())) ||
  /^(id|key|uuid|guid)$/.test(nameWords(dimension.name).at(-1) ?? '');

const stems = (text: string): string[] => nameWords(text).map(stem);

/** The dimensions that name one row for people: its name, or failing that its key. */
export function labelOf(entity: EntityEntry): readonly ModelDimension[] {
  const own = stems(entity.one);
  const last = own.at(-1) ?? '';
  const texts = entity.dimensions.filter((one) => one.type === 'string' && one.primary_key !== true);
  const called = (names: readonly string[]): ModelDimension[] =>
    texts.filter((one) => names.includes(stems(one.name).join('')));
  // A synonym says that it is a name, "company name"; or there are nearly as many values as rows.
  const bySynonym = texts.filter((one) =>
    (one.synonyms ?? [])
      .map(stems)
      .some(
        (words) =>
          /^(name|title|label)$/.test(words.at(-1)!) &&
          words.slice(0, -1).every((word) => own.includes(word) || word === 'full'),
      ),
  );
  const telling = texts.filter(
    ({ unique_count: count, sample_values: samples }) =>
      count !== undefined && count >= 20 && count > 2 * (samples?.length ?? 0),
  );
  const [found] = [
    called(['name', `${last}name`, 'fullname']).slice(0, 1),
    called(['title', 'label', `${last}title`, 'displayname', 'subject']).slice(0, 1),
    called(['firstname', 'lastname', 'givenname', 'surname', 'familyname']),
    ...[texts.filter((one) => stems(one.name).at(-1) === 'name'), bySynonym, telling].filter(
      (some) => some.length === 1,
    ),
    entity.dimensions.filter((one) => one.primary_key === true),
  ].filter((some) => some.length > 0);
  if (!found) throw refusal([entity.one], `${entity.many} have no name or key to group by.`);
  return found;
}

export const numbersOf = (entity: EntityEntry): ModelDimension[] =>
  entity.dimensions.filter(
    (one) =>
      one.type === 'number' && !isIdentifier(entity, one) && !/(^|_)(number|code|year|month|day)$/i.test(one.name),
  );

const isNamed = (dimension: ModelDimension, words: readonly string[]): boolean =>
  nameWords(dimension.name).some((word) => words.includes(word));

/** What "over 500" or "largest" is about: the entity's one amount, else any of its numbers. */
export function amountsOf(entity: EntityEntry): ModelDimension[] {
  const numbers = numbersOf(entity);
  const amounts = numbers.filter((one) => isNamed(one, ['total', 'amount', 'value', 'price']));
  // A price is of a row, but no more its amount than its other numbers.
  if (amounts.length === 0 || (amounts.length === 1 && !isWorth(amounts[0]!))) return numbers;
  const own = [...nameWords(entity.one), 'total', 'amount', 'value', 'price'];
  const plain = amounts.filter((one) => nameWords(one.name).every((word) => own.includes(word)));
  return plain.length === 1 ? plain : amounts;
}

export const isWorth = (dimension: ModelDimension): boolean => isNamed(dimension, ['total', 'amount', 'value']);

/** What one row is worth, if it is worth something: "average invoice", "total fines". */
export const worthOf = (entity: EntityEntry): ModelDimension[] => amountsOf(entity).filter(isWorth);

const textsOf = ({ name, description, synonyms }: ModelDimension): string[][] =>
  [[name], synonyms ?? [], [description ?? '']].map((texts) => texts.flatMap(stems));

/** The numbers called by one of these words: by name, else by synonym, else by description. */
export function numbersCalled(entity: EntityEntry, names: readonly string[]): ModelDimension[] {
  const wanted = names.map(stem);
  const said = [0, 1, 2].map((part) =>
    numbersOf(entity).filter((one) => textsOf(one)[part]!.some((word) => wanted.includes(word))),
  );
  return said.find((found) => found.length > 0) ?? [];
}

/** Names of the same unit, as stems. */
const UNITS: readonly (readonly string[])[] = [
  ['minute', 'min'],
  ['hour', 'hr', 'h'],
  ['second', 'sec'],
  ['day'],
  ['week'],
  ['year', 'yr'],
  ['kilogram', 'kg', 'kilo'],
  ['gram', 'g'],
  ['kilometre', 'kilometer', 'km'],
  ['mile'],
  ['metre', 'meter'],
  ['page'],
  ['night'],
];

/** Whether a number counts in this unit, as far as its names and description say. */
export const isIn = (dimension: ModelDimension, unit: string): boolean => {
  const names = UNITS.find((same) => same.includes(unit)) ?? [unit];
  return textsOf(dimension)
    .flat()
    .some((word) => names.includes(word));
};

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
