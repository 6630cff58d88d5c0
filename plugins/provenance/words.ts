/** Puts parts of a condition into words. */

import type { FilterOperator, FilterValue } from '../result-kit/index.ts';
import type { ModelEntity } from '../semantic-layer/index.ts';
import { truncate } from '../text-kit/index.ts';

/** `order date` of `order_date` and `orderDate`. */
export const spoken = (name: string): string =>
  name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1_$2')
    .replaceAll('_', ' ')
    .trim()
    .toLowerCase();

/** `status of orders`. */
export const memberText = (entity: ModelEntity, name: string): string => `${spoken(name)} of ${spoken(entity.name)}`;

const MAX_VALUES = 10;
const MAX_VALUE_CHARS = 80;

function valueText(value: FilterValue): string {
  return truncate(value === '' ? '""' : String(value), MAX_VALUE_CHARS);
}

export function valuesText(values: readonly FilterValue[], word: 'or' | 'nor' = 'or'): string {
  const shown = values.slice(0, MAX_VALUES).map(valueText);
  if (values.length > MAX_VALUES) shown.push(`${values.length - MAX_VALUES} more`);
  const last = shown.pop() ?? '';
  return shown.length === 0 ? last : `${shown.join(', ')} ${word} ${last}`;
}

const WORDS: Readonly<Record<FilterOperator, string>> = {
  equals: 'is',
  in: 'is',
  not_equals: 'is not',
  not_in: 'is neither',
  greater_than: 'is more than',
  greater_or_equal: 'is at least',
  less_than: 'is less than',
  less_or_equal: 'is at most',
  contains: 'contains',
  starts_with: 'starts with',
  ends_with: 'ends with',
  is_null: 'is missing',
  is_not_null: 'is given',
};
const TIME_WORDS: Partial<typeof WORDS> = {
  greater_than: 'is after',
  greater_or_equal: 'is from',
  less_than: 'is before',
  less_or_equal: 'is up to',
};

export function comparisonText(
  what: string,
  operator: FilterOperator,
  values: readonly FilterValue[],
  { isTime = false, not = false } = {},
): string {
  const words = (isTime ? TIME_WORDS[operator] : undefined) ?? WORDS[operator];
  const said = not ? words.replace(/^(contain|start|end)s/, 'does not $1').replace(/^is\b/, 'is not') : words;
  return [what, said, valuesText(values, operator === 'not_in' ? 'nor' : 'or')].filter(Boolean).join(' ');
}

/** `2026-10-01 up to, not including, 2026-11-01`. */
export function periodText(from: string | undefined, to: string | undefined, includesTo = false): string {
  if (from === undefined) return includesTo ? `up to ${to}` : `before ${to}`;
  if (to === undefined) return `from ${from} on`;
  return includesTo ? `${from} up to ${to}` : `${from} up to, not including, ${to}`;
}
