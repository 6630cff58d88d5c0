/** Values are written with the unit and format of the layer, the same wherever they are shown. */
import { expect, test } from 'vitest';
import { formattedValue, originLines, type Provenance, type ValueFormat, valueFormat } from './index.ts';

test.each<[string | undefined, string | undefined, ValueFormat | undefined]>([
  ['currency', undefined, { style: 'currency' }],
  ['currency', 'USD', { style: 'currency', unit: 'USD' }],
  ['currency EUR', undefined, { style: 'currency', unit: 'EUR' }],
  ['EUR', undefined, { style: 'currency', unit: 'EUR' }],
  [undefined, 'GBP', { style: 'currency', unit: 'GBP' }],
  ['Percent', undefined, { style: 'percent' }],
  [undefined, '%', { style: 'percent' }],
  ['duration', 'minutes', { style: 'duration', unit: 'minutes' }],
  ['compact', 'USD', { style: 'compact', unit: 'USD' }],
  [undefined, 'pieces', { style: 'number', unit: 'pieces' }],
  ['#,##0.00', undefined, undefined],
  [undefined, undefined, undefined],
])('format %s and unit %s are %o', (format, unit, expected) => {
  expect(valueFormat({ ...(format && { format }), ...(unit && { unit }) })).toEqual(expected);
});

test.each<[unknown, ValueFormat | undefined, string | undefined]>([
  [1234567, undefined, '1,234,567'],
  [1234.5, undefined, '1,234.50'],
  [0.12345, undefined, '0.1235'],
  [1234.5, { style: 'currency', unit: 'USD' }, '1,234.50 USD'],
  [3, { style: 'currency' }, '3.00'],
  ['12345678901234567890.125', { style: 'currency', unit: 'EUR' }, '12,345,678,901,234,567,890.13 EUR'],
  [12.5, { style: 'percent' }, '12.50 %'],
  [7, { style: 'number', unit: 'hours' }, '7 hours'],
  [1_234_567, { style: 'compact', unit: 'USD' }, '1.2M USD'],
  [90, { style: 'duration' }, '1 min 30 s'],
  [80, { style: 'duration', unit: 'minutes' }, '1 h 20 min'],
  [59.9999, { style: 'duration', unit: 'minutes' }, '60 min'],
  [-1.5, { style: 'duration', unit: 'days' }, '-1 d 12 h'],
  [250, { style: 'duration', unit: 'ms' }, '250 ms'],
  [0, { style: 'duration' }, '0 ms'],
  ['2026-01-01', { style: 'currency' }, undefined],
  ['', { style: 'currency' }, undefined],
  [null, { style: 'percent' }, undefined],
  [Number.NaN, { style: 'percent' }, undefined],
])('%s with %o is %s', (value, format, text) => {
  expect(formattedValue(value, format, 'en-US')).toBe(text);
});

test("another language has its own signs, and the unit stays the layer's", () => {
  expect(formattedValue(1234.5, { style: 'currency', unit: 'EUR' }, 'de')).toBe('1.234,50 EUR');
});

const NOTHING: Provenance = {
  tables: [],
  measures: [],
  filters: [],
  periods: [],
  joins: [],
  policies: [],
  limit: { rows: null, truncated: false, sampled: false },
  assumptions: [],
};
const fresh = { column: 'orders.at', last: '2026-10-31T18:04:11Z', checkedAt: '', isLate: false };

test('the origin fits two lines, of which the second says what is left out', () => {
  const text = 'at of orders: 2026-10-01 up to, not including, 2026-11-01';
  const origin: Provenance = {
    ...NOTHING,
    tables: [
      { name: 'orders', freshness: { ...fresh, within: '24h', isLate: true } },
      { name: 'customers', freshness: null },
    ],
    periods: [{ column: 'orders.at', text, includesTo: false, timeZone: 'UTC' }],
    filters: [{ text: 'status of orders is completed' }],
    policies: ['rows', 'values'],
    limit: { rows: 5, truncated: true, sampled: true },
  };
  expect(originLines(origin)).toEqual([
    `From: orders (up to 2026-10-31 18:04, older than 24h allows), customers; ${text}, status of orders is completed`,
    'row security limits the rows; some columns are masked; a sample of the rows; not all rows',
  ]);
  expect(originLines({ ...NOTHING, tables: [{ name: 'orders', freshness: { ...fresh, last: null } }] })).toEqual([
    'From: orders (no rows with a time)',
  ]);
  expect(originLines(NOTHING)).toEqual([]);
  const many = Array.from({ length: 9 }, (_, at) => ({ name: `table_${at}`, freshness: null }));
  expect(originLines({ ...NOTHING, tables: many })).toEqual(['From: table_0, table_1, table_2, table_3 and 5 more']);
});
