/** Tests ratios of measures, durations and comparisons of two columns, on rows in SQLite. */
import Sqlite from 'better-sqlite3';
import { afterAll, expect, it } from 'vitest';
import { kitDialects } from '../sql-kit/index.ts';
import { compileQuery } from './compile.ts';
import { dimension, entity, join, modelOf } from './fixtures/shop.ts';
import type { QueryPlan } from './plan.ts';

const dialects = await kitDialects();

const trips = entity('trips', {
  dimensions: [
    dimension('id', 'number', { primary_key: true }),
    dimension('driver', 'string'),
    dimension('began', 'timestamp'),
    dimension('ended', 'timestamp'),
    dimension('due', 'timestamp'),
    dimension('due_on', 'date'),
    dimension('km', 'number'),
    dimension('planned_km', 'number'),
  ],
  measures: [
    { name: 'cost', type: 'sum', sql: 'cost' },
    { name: 'fuel_level', type: 'sum', sql: 'planned_km', additive: 'not over time' },
  ],
  joins: [join('drivers', 'many_to_one', 'driver', 'name')],
});
const drivers = entity('drivers', {
  dimensions: [dimension('name', 'string', { primary_key: true }), dimension('licences', 'number')],
  measures: [{ name: 'all_licences', type: 'sum', sql: 'licences' }],
});
const model = modelOf([trips, drivers]);
const db = new Sqlite(':memory:');
db.exec(`CREATE TABLE trips (id, driver, began, ended, due, due_on, km, planned_km, cost);
  CREATE TABLE drivers (name, licences);
  INSERT INTO drivers VALUES ('Ada', 2), ('Ben', 4);
  INSERT INTO trips VALUES (1, 'Ada', '2024-01-01 08:00:00', '2024-01-02 20:00:00', '2024-01-02 08:00:00', '2024-01-02', 100, 90, 30),
    (2, 'Ada', '2024-01-03 08:00:00', '2024-01-03 14:00:00', '2024-01-04 08:00:00', '2024-01-02', 50, 60, 20),
    (3, 'Ben', '2024-01-05 08:00:00', NULL, '2024-01-06 08:00:00', '2024-01-06', 0, 10, 5)`);
afterAll(() => db.close());
const rows = (plan: QueryPlan) =>
  db
    .prepare(compileQuery(model, plan, { dialect: dialects.get('sqlite')! }).sql)
    .raw()
    .all();

it('divides totals of each group, never by zero, and orders by the ratio', () => {
  const plan: QueryPlan = {
    measures: ['trips.cost'],
    adhocMeasures: [{ name: 'all_km', type: 'sum', dimension: 'trips.km' }],
    ratios: [{ name: 'cost per km', of: 'trips.cost', per: 'all_km' }],
  };
  expect(rows(plan)).toEqual([[55 / 150, 55, 150]]);
  expect(rows({ ...plan, dimensions: [{ dimension: 'trips.driver' }] })).toEqual([
    ['Ada', 50 / 150, 50, 150],
    ['Ben', null, 5, 0],
  ]);
  const hundred = { ...plan.ratios![0]!, times: 100 };
  expect(rows({ ...plan, ratios: [hundred] })[0]).toMatchObject([expect.closeTo((100 * 55) / 150), 55, 150]);
  const quarter = { ...plan.ratios![0]!, times: 0.25 };
  expect(rows({ ...plan, ratios: [quarter] })[0]).toMatchObject([expect.closeTo((0.25 * 55) / 150), 55, 150]);
});

it('divides measures of two entities in the groups that both have', () => {
  const plan: QueryPlan = {
    measures: ['trips.cost', 'drivers.all_licences'],
    ratios: [{ name: 'r', of: 'trips.cost', per: 'drivers.all_licences' }],
    dimensions: [{ dimension: 'drivers.name' }],
    orderBy: [{ by: 'r', direction: 'asc' }],
  };
  expect(rows(plan).map((row) => (row as unknown[]).slice(0, 2))).toEqual([
    ['Ben', 1.25],
    ['Ada', 25],
  ]);
});

it('measures the time between two dates of a row, and compares it', () => {
  const duration = { dimension: 'trips.ended', since: 'trips.began', unit: 'hours' as const };
  expect(rows({ adhocMeasures: [{ name: 'h', type: 'avg', ...duration }] })).toMatchObject([[expect.closeTo(21)]]);
  const longer = { ...duration, operator: 'greater_than' as const, values: [10] };
  expect(rows({ measures: ['trips.count'], filters: [longer] })).toEqual([[1]]);
});

it('compares two columns of a row', () => {
  const than = (dimension: string, other: string): QueryPlan => ({
    measures: ['trips.count'],
    filters: [{ dimension, operator: 'greater_than', than: other }],
  });
  expect(rows(than('trips.km', 'trips.planned_km'))).toEqual([[1]]);
  expect(rows(than('trips.ended', 'trips.due'))).toEqual([[1]]);
  // One of them ended on the day it was due, which is no later; one on the day after.
  expect(rows(than('trips.ended', 'trips.due_on'))).toEqual([[1]]);
  expect(rows(than('trips.due_on', 'trips.ended'))).toEqual([[0]]);
});

it.each(['sqlite', 'postgres', 'mysql', 'duckdb'])('writes days in %s', (dialect) => {
  const plan: QueryPlan = {
    adhocMeasures: [{ name: 'd', type: 'avg', dimension: 'trips.ended', since: 'trips.began' }],
  };
  expect(compileQuery(model, plan, { dialect: dialects.get(dialect)! }).sql).toMatchSnapshot();
});

it.each([
  ['a part that the plan has not', { measures: ['trips.cost'], ratios: [{ name: 'r', of: 'trips.cost', per: 'x' }] }],
  [
    'a measure that does not add up over time',
    {
      measures: ['trips.cost', 'trips.fuel_level'],
      ratios: [{ name: 'r', of: 'trips.cost', per: 'trips.fuel_level' }],
      filters: [],
    },
  ],
  [
    'a date and a number',
    { measures: ['trips.count'], filters: [{ dimension: 'trips.ended', operator: 'equals', than: 'trips.km' }] },
  ],
  [
    'columns of two entities',
    {
      measures: ['trips.count'],
      filters: [{ dimension: 'trips.km', operator: 'less_than', than: 'drivers.licences' }],
    },
  ],
  [
    'a duration since a number',
    { adhocMeasures: [{ name: 'd', type: 'avg', dimension: 'trips.ended', since: 'trips.km' }] },
  ],
] as [string, QueryPlan][])('refuses %s', (_, plan) => {
  expect(() => rows(plan)).toThrow(expect.objectContaining({ name: 'PlanError' }));
});
