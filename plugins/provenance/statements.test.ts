/** Statements as models write them, on several engines: what is said of their filters, periods, measures and joins. */
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { loadSemanticLayer, readingOf, type SemanticModel, shownTables } from '../semantic-layer/index.ts';
import { DEFAULT_LIMITS, kitDialect, parseExpression } from '../sql-kit/index.ts';
import { assumptionsFor } from './assumptions.ts';
import { isNameable } from './measures.ts';
import { originOf, unreadOrigin } from './origin.ts';

let model: SemanticModel;
beforeAll(async () => {
  model = await loadSemanticLayer(join(import.meta.dirname, '../../semantic'));
});

async function read(sql: string, engine = 'sqlite', allowed: readonly string[] = []) {
  const dialect = await kitDialect(engine);
  await dialect.load?.();
  const reading = readingOf(sql, dialect, shownTables(model, 'default', true));
  return originOf(reading, model, allowed, new Date('2026-11-30T10:00:00Z'));
}

const where = (condition: string) => `SELECT COUNT(*) FROM orders o WHERE ${condition}`;

test.each<[string, string, string | string[]]>([
  ['sqlite', "o.status = 'completed'", 'status of orders is completed'],
  ['sqlite', "o.status <> 'completed'", 'status of orders is not completed'],
  ['sqlite', "o.status IS NOT 'completed'", 'status of orders is not completed or is missing'],
  ['postgres', "o.status IS DISTINCT FROM 'x'", 'status of orders is not x or is missing'],
  ['mysql', "NOT (o.status <=> 'x')", 'status of orders is not x or is missing'],
  ['sqlite', "(o.status <> 'x' OR o.status IS NULL)", 'status of orders is not x or is missing'],
  ['sqlite', "o.channel IN ('web', 'store')", 'channel of orders is web or store'],
  ['sqlite', "o.channel NOT IN ('web', 'store')", 'channel of orders is neither web nor store'],
  ['sqlite', '100 < o.total_amount', 'total amount of orders is more than 100'],
  ['sqlite', 'o.total_amount < -1', 'total amount of orders is less than -1'],
  ['postgres', 'o.rating IS NULL', 'rating of orders is missing'],
  ['sqlite', 'o.rating IS NOT NULL', 'rating of orders is given'],
  ['sqlite', "o.channel LIKE '%we%'", 'channel of orders contains we'],
  ['postgres', "o.channel ILIKE 'we%'", 'channel of orders starts with we'],
  ['sqlite', "o.channel LIKE '%50!%' ESCAPE '!'", 'channel of orders ends with 50%'],
  ['sqlite', "o.channel NOT LIKE '%b'", 'channel of orders does not end with b'],
  ['sqlite', "lower(o.channel) = 'web'", 'channel of orders is web'],
  ['sqlite', "o.channel = 'web' OR o.rating > 3", 'channel of orders is web or rating of orders is more than 3'],
  ['sqlite', 'o.shipped_at > o.ordered_at', 'shipped at of orders is after ordered at of orders'],
  [
    'sqlite',
    'o.total_amount BETWEEN 1 AND 2',
    ['total amount of orders is at least 1', 'total amount of orders is at most 2'],
  ],
  [
    'sqlite',
    'NOT EXISTS (SELECT 1 FROM order_items i WHERE i.order_id = o.id AND i.quantity > 3)',
    'there are no order items (quantity of order items is more than 3)',
  ],
  [
    'sqlite',
    "o.customer_id IN (SELECT id FROM customers WHERE country = 'Spain')",
    'customer id of orders is among customers (country of customers is Spain)',
  ],
  [
    'sqlite',
    'o.total_amount > (SELECT AVG(total_amount) FROM orders)',
    'total amount of orders is more than average order value',
  ],
  [
    'sqlite',
    'abs(o.rating - 3) > o.shipping_cost',
    'a calculation of rating of orders is more than shipping cost of orders',
  ],
  ['sqlite', 'julianday(o.shipped_at)', 'a condition on shipped at of orders'],
])('%s: %s', async (engine, condition, text) => {
  const { filters, periods } = (await read(where(condition), engine))!.provenance;
  expect(filters.map((filter) => filter.text)).toEqual([text].flat());
  expect(periods).toEqual([]);
  expect(filters.every(({ sql }) => sql !== undefined && sql !== '')).toBe(true);
});

test.each<[string, string, string | undefined, string | undefined, true?]>([
  ['sqlite', "o.ordered_at >= '2026-10-01' AND o.ordered_at < '2026-11-01'", '2026-10-01', '2026-11-01'],
  ['postgres', "o.ordered_at >= DATE '2026-10-01' AND o.ordered_at < '2026-11-01'::date", '2026-10-01', '2026-11-01'],
  ['sqlite', "date(o.ordered_at) BETWEEN '2026-10-01' AND '2026-10-31'", '2026-10-01', '2026-11-01'],
  ['postgres', "o.ordered_at::date BETWEEN '2026-10-01' AND '2026-10-31'", '2026-10-01', '2026-11-01'],
  ['sqlite', "o.ordered_at BETWEEN '2026-10-01' AND '2026-10-31'", '2026-10-01', '2026-10-31', true],
  ['sqlite', "strftime('%Y-%m', o.ordered_at) = '2026-10'", '2026-10-01', '2026-11-01'],
  ['sqlite', "strftime('%Y', o.ordered_at) >= '2025'", '2025-01-01', undefined],
  ['postgres', 'EXTRACT(YEAR FROM o.ordered_at) = 2025', '2025-01-01', '2026-01-01'],
  ['mysql', 'YEAR(o.ordered_at) = 2025', '2025-01-01', '2026-01-01'],
  ['postgres', "date_trunc('month', o.ordered_at) = '2026-10-01'", '2026-10-01', '2026-11-01'],
  ['postgres', "o.ordered_at >= CURRENT_DATE - INTERVAL '30 days'", '2026-10-31', undefined],
  [
    'postgres',
    "o.ordered_at >= date_trunc('month', now()) - interval '1 month' AND o.ordered_at < date_trunc('month', now())",
    '2026-10-01',
    '2026-11-01',
  ],
  [
    'sqlite',
    "o.ordered_at >= date('now', 'start of month', '-1 month') AND o.ordered_at < date('now', 'start of month')",
    '2026-10-01',
    '2026-11-01',
  ],
  ['mysql', 'o.ordered_at >= DATE_SUB(CURDATE(), INTERVAL 1 MONTH)', '2026-10-30', undefined],
  ['sqlite', "'2026-01-01 12:00:00' <= o.ordered_at", '2026-01-01 12:00:00', undefined],
])('%s: %s is a period', async (engine, condition, from, to, includesTo = false as never) => {
  const { filters, periods } = (await read(where(condition), engine))!.provenance;
  expect(filters).toEqual([]);
  expect(periods).toMatchObject([{ column: 'orders.ordered_at', includesTo: includesTo === true, timeZone: 'UTC' }]);
  expect([periods[0]?.from, periods[0]?.to]).toEqual([from, to]);
});

test.each([
  ['a time of today', 'postgres', "o.ordered_at >= now() - interval '1 hour'"],
  ['a day in a zone that the connection decides', 'trino', "o.ordered_at >= current_date - INTERVAL '1' DAY"],
  ['no year of a database', 'sqlite', "strftime('%Y', o.ordered_at) = '20261'"],
])('%s is no period, and nothing is made up', async (_, engine, condition) => {
  const { filters, periods } = (await read(where(condition), engine))!.provenance;
  expect(periods).toEqual([]);
  expect(filters).toHaveLength(1);
});

test('measures are recognized through aliases, rounding and common tables; other calculations are told as such', async () => {
  const origin = await read(`
    WITH m AS (SELECT c.country, SUM(o.total_amount) AS worth, MAX(o.rating) AS best
      FROM orders AS o JOIN customers AS c ON c.id = o.customer_id GROUP BY 1)
    SELECT country, worth, best, ROUND(worth) AS r FROM m WHERE worth > 10 LIMIT 5`);
  expect(origin).toMatchObject({ limitRows: 5, isSampled: false, formats: { worth: { style: 'currency' } } });
  expect(origin?.entities.map(({ name }) => name)).toEqual(['orders', 'customers']);
  expect(origin?.provenance).toMatchObject({
    measures: [
      { name: 'orders.total_order_value', definition: 'Sum of the values of the orders.', sql: 'SUM(total_amount)' },
      { name: 'largest of rating of orders', definition: 'Largest of rating of orders', sql: 'MAX(o.rating)' },
    ],
    joins: [{ from: 'customers', to: 'orders', on: [{ from: 'id', to: 'customer_id' }] }],
    filters: [{ text: 'worth is more than 10' }],
  });
});

test('conditions of several parts say which part they limit', async () => {
  const { provenance } = (await read(`
    WITH a AS (SELECT COUNT(*) AS n FROM orders WHERE ordered_at < '2026-01-01'),
      b AS (SELECT COUNT(*) AS n FROM orders WHERE status = 'completed')
    SELECT a.n, b.n FROM a CROSS JOIN b`))!;
  expect(provenance).toMatchObject({ periods: [{ part: 'a' }], filters: [{ part: 'b' }] });
});

test('tables that the layer does not know are told where the statement reads them, common tables are not', async () => {
  const sql = 'WITH mine AS (SELECT 1) SELECT * FROM mine, other_table, orders';
  const origin = await read(sql, 'sqlite', ['other_table', 'orders', 'policies_of_tenants']);
  expect([origin?.otherTables, origin?.entities.map(({ name }) => name)]).toEqual([['other_table'], ['orders']]);
});

test('of what cannot be read the tables are told, and nothing is made up', async () => {
  expect(await read('SELECT FROM WHERE')).toBeUndefined();
  const { entities, otherTables, provenance, formats } = unreadOrigin(model, ['main.orders', 'other']);
  expect([entities.map(({ name }) => name), otherTables, formats]).toEqual([['orders'], ['other'], undefined]);
  expect(provenance).toEqual({ measures: [], filters: [], periods: [], joins: [] });
});

test('assumptions are those of the question', async () => {
  const month = "ordered_at >= '2026-10-01' AND ordered_at < '2026-11-01'";
  const { meanings } = (await read(`SELECT AVG(total_amount) FROM orders WHERE ${month} AND status = 'completed'`))!;
  const of = (question: string) => assumptionsFor(meanings, question);
  expect(of('What was the AOV of delivered orders last month?')).toEqual([
    'last month: 2026-10-01 up to, not including, 2026-11-01',
    'The period is about ordered at of orders.',
    expect.stringMatching(/^"delivered orders" means: /),
    '"aov" means average order value.',
  ]);
  expect(of('average order value by order date in October')).toEqual([]);
  expect(assumptionsFor(meanings, undefined)).toEqual([]);
});

test('a condition of very many parts is described without a look for its name', async () => {
  const wide = (parts: number) => `(${Array.from({ length: parts }, (_, at) => `o.rating <> ${at}`).join(' AND ')})`;
  const nested = Array.from({ length: 30 }).reduce<string>((inner) => `(${wide(40)} OR ${inner})`, 'o.rating = 1');
  const dialect = await kitDialect('sqlite');
  const isNamed = (condition: string) => isNameable(parseExpression(condition, dialect, DEFAULT_LIMITS));
  expect([isNamed(wide(100)), isNamed(nested)]).toEqual([true, false]);
  expect((await read(where(nested)))?.provenance.filters[0]?.text).toMatch(/^\(rating of orders is not 0 and /);
});
