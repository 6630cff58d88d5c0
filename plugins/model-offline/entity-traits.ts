/** What an entity is called by, and which of its numbers are amounts. */
import type { ModelDimension } from '../semantic-layer/index.ts';
import { type EntityEntry, isTime } from './lexicon.ts';
import { Refuse } from './outcome.ts';
import { UNITS } from './vocabulary.ts';
import { nameWords, stem } from './words.ts';

export const hasKey = (entity: EntityEntry): boolean =>
  entity.model.dimensions.some((dimension) => dimension.primary_key === true);

/** A number that only tells rows apart: a key, or a column that joins compare. Nothing is added up or averaged over it. */
export const isIdentifier = (entity: EntityEntry, dimension: ModelDimension): boolean =>
  dimension.primary_key === true ||
  entity.joinColumns.has(dimension.name.toLowerCase()) ||
  entity.joinColumns.has(dimension.sql.toLowerCase()) ||
  /^(id|key|uuid|guid)$/.test(nameWords(dimension.name).at(-1) ?? '');

/** The dimensions that name one row for people: its name, or failing that its key. */
export function labelOf(entity: EntityEntry): readonly ModelDimension[] {
  const own = stem(nameWords(entity.one).at(-1) ?? '');
  const texts = entity.dimensions.filter((dimension) => dimension.type === 'string' && dimension.primary_key !== true);
  const key = (dimension: ModelDimension): string => nameWords(dimension.name).map(stem).join('');
  for (const wanted of [
    ['name', `${own}name`, 'fullname'],
    ['title', 'label', `${own}title`, 'displayname', 'subject'],
  ]) {
    const found = texts.find((dimension) => wanted.includes(key(dimension)));
    if (found) return [found];
  }
  const split = texts.filter((dimension) =>
    ['firstname', 'lastname', 'givenname', 'surname', 'familyname'].includes(key(dimension)),
  );
  if (split.length > 0) return split;
  const named = texts.filter((dimension) => key(dimension).endsWith('name'));
  if (named.length === 1) return named;
  const called = texts.filter((dimension) => isCalled(entity, dimension));
  if (called.length === 1) return called;
  const telling = texts.filter(isNearlyUnique);
  if (telling.length === 1) return telling;
  const keys = entity.dimensions.filter((dimension) => dimension.primary_key === true);
  if (keys.length === 0) throw new Refuse([entity.one], `${entity.many} have no name or key to group by.`);
  return keys;
}

/** Its name is short for "name", or a synonym says that it is one. */
function isCalled(entity: EntityEntry, dimension: ModelDimension): boolean {
  if (['nm', 'lbl', 'ttl', 'fullnm'].includes(nameWords(dimension.name).join(''))) return true;
  const own = nameWords(entity.one).map(stem);
  return (dimension.synonyms ?? []).some((synonym) => {
    const words = nameWords(synonym).map(stem);
    const last = words.at(-1) ?? '';
    return (
      /^(name|title|label)$/.test(last) && words.slice(0, -1).every((word) => own.includes(word) || word === 'full')
    );
  });
}

const isNearlyUnique = ({ unique_count, sample_values }: ModelDimension): boolean =>
  unique_count !== undefined && unique_count >= 20 && unique_count > 2 * (sample_values?.length ?? 0);

export const numbersOf = (entity: EntityEntry): ModelDimension[] =>
  entity.dimensions.filter(
    (dimension) =>
      dimension.type === 'number' &&
      !isIdentifier(entity, dimension) &&
      !/(^|_)(number|code|year|month|day)$/.test(dimension.name.toLowerCase()),
  );

export const isWorth = (dimension: ModelDimension): boolean =>
  nameWords(dimension.name).some((word) => ['total', 'amount', 'value'].includes(word));

/** What "over 500" or "largest" is about: the entity's one amount, else any of its numbers. */
export function amountsOf(entity: EntityEntry): ModelDimension[] {
  const numbers = numbersOf(entity);
  const amounts = numbers.filter((dimension) =>
    nameWords(dimension.name).some((word) => ['total', 'amount', 'value', 'price'].includes(word)),
  );
  // A price is of a row, but no more its amount than its other numbers.
  if (amounts.length === 1 && /(^|_)price$/.test(amounts[0]!.name) && !isWorth(amounts[0]!)) return numbers;
  if (amounts.length <= 1) return amounts.length === 1 ? amounts : numbers;
  const plain = amounts.filter((dimension) => {
    const own = new Set([...nameWords(entity.one), 'total', 'amount', 'value', 'price']);
    return nameWords(dimension.name).every((word) => own.has(word));
  });
  return plain.length === 1 ? plain : amounts;
}

/** The numbers called by one of these words: by name, else by synonym, else by description. */
export function numbersCalled(entity: EntityEntry, names: readonly string[]): ModelDimension[] {
  const wanted = names.map(stem);
  const said = (text: string): boolean => nameWords(text).some((word) => wanted.includes(stem(word)));
  const numbers = numbersOf(entity);
  for (const fits of [
    (item: ModelDimension) => said(item.name),
    (item: ModelDimension) => (item.synonyms ?? []).some(said),
    (item: ModelDimension) => said(item.description ?? ''),
  ]) {
    const found = numbers.filter(fits);
    if (found.length > 0) return found;
  }
  return [];
}

/** Whether a number counts in this unit, as far as its names and description say. */
export function isIn(dimension: ModelDimension, unit: string): boolean {
  const names = UNITS.find((same) => same.includes(unit)) ?? [unit];
  const said = nameWords([dimension.name, dimension.description ?? '', ...(dimension.synonyms ?? [])].join(' ')).map(
    stem,
  );
  return said.some((word) => names.includes(word)) || (names.includes('year') && said.includes('age'));
}

/** A date that comes round every year. */
export const isBirth = (item: ModelDimension): boolean =>
  nameWords([item.name, ...(item.synonyms ?? [])].join(' ')).some((word) =>
    /^(birth|birthday|birthdate|born|dob)$/.test(word),
  );

/** What "oldest" goes by: birth or age; without them only what is no person has its beginning. */
export function ageOf(
  entity: EntityEntry,
): { readonly dimension: ModelDimension; readonly isAge: boolean } | undefined {
  const said = (item: ModelDimension): string[] =>
    nameWords([item.name, ...(item.synonyms ?? [])].join(' ')).map((word) => word.toLowerCase());
  const birth =
    entity.dimensions.find((item) => isTime(item) && isBirth(item)) ??
    entity.dimensions.find((item) => item.type === 'number' && isBirth(item));
  if (birth) return { dimension: birth, isAge: false };
  const age = entity.dimensions.find((item) => item.type === 'number' && said(item).includes('age'));
  if (age) return { dimension: age, isAge: true };
  const years = entity.dimensions.filter((item) => item.type === 'number' && said(item).includes('year'));
  return years.length === 1 ? { dimension: years[0]!, isAge: false } : undefined;
}

const PERSONAL =
  /^(first_?name|last_?name|full_?name|surname|given_?name|email|e_?mail|phone|gender|sex|birth.*|salary|hired?(_.*)?)$/;

/** Rows are people, as far as columns such as a first name or an e-mail address say. */
export const isPersonal = (entity: EntityEntry): boolean =>
  ['person', 'people'].some((word) => nameWords([entity.one, ...entity.model.synonyms].join(' ')).includes(word)) ||
  entity.dimensions.some((item) => PERSONAL.test(nameWords(item.name).join('_')));

/** The row itself is an amount: a fine, a payment. */
export function isPlainAmount(entity: EntityEntry, dimension: ModelDimension): boolean {
  const words = nameWords(dimension.name).map(stem);
  const own = nameWords(entity.one).map(stem);
  return /^(amount|amt)$/.test(words.at(-1) ?? '') && words.slice(0, -1).every((word) => own.includes(word));
}
