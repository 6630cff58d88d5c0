/** Tests measures that do not add up over time, on rows in SQLite. */
import Sqlite from 'better-sqlite3';
import { afterAll, expect, it } from 'vitest';
import { kitDialect } from '../sql-kit/index.ts';
import { compileQuery } from './compile.ts';
import { dimension, entity, modelOf } from './fixtures/shop.ts';
import type { QueryPlan } from './plan.ts';

const sqlite = await kitDialect('sqlite');

const balances = entity('balances', {
  dimensions: [
    dimension('account', 'number', { primary_key: true }),
    dimension('day', 'date', { primary_key: true }),
    dimension('opened', 'date'),
    dimension('amount', 'number'),
  ],
  measures: [
    { name: 'balance', type: 'sum', sql: 'amount', additive: 'not over time' },
    { name: 'fees', type: 'sum', sql: 'account' },
    { name: 'share', type: 'ratio', sql: '{balance} / COUNT(*)' },
  ],
});
const model = modelOf([balances]);
const db = new Sqlite(':memory:');
db.exec(`CREATE TABLE balances (account, day, opened, amount);
  INSERT INTO balances VALUES (1, '2024-01-30', '2020-01-01', 10), (1, '2024-01-31', '2020-01-01', 11),
    (2, '2024-01-31', '2020-01-01', 100), (1, '2024-02-10', '2020-01-01', 12), (2, '2024-02-09', '2020-01-01', 90)`);
afterAll(() => db.close());
const rows = (plan: QueryPlan) =>
  db
    .prepare(compileQuery(model, plan, { dialect: sqlite }).sql)
    .raw()
    .all();
const measures = ['balances.balance'];
const day = 'balances.day';

it('is that of the last time', () => {
  expect(rows({ measures })).toEqual([[12]]);
  expect(rows({ measures, timeRange: { dimension: day, from: '2024-01-01', to: '2024-02-01' } })).toEqual([[111]]);
  const filters = [{ dimension: 'balances.account', operator: 'equals' as const, values: [2] }];
  expect(rows({ measures, filters })).toEqual([[90]]);
});

it('is that of the last time of each period', () => {
  expect(rows({ measures, dimensions: [{ dimension: day, grain: 'month' }], orderBy: [{ by: day }] })).toEqual([
    ['2024-01', 111],
    ['2024-02', 12],
  ]);
});

it('by the time itself, every time is shown', () => {
  expect(rows({ measures, dimensions: [{ dimension: day }], orderBy: [{ by: day }] })).toEqual([
    ['2024-01-30', 10],
    ['2024-01-31', 111],
    ['2024-02-09', 90],
    ['2024-02-10', 12],
  ]);
});

it('an own sum over the same column is no way around it, an average is free', () => {
  const own = (type: 'sum' | 'avg') => rows({ adhocMeasures: [{ name: 'all', type, dimension: 'balances.amount' }] });
  expect(own('sum')).toEqual([[12]]);
  expect(own('avg')).toEqual([[44.6]]);
});

it.each([
  ['other measures', { measures: ['balances.balance', 'balances.fees'] }, 'ask about them separately'],
  ['an expression', { measures: ['balances.share'] }, 'cannot be part of another expression'],
])('is refused with %s', (_, plan, message) => {
  expect(() => rows(plan)).toThrow(message);
});

it('is refused where its time is not clear', () => {
  const dimensions = balances.dimensions.map(({ primary_key: _, ...one }) => one);
  const unclear = modelOf([{ ...balances, dimensions }]);
  expect(() => compileQuery(unclear, { measures }, { dialect: sqlite })).toThrow('mark that date as primary_key');
});
