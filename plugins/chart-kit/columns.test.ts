import { expect, it } from 'vitest';
import { columnsOf, type ResultTable } from './columns.ts';
import { instantOf, valueAt } from './values.ts';

function tableOf(
  values: Readonly<Record<string, readonly unknown[]>>,
  columnTypes?: ResultTable['columnTypes'],
): ResultTable {
  const columns = Object.keys(values);
  const count = Math.max(...Object.values(values).map(({ length }) => length));
  const rows = Array.from({ length: count }, (_, at) =>
    Object.fromEntries(columns.map((name) => [name, values[name]?.[at] ?? null])),
  );
  return { columns, rows, ...(columnTypes && { columnTypes }) };
}

it.each([
  ['revenue', [1, 2.5], 'number', true],
  ['customer_id', [1, 2], 'number', false],
  ['orderId', [1, 2], 'number', false],
  ['year', [2023, 2024], 'number', false],
  ['total', ['12345678901234567.89', '1.00'], 'digits', true],
  ['code', ['4711', '815'], 'digits', false],
  ['zip', ['01234', '99999'], 'text', false],
  ['day', ['2024-01-31', '2024-02-01 10:00:00+02'], 'date', false],
  ['day', ['2024-01-31', 'soon'], 'text', false],
  ['paid', [true, false], 'boolean', false],
  ['details', [{ a: 1 }], 'json', false],
  ['nothing', [null], 'empty', false],
  ['mixed', [1, 'a'], 'json', false],
  ['paid', [3, null], 'number', true],
])('%s with %j is %s', (name, values, kind, isQuantity) => {
  expect(columnsOf(tableOf({ [name]: values }))).toMatchObject([{ id: 'c0', name, kind, isQuantity }]);
});

it('the types of the server come first', () => {
  expect(columnsOf(tableOf({ a: ['x'], b: ['2024-01-01'] }, ['json', 'string']))).toMatchObject([
    { kind: 'json' },
    { kind: 'date' },
  ]);
});

it('reads a column that is named like a property of objects', () => {
  const row = JSON.parse('{"__proto__": 1, "constructor": 2}');
  expect(valueAt(row, { name: '__proto__' })).toBe(1);
  expect(valueAt({}, { name: '__proto__' })).toBeNull();
  expect(valueAt({}, { name: 'constructor' })).toBeNull();
});

it.each([
  ['2024-01', '2024-01-01T00:00:00.000Z'],
  ['2024-01-31', '2024-01-31T00:00:00.000Z'],
  ['2024-01-31 10:20', '2024-01-31T10:20:00.000Z'],
  ['2024-01-31T10:20:30.5Z', '2024-01-31T10:20:30.500Z'],
  ['2024-01-31 10:20:30+02', '2024-01-31T08:20:30.000Z'],
  ['2024-01-31 10:20:30-0330', '2024-01-31T13:50:30.000Z'],
])('%s is an instant', (text, instant) => {
  expect(new Date(instantOf(text) ?? Number.NaN).toISOString()).toBe(instant);
});

it.each(['2024', '2024-13-01', '01/02/2024', 'x', ''])('%j is none', (text) => {
  expect(instantOf(text)).toBeUndefined();
});
