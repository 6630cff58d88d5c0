/** What an item may be used as: entity, dimension, figure or condition. */
import type { Condition, Mention } from './draft.ts';
import { isTime, isYear, type Meaning, type MeaningOf } from './lexicon.ts';
import type { Item } from './link.ts';
import { type TimePhrase, timeUnit } from './time-phrases.ts';
import { OPPOSITE } from './vocabulary.ts';
import { nameWords, stem } from './words.ts';

/** What a glossary term stands for: a figure, a condition, a dimension. */
export type TermRole = 'measure' | 'condition' | 'dimension';
export type RoleOf = (term: MeaningOf<'term'>) => TermRole;

export function opposite(condition: Condition): Condition {
  if (condition.type === 'compare') return { ...condition, comparator: OPPOSITE[condition.comparator] };
  if (condition.type === 'time' || condition.type === 'related') return condition;
  return { ...condition, negated: !condition.negated };
}

/** After "versus", "previous month" is the one before the period in question, whatever today is. */
export function relativeUnit(item: Item): TimePhrase | undefined {
  const [word, unit] = item.tokens.filter((token) => token.word !== 'the');
  const grain = timeUnit(unit?.stem);
  const isRelative = item.tokens.length <= 3 && ['previous', 'prior', 'preceding'].includes(word?.word ?? '');
  return isRelative && grain ? { kind: 'relative', unit: grain } : undefined;
}

export const isNumber = (mention: Mention): boolean =>
  mention.meanings.some((meaning) => meaning.kind === 'dimension' && meaning.dimension.type === 'number');

export const isNamed = (item: Item | undefined): boolean => item !== undefined && item.meanings.length > 0;

export function mentionOf(item: Item): Mention {
  const last = item.tokens.at(-1)!;
  return {
    text: item.text,
    meanings: item.meanings,
    plural: last.kind === 'word' && last.word.endsWith('s') && stem(last.word) !== last.word,
    ...(item.corrected && { corrected: item.corrected }),
    ...(item.inverted && { inverted: true }),
  };
}

export const only = (mention: Mention, kind: Meaning['kind']): Mention => ({
  ...mention,
  meanings: mention.meanings.filter((meaning) => meaning.kind === kind),
});

export const dates = (mention: Mention): Mention => ({
  ...mention,
  meanings: mention.meanings.filter(
    (meaning) =>
      meaning.kind === 'dimension' && (isTime(meaning.dimension) || (isYear(meaning.dimension) && meaning.rank === 1)),
  ),
});

export const sameDimension = (a: Meaning, b: Meaning): boolean =>
  a.kind === 'dimension' && b.kind === 'value' && a.entity === b.entity && a.dimension === b.dimension;

export type Role = 'entity' | 'dimension' | 'measure' | 'condition';

/** What one meaning can be used as. */
function roleOfMeaning(meaning: Meaning, roleOf: RoleOf): Role {
  switch (meaning.kind) {
    case 'value':
    case 'segment':
      return 'condition';
    case 'term':
      return roleOf(meaning);
    case 'dimension':
      return meaning.dimension.type === 'boolean' ? 'condition' : 'dimension';
    default:
      return meaning.kind;
  }
}

export function kindsOf(mention: Mention, roleOf: RoleOf): Set<Role> {
  return new Set(mention.meanings.map((meaning) => roleOfMeaning(meaning, roleOf)));
}

export const pick = (mention: Mention, role: Role, roleOf: RoleOf): Mention => {
  const meanings = mention.meanings.filter((meaning) => roleOfMeaning(meaning, roleOf) === role);
  const owners = meanings.flatMap((meaning) => (meaning.kind === 'value' ? [meaning.entity] : []));
  // "cancelled": the state, and the date of it where there is one.
  const events = dates(mention).meanings.filter(
    (meaning) => meaning.kind === 'dimension' && owners.includes(meaning.entity),
  );
  return { ...mention, meanings: role === 'condition' ? [...meanings, ...events] : meanings };
};

/** A measure that only counts its entity's rows says no more than the entity's name. */
export const isPlainCount = (mention: Mention): boolean =>
  mention.meanings.every(
    (meaning) => meaning.kind !== 'measure' || (meaning.measure?.type === 'count' && meaning.measure.sql === undefined),
  );

/** Better is higher, by what it is called. */
export const isScore = (mention: Mention): boolean =>
  mention.meanings.some(
    (meaning) =>
      meaning.kind === 'dimension' &&
      nameWords(
        [meaning.dimension.name, meaning.dimension.description ?? '', ...(meaning.dimension.synonyms ?? [])].join(' '),
      )
        .map(stem)
        .some((word) => ['rating', 'score', 'star', 'satisfaction', 'grade', 'review'].includes(word)),
  );
