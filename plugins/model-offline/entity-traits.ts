/** What an entity is called by, and which of its numbers are amounts. */
import type { ModelDimension } from '../semantic-layer/model.ts';
import type { EntityEntry } from './lexicon.ts';
import { Refuse } from './outcome.ts';
import { nameWords, stem } from './words.ts';

export const hasKey = (entity: EntityEntry): boolean =>
  entity.model.dimensions.some((dimension) => dimension.primary_key === true);

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
  const keys = entity.dimensions.filter((dimension) => dimension.primary_key === true);
  if (keys.length === 0) throw new Refuse([entity.one], `${entity.many} have no name or key to group by.`);
  return keys;
}

export const numbersOf = (entity: EntityEntry): ModelDimension[] =>
  entity.dimensions.filter(
    (dimension) =>
      dimension.type === 'number' &&
      dimension.primary_key !== true &&
      !/(^|_)(id|key|number|code|year|month|day)$/.test(dimension.name.toLowerCase()),
  );

/** What "over 500" or "largest" is about: the entity's one amount, else any of its numbers. */
export function amountsOf(entity: EntityEntry): ModelDimension[] {
  const numbers = numbersOf(entity);
  const amounts = numbers.filter((dimension) =>
    nameWords(dimension.name).some((word) => ['total', 'amount', 'value', 'price'].includes(word)),
  );
  if (amounts.length <= 1) return amounts.length === 1 ? amounts : numbers;
  const plain = amounts.filter((dimension) => {
    const own = new Set([...nameWords(entity.one), 'total', 'amount', 'value', 'price']);
    return nameWords(dimension.name).every((word) => own.has(word));
  });
  return plain.length === 1 ? plain : amounts;
}
