/** The guard's view of a statement and the engine's own agree: what one admits the other runs. */
import { expect, test } from 'vitest';
import { fromFailure, Schema } from '../../plugins/datasource-sqlite/index.ts';
import { honest } from '../fixtures/sql/sqlite-honest.ts';
import { hostile } from '../fixtures/sql/sqlite-hostile.ts';
import { check, shopDatabase } from '../fixtures/sql/sqlite-shop.ts';

const schema = new Schema(shopDatabase(), 1);

test.each(honest)('the engine accepts what the guard admits: %s', (sql) => {
  const { sql: printed, tables, functions } = check(sql);
  expect(schema.prepare(printed, { tables, functions }).readonly).toBe(true);
});

/** The guard's own rules: forms that read nothing which is not allowed. */
const ownRules = new Set(['syntax', 'size', 'parameter', 'function', 'column']);
const reaching = Object.entries(hostile).flatMap(([rule, statements]) => (ownRules.has(rule) ? [] : statements));

/** SQLite drops the part that names the hidden table, or a name hides it. */
const harmless = new Set([
  'SELECT 1;;',
  'SELECT sum(total) OVER (ORDER BY id ROWS (SELECT count(*) FROM secrets) PRECEDING) FROM orders',
  'WITH x AS (SELECT * FROM secrets) SELECT 1',
  'WITH sqlite_master AS (SELECT 1) SELECT * FROM sqlite_master',
]);

test.each(reaching)('the engine alone refuses, or reads nothing hidden: %s', (sql) => {
  const tables = ['customers', 'orders', 'order_items', 'group', 'Größe', 'order_totals'];
  const attempt = () => schema.prepare(sql, { tables, functions: [] });
  if (harmless.has(sql)) expect(String(outcomeOf(() => attempt().all()))).not.toContain('s3cr3t');
  else expect(attempt).toThrow();
});

function outcomeOf(run: () => unknown): unknown {
  try {
    return JSON.stringify(run(), (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value));
  } catch (error) {
    return error;
  }
}

test.each([
  [`SELECT id FROM orders WHERE "order" = 1 AND status = "paid"`, `"paid"`, `'paid'`],
  [`SELECT id FROM orders WHERE status = "never paid"`, `"never paid"`, `'never paid'`],
  [`SELECT id FROM orders WHERE status IN ("paid", "open")`, `"paid"`, `'paid'`],
  ['SELECT amont FROM orders', '"amont"', `'amont'`],
])('a text in double quotes is no column, and the hint says so: %s', (sql, name, text) => {
  const { sql: printed, tables, functions } = check(sql);
  const error = outcomeOf(() => schema.prepare(printed, { tables, functions })) as Error;
  const failure = { kind: 'engine', code: 'SQLITE_ERROR', message: error.message, metData: false } as const;
  const { hint } = fromFailure(failure, 'shop.db');
  expect(hint).toContain(`There is no column ${name} here`);
  expect(hint).toContain(`write it in single quotes: ${text}.`);
});
