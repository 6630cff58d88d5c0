/** Tests on SQLite which rows of an ordered statement may change places. */
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { kitDialect } from '../sql-kit/index.ts';
import { type ComparedResult, resultDifference } from './compare-results.ts';
import { goldOrder, inGivenOrder, orderedGroups } from './gold-order.ts';

const sqlite = await kitDialect('sqlite');

const database = new Database(':memory:');
database.exec(`CREATE TABLE sales (name TEXT, region TEXT, amount INTEGER);
  INSERT INTO sales VALUES ('a','N',5), ('b','N',3), ('c','S',3), ('d','S',3), ('e','W',1);`);

function run(sql: string): ComparedResult {
  const statement = database.prepare(sql);
  const columns = statement.columns().map(({ name }) => name);
  return { columns, rows: statement.all() as ComparedResult['rows'] };
}

function expected(sql: string) {
  const result = run(sql);
  const order = goldOrder(sql, sqlite);
  if (order === undefined) throw new Error('It has no order.');
  return order.sql === undefined ? inGivenOrder(result) : orderedGroups(run(order.sql), order, result.rows.length);
}

const names = (...given: string[]): ComparedResult => ({ columns: ['name'], rows: given.map((name) => ({ name })) });
const isRight = (sql: string, ...given: string[]) => resultDifference(names(...given), expected(sql)) === undefined;

describe('rows with equal keys', () => {
  it.each([
    'SELECT name FROM sales ORDER BY amount DESC',
    'SELECT name, amount FROM sales ORDER BY 2 DESC',
    'SELECT name, amount AS total FROM sales ORDER BY total DESC',
    'SELECT name FROM sales GROUP BY name ORDER BY SUM(amount) DESC',
  ])('may change places: %s', (sql) => {
    const given = (order: readonly string[]): ComparedResult => ({
      columns: ['name', 'amount'],
      rows: order.map((name) => run(`SELECT name, amount FROM sales WHERE name = '${name}'`).rows[0] ?? {}),
    });
    expect(resultDifference(given(['a', 'd', 'b', 'c', 'e']), expected(sql))).toBeUndefined();
    expect(resultDifference(given(['a', 'b', 'c', 'e', 'd']), expected(sql))).toContain('not in the order');
  });

  it('at a LIMIT may stand in for each other', () => {
    const sql = 'SELECT name FROM sales ORDER BY amount DESC LIMIT 2';
    for (const second of ['b', 'c', 'd']) expect(isRight(sql, 'a', second)).toBe(true);
    expect(isRight(sql, 'a', 'e')).toBe(false);
    expect(isRight(sql, 'b', 'a')).toBe(false);
    expect(isRight(sql, 'a', 'b', 'c')).toBe(false);
    expect(isRight('SELECT name FROM sales ORDER BY amount DESC LIMIT 3', 'a', 'c', 'c')).toBe(false);
  });

  it('keep their places where the keys cannot be told', () => {
    expect(isRight('SELECT DISTINCT name FROM sales ORDER BY amount DESC', 'a', 'c', 'b', 'd', 'e')).toBe(false);
    expect(isRight('SELECT DISTINCT name FROM sales ORDER BY name', 'a', 'b', 'c', 'd', 'e')).toBe(true);
  });
});

it.each([
  'SELECT name FROM sales',
  'SELECT name FROM (SELECT name FROM sales ORDER BY amount)',
  'SELECT name, ROW_NUMBER() OVER (ORDER BY amount) FROM sales',
  'not SQL',
])('has no order of its own: %s', (sql) => {
  expect(goldOrder(sql, sqlite)).toBeUndefined();
});
