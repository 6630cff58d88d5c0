/** What is told of empty results, what it costs, and where nothing is told. */
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { AtlasError, definePlugin, type PluginEntry, sqlCheck } from '../../kernel/index.ts';
import { databases as internalDatabases } from '../../test/harness/managed-server.ts';
import { SqliteFolder } from '../../test/harness/sqlite.ts';
import { actions } from '../actions/index.ts';
import { approvalRules } from '../approval-rules/index.ts';
import { audit } from '../audit/index.ts';
import { authNone } from '../auth-none/index.ts';
import { datasourceSqlite } from '../datasource-sqlite/index.ts';
import { http } from '../http/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { jobs } from '../jobs/index.ts';
import { openShop, SHOP, type Shop, type ShopOptions } from './fixtures/shop.ts';

const databases = new SqliteFolder();
const MANY = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
  INSERT INTO customers SELECT i + 10, 'Town ' || i, 'x', 'many' FROM n;
  INSERT INTO customers VALUES (5000, 'Zwettl', 'x', 'many');`;
const path = databases.create('shop.db', `${SHOP};${MANY}`);
const open = (options: Omit<ShopOptions, 'datasource'> = {}) =>
  openShop({ ...options, datasource: datasourceSqlite({ connections: [{ id: 'shop', url: `sqlite:${path}` }] }) });

let shop: Shop;
let tenants: Shop;
beforeAll(async () => {
  shop = await open();
  tenants = await open({ hasRowSecurity: true });
});
afterAll(async () => {
  await shop?.[Symbol.asyncDispose]();
  await tenants?.[Symbol.asyncDispose]();
  databases[Symbol.dispose]();
});

describe('filters in words', () => {
  test.each<[string, string]>([
    ["status = 'sent'", 'status of orders is sent'],
    ["status LIKE 'comp%x'", 'a condition on status of orders'],
    [
      "ordered_at >= '2000-01-01' AND ordered_at < '2000-02-01'",
      'ordered at of orders is from 2000-01-01 up to, not including, 2000-02-01',
    ],
    ["strftime('%Y', ordered_at) = '2000'", 'ordered at of orders is from 2000-01-01 up to, not including, 2001-01-01'],
    ["(status = 'sent' OR amount > 500)", 'status of orders is sent or amount of orders is more than 500'],
    ['NOT EXISTS (SELECT 1 FROM customers c WHERE c.id = orders.customer_id)', 'there are no rows of a subquery'],
  ])('%s', async (condition, words) => {
    expect((await shop.explain(`SELECT id FROM orders WHERE ${condition}`))?.filters).toEqual([words]);
  });
});

describe('near values', () => {
  const near = async (sql: string, tenant?: string, asked = shop) => (await asked.explain(sql, tenant))?.nearValues;
  const cityIs = (city: string) => `SELECT id FROM customers WHERE city = '${city}'`;

  test.each(['KÖLN', 'koln', 'Kölnn', 'Köln (Rhein)', 'Kön'])('of %s', async (city) => {
    expect(await near(cityIs(city))).toEqual([{ column: 'customers.city', value: city, values: ['Köln'] }]);
  });

  it('are found among more values than are compared, by the first letters', async () => {
    expect(await near(cityIs('Zwetl'))).toMatchObject([{ values: ['Zwettl'] }]);
    expect(shop.tried.at(-1)).toBe("SELECT DISTINCT city AS c0 FROM customers WHERE lower(city) LIKE 'zwe%' LIMIT 501");
    expect(await near(cityIs('Paris'))).toBeUndefined();
  });

  it('are those of the rows that the reader may see', async () => {
    expect(await near(cityIs('Gratz la Belle'), 'other', tenants)).toMatchObject([{ values: ['Graz'] }]);
    expect(await near(cityIs('Gratz la Belle'), 'acme', tenants)).toMatchObject([{ values: ['Köln', 'Wien'] }]);
    expect(await near(cityIs('Grazz'), 'other', tenants)).toMatchObject([{ values: ['Graz'] }]);
    expect(await near(cityIs('Grazz'), 'acme', tenants)).toMatchObject([{ values: ['Köln', 'Wien'] }]);
  });

  it('are none of a time', async () => {
    expect(await near("SELECT id FROM orders WHERE ordered_at = '2024-11-01 08:00'")).toBeUndefined();
  });

  it('are none that are long texts', async () => {
    const text = 'x'.repeat(3_000);
    const notes = databases.create('notes.db', `${SHOP}; UPDATE customers SET city = '${text}' || id WHERE id < 3`);
    await using other = await openShop({
      datasource: datasourceSqlite({ connections: [{ id: 'shop', url: `sqlite:${notes}` }] }),
    });
    expect(await near(cityIs(text), undefined, other)).toMatchObject([{ values: ['Graz'] }]);
  });

  it('are none of a masked column', async () => {
    const explanation = await shop.explain("SELECT id FROM customers WHERE email = 'ann@example.co'");
    expect(explanation).toEqual({
      text: 'One filter leaves nothing: email of customers is ann@example.co.',
      filters: ['email of customers is ann@example.co'],
    });
  });
});

describe('the filters that leave nothing', () => {
  it('are those that find nothing alone, however many they are', async () => {
    const explanation = await shop.explain(
      "SELECT id FROM orders WHERE status = 'complete' AND amount > 0 AND ordered_at >= '2031-01-01'",
    );
    expect(explanation?.text).toBe(
      'Each of these filters leaves nothing: status of orders is complete; ordered at of orders is from 2031-01-01 on. Near values of status: "completed". There are rows from 2024-11-01 to 2030-01-01, by ordered at.',
    );
  });

  it('are those without any of which there are rows, where each alone finds some', async () => {
    const explanation = await shop.explain(
      "SELECT id FROM orders WHERE status = 'cancelled' AND customer_id < 9 AND ordered_at < '2025-01-01'",
    );
    expect(explanation?.filters).toEqual([
      'status of orders is cancelled',
      'ordered at of orders is before 2025-01-01',
    ]);
    expect(explanation?.period).toMatchObject({ from: '2025-03-01', to: '2025-03-01' });
    expect(shop.tried).toHaveLength(8);
  });

  it('are searched below a SELECT that only reads one other', async () => {
    const explanation = await shop.explain(
      "SELECT count(*) AS n FROM (SELECT * FROM orders WHERE status = 'complete') AS t",
    );
    expect(explanation?.filters).toEqual(['status of orders is complete']);
  });

  it('are not the conditions that join tables', async () => {
    const explanation = await shop.explain(
      "SELECT o.id FROM orders o, customers c WHERE o.customer_id = c.id AND c.city = 'Kolln'",
    );
    expect(explanation?.filters).toEqual(['city of customers is Kolln']);
    expect(shop.tried[0]).toBe('SELECT 1 AS c0 FROM orders AS o, customers AS c WHERE o.customer_id = c.id LIMIT 1');
  });
});

describe('nothing is told', () => {
  test.each<[string, number]>([
    ['SELECT id FROM orders', 0],
    ['SELECT count(*) AS n FROM orders WHERE amount = 10', 0],
    ['SELECT amount FROM orders WHERE id = 3', 1],
    ['SELECT sum(amount) AS total FROM orders WHERE id = 3', 1],
    ["SELECT id FROM orders WHERE status = 'sent' UNION SELECT id FROM customers WHERE city = 'Paris'", 0],
    ['SELECT id FROM orders WHERE id = 1 LIMIT 1 OFFSET 5', 0],
    ['SELECT id FROM orders LIMIT 0', 0],
  ])('of %s', async (sql, statements) => {
    expect(await shop.explain(sql)).toBeUndefined();
    expect(shop.tried).toHaveLength(statements);
  });
});

/** Does something in place of the statements that explain. */
const instead = (act: (signal: AbortSignal) => Promise<void>): PluginEntry =>
  definePlugin({
    name: 'instead',
    version: '1.0.0',
    type: 'policy',
    description: 'Does something in place of the statements that explain.',
    setup: (ctx) =>
      ctx.tap(sqlCheck, ({ surface }, { signal }) => (surface === 'explanation' ? act(signal) : undefined)),
  })();
const untilAborted = async (signal: AbortSignal) => {
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
};
const SQL = "SELECT count(*) AS n FROM orders WHERE status = 'complete' AND amount > 0";

describe('bounds', () => {
  test.each([0, 1, 3])('at most %s statements, and no guess after them', async (maxStatements) => {
    await using few = await open({ options: { maxStatements } });
    expect(await few.explain(SQL)).toBeUndefined();
    expect(few.tried.length).toBeLessThanOrEqual(maxStatements);
  });

  it('a rule that refuses one statement is asked for no second', async () => {
    const refused = async () => {
      throw new AtlasError('Not this one.', { code: 'sql_refused' });
    };
    await using refusing = await open({ plugins: [instead(refused)] });
    expect(await refusing.explain(SQL)).toBeUndefined();
    expect(refusing.tried).toHaveLength(1);
  });

  it('statements that take long are stopped, and the result is shown', async () => {
    await using slow = await open({ options: { timeoutMs: 100 }, plugins: [instead(untilAborted)] });
    expect(await slow.explain(SQL)).toBeUndefined();
    expect(slow.tried.length).toBeLessThanOrEqual(2);
  });

  it('they end with the request', async () => {
    const controller = new AbortController();
    const leave = async (signal: AbortSignal) => {
      controller.abort(new Error('The client has left.'));
      await untilAborted(signal);
    };
    await using left = await open({ plugins: [instead(leave)] });
    await expect(left.explain(SQL, 'acme', controller.signal)).rejects.toThrow('The client has left.');
    expect(left.tried).toHaveLength(1);
  });
});

describe('with approval rules', () => {
  const db = internalDatabases();

  it('a statement that needs approval is left out, and no action awaits it', async () => {
    await using ruled = await open({
      plugins: [
        http({ listen: false }),
        internalDb({ url: await db.url('sqlite') }),
        authNone(),
        jobs(),
        audit(),
        actions({ enabled: true }),
        approvalRules(),
      ],
    });
    const { app } = ruled;
    const send = async (method: 'GET' | 'POST', url: string, payload?: object) =>
      (await app.inject({ method, url, ...(payload && { payload }) })).json<Record<string, unknown>>();
    await send('POST', '/api/v1/admin/approval/rules', { name: 'Large', ruleType: 'cost', threshold: 100 });
    // The row of a key is few; all customers are many.
    expect(await ruled.explain('SELECT id FROM customers WHERE id = 9999')).toBeUndefined();
    expect(ruled.tried).toHaveLength(1);
    expect(await send('GET', '/api/v1/actions')).toMatchObject({ actions: [] });
    const entries = async () => (await send('GET', '/api/v1/admin/audit?surface=explanation')).entries;
    await expect.poll(entries).toMatchObject([{ userId: 'acme', userLabel: 'acme', success: false }]);
  });
});
