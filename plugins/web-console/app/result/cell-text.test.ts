import { expect, it } from 'vitest';
import { plainText } from '../../../chart-kit/index.ts';
import { groupedNumber, shownText } from './cell-text.ts';

it.each([
  [1234.5, 'en', '1,234.5'],
  [1234.5, 'de', '1.234,5'],
  [-0.1 - 0.2, 'en', '-0.30000000000000004'],
  ['12345678901234567890.12', 'en', '12,345,678,901,234,567,890.12'],
  ['1.50', 'en', '1.50'],
  [1e21, 'en', '1e+21'],
  [1e-7, 'en', '1e-7'],
  ['Infinity', 'en', 'Infinity'],
])('%s in %s keeps its digits', (value, locale, text) => {
  expect(groupedNumber(value, locale)).toBe(text);
});

it.each([
  [null, true, '—'],
  [1234, false, '1234'],
  [true, false, 'true'],
  [{ a: [1] }, false, '{"a":[1]}'],
  ['', false, ''],
])('shows %j', (value, isQuantity, text) => {
  expect(shownText(value, { isQuantity }, 'en')).toBe(text);
});

it('writes values with the format of the layer, and what is no number as it is', () => {
  const column = { isQuantity: true, format: { style: 'currency', unit: 'USD' } } as const;
  expect(shownText(1234.567, column, 'en')).toBe('1,234.57 USD');
  expect(shownText('n/a', column, 'en')).toBe('n/a');
  expect(shownText(null, column, 'en')).toBe('—');
});

it('writes values for programs', () => {
  expect([null, 1234.5, 'x', [1, { a: null }]].map(plainText)).toEqual(['', '1234.5', 'x', '[1,{"a":null}]']);
});
