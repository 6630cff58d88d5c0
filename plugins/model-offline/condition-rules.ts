/** Small rules about conditions. */
import type { ModelDimension } from '../semantic-layer/index.ts';
import type { PlanFilter } from '../semantic-query/index.ts';
import type { Condition, Related } from './draft.ts';
import { identity, isTime, type MeaningOf } from './lexicon.ts';
import { Refuse } from './outcome.ts';
import { spoken } from './resolver-base.ts';
import { OPPOSITE } from './vocabulary.ts';
import { nameWords, stem } from './words.ts';

export const isExistence = (item: Related): boolean =>
  (item.comparator === 'greater_than' && item.value === 0) ||
  (item.comparator === 'greater_or_equal' && item.value === 1);

/** A condition that no related row at all meets too, such as "fewer than 3". */
export const holdsForNone = ({ comparator, value }: Related): boolean =>
  comparator === 'less_than' ||
  comparator === 'less_or_equal' ||
  comparator === 'not_equals' ||
  (comparator === 'equals' && value === 0);

export function withoutOwner({ of: _, ...condition }: Related): Related {
  return condition;
}

export const mergeable = (a: PlanFilter, b: PlanFilter): boolean =>
  (/^(equals|in)$/.test(a.operator) && /^(equals|in)$/.test(b.operator)) ||
  (/^(not_equals|not_in)$/.test(a.operator) && /^(not_equals|not_in)$/.test(b.operator));

export function labelOfWay(meaning: MeaningOf<'value'> | MeaningOf<'segment'> | MeaningOf<'dimension'>): string {
  if (meaning.kind === 'value')
    return `${spoken(meaning.dimension.name)} of ${meaning.entity.many} is ${meaning.value}`;
  if (meaning.kind === 'dimension' && isTime(meaning.dimension))
    return `${spoken(meaning.dimension.name)} of ${meaning.entity.many} is missing`;
  return meaning.kind === 'segment'
    ? `${spoken(meaning.segment.name)} ${meaning.entity.many}`
    : `${meaning.entity.many} that are ${spoken(meaning.dimension.name).replace(/^(is|has|was) /, '')}`;
}

export const sameDimensionValues = (conditions: readonly Condition[]): boolean =>
  conditions.every((item) => (item.type === 'is' || item.type === 'equals') && item.negated === false) &&
  new Set(
    conditions.map((item) =>
      item.type === 'is'
        ? item.mention.meanings
            .map((m) => (m.kind === 'value' ? `${m.entity.name}.${m.dimension.name}` : identity(m)))
            .join()
        : item.type === 'equals'
          ? item.mention.text
          : '',
    ),
  ).size === 1;

export function flip(condition: Condition): Condition {
  switch (condition.type) {
    case 'is':
    case 'equals':
    case 'null':
      return { ...condition, negated: !condition.negated };
    case 'compare':
      return { ...condition, comparator: OPPOSITE[condition.comparator] };
    default:
      throw new Refuse([condition.type === 'time' ? condition.time.text : condition.mention.text]);
  }
}

export function knownValue(dimension: ModelDimension, value: string): string | undefined {
  const key = (text: string): string => nameWords(text).map(stem).join('');
  const found = (dimension.sample_values ?? []).filter(
    (sample) => typeof sample === 'string' && key(sample) === key(value),
  );
  return found.length === 1 ? String(found[0]) : undefined;
}
