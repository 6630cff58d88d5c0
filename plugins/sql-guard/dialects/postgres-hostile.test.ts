import { readdirSync } from 'node:fs';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { harmless, hostile, impossible } from '../../../test/fixtures/sql/postgres-hostile.ts';
import { costly, hostileMore, impossibleMore } from '../../../test/fixtures/sql/postgres-hostile-more.ts';
import { check, createShop } from '../../../test/fixtures/sql/postgres-shop.ts';
import { hostileStatements, refusalBy } from '../../../test/harness/hostile-statements.ts';
import { startPostgres } from '../../../test/harness/postgres.ts';
import { postgres } from '../../sql-kit/index.ts';

let client: Client;
let stop: () => Promise<void>;
let before: unknown;

/** All that a statement could have left behind, as the server tells it. */
async function traces() {
  const { rows } = await client.query(`
    SELECT (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory') AS locks,
           (SELECT count(*) FROM pg_largeobject_metadata) AS objects,
           (SELECT count(*) FROM touched) AS touched,
           (SELECT last_value || ' ' || is_called FROM counter) AS counter,
           (SELECT count(*) FROM pg_class) AS relations,
           (SELECT string_agg(name || '=' || coalesce(setting, ''), ' ' ORDER BY name) FROM pg_settings WHERE source = 'session') AS settings,
           (SELECT sum(id) FROM orders) AS orders,
           (SELECT count(*) FROM pg_listening_channels()) AS channels,
           (SELECT count(*) FROM pg_prepared_statements WHERE from_sql) AS prepared`);
  return { ...rows[0], files: readdirSync('/tmp').filter((name) => name === 'stolen' || name === 'x') };
}

beforeAll(async () => {
  const server = await startPostgres();
  stop = server.stop;
  client = new Client(server.url);
  await client.connect();
  await createShop(client);
  await postgres.load?.();
  before = await traces();
}, 60_000);
afterAll(async () => {
  await client.end();
  await stop();
});

const refusal = (sql: string) => refusalBy(check, sql);

hostileStatements(check, [hostile, hostileMore], 330);

test('hostile statements leave the parser as it was', () => {
  for (let round = 0; round < 20; round += 1) for (const sql of hostile.size) refusal(sql);
  expect(check('SELECT count(*) FROM orders').sql).toBe('SELECT pg_catalog.count(*) FROM orders');
});

describe('harmless statements', () => {
  test.each(harmless)('%s', async (sql) => {
    const { rows } = await client.query({ text: check(sql).sql, values: [] });
    expect(JSON.stringify(rows)).not.toMatch(/5000|4000|101|102|ann@|s3cr3t/);
  });
});

describe('what looks like a column and is a call', () => {
  test.each([...impossible, ...impossibleMore])('%s', async (sql) => {
    const { sql: printed } = check(sql);
    await expect(client.query({ text: printed, values: [] }), printed).rejects.toThrow(
      /does not exist|not composite|could not identify column|must be|requires array|notation|can only be applied/,
    );
  });
});

describe('what costs much', () => {
  test.each(costly)('%s', async (sql) => {
    const { sql: printed } = check(sql);
    await client.query("SET statement_timeout = '500ms'");
    await client.query({ text: printed, values: [] }).catch(({ message }: Error) => {
      expect(message).toMatch(/timeout|too complex|too long|too large|stack depth|invalid|parentheses|overflow/);
    });
    await client.query('RESET statement_timeout');
    await expect(client.query('SELECT 1 AS one')).resolves.toMatchObject({ rows: [{ one: 1 }] });
  });
});

test('nothing is changed on the server', async () => {
  expect(await traces()).toEqual(before);
});

describe('what a refusal says', () => {
  test.each([
    [
      'SELECT * FROM "order"',
      'Table "order" is not in the semantic layer; did you mean "orders"? (line 1, column 15).',
    ],
    [
      'SELECT *\nFROM\n  custmers',
      'Table "custmers" is not in the semantic layer; did you mean "customers"? (line 3, column 3).',
    ],
    ["SELECT 'é', ü FROM secrets", 'Table "secrets" is not in the semantic layer (line 1, column 20).'],
    ['SELECT strftime(1)', 'Function "strftime" is not allowed (line 1, column 8).'],
    ['DELETE FROM orders', 'DELETE is not a reading statement (line 1, column 1).'],
    ['SELECT 1; SELECT 2', 'A second statement begins (line 1, column 11).'],
    ['SELECT * FROM', 'Syntax error at end of input (line 1, column 14).'],
    ["SELECT 'é', a frm x y", 'Syntax error at or near "x" (line 1, column 19).'],
  ])('%s', (sql, message) => {
    expect(refusal(sql).message).toBe(message);
  });

  test.each([
    ["SELECT strftime('%Y', 1)", "to_char(column, 'YYYY-MM')"],
    ['SELECT ifnull(1, 2)', 'COALESCE'],
    ['SELECT lowr(name) FROM customers', 'Did you mean "lower"?'],
    ['SELECT id FROM orders LIMIT 3, 5', 'LIMIT count OFFSET start'],
    ['SELECT `id` FROM orders', 'double quotes'],
    ['SELECT TOP 5 id FROM orders', 'LIMIT'],
    ['SELECT s.amount FROM salaries s', 'Columns that can: name, email.'],
    ['SELECT * FROM generate_series(1, (SELECT sum(id) FROM orders))', 'min(…), max(…)'],
    ["SELECT 'x'::regclass", 'catalogs cannot be read'],
    ['DROP TABLE orders', 'Only one reading statement runs here'],
  ])('hint of %s', (sql, hint) => {
    expect(refusal(sql).hint).toContain(hint);
  });
});
