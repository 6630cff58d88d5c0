/** Explains empty results on real engines: as everybody's rows, and as those of one tenant. */
import mysql from 'mysql2/promise';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import type { PluginEntry } from '../../kernel/index.ts';
import { DuckdbFolder } from '../../test/harness/duckdb.ts';
import { findMariaDb, INSTALL_MARIADB, startMariaDb } from '../../test/harness/mariadb.ts';
import { createPostgresDatabase } from '../../test/harness/postgres-database.ts';
import { suiteNeeding } from '../../test/harness/require.ts';
import { SqliteFolder } from '../../test/harness/sqlite.ts';
import { datasourceDuckdb } from '../datasource-duckdb/index.ts';
import { datasourceMysql } from '../datasource-mysql/index.ts';
import { datasourcePostgres } from '../datasource-postgres/index.ts';
import { datasourceSqlite } from '../datasource-sqlite/index.ts';
import { openShop, SHOP, type Shop } from './fixtures/shop.ts';

interface Engine {
  readonly datasource: PluginEntry;
  close?(): Promise<void>;
}

const files = { sqlite: new SqliteFolder(), duckdb: new DuckdbFolder() };
afterAll(() => {
  for (const folder of Object.values(files)) folder[Symbol.dispose]();
});

const ENGINES: readonly (readonly [string, boolean, string, () => Promise<Engine>])[] = [
  [
    'sqlite',
    true,
    '',
    async () => ({
      datasource: datasourceSqlite({
        connections: [{ id: 'shop', url: `sqlite:${files.sqlite.create('shop.db', SHOP)}` }],
      }),
    }),
  ],
  [
    'duckdb',
    true,
    '',
    async () => ({
      datasource: datasourceDuckdb({
        connections: [{ id: 'shop', url: `duckdb:${await files.duckdb.create('shop.duckdb', SHOP)}` }],
      }),
    }),
  ],
  [
    'postgres',
    true,
    '',
    async () => {
      const url = await createPostgresDatabase();
      const client = new pg.Client(url);
      await client.connect();
      await client.query(SHOP);
      await client.end();
      return { datasource: datasourcePostgres({ connections: [{ id: 'shop', url }] }) };
    },
  ],
  [
    'mysql',
    findMariaDb() !== undefined,
    INSTALL_MARIADB,
    async () => {
      const server = await startMariaDb();
      const client = await mysql.createConnection({ uri: server.url, multipleStatements: true });
      await client.query(SHOP);
      await client.end();
      return {
        datasource: datasourceMysql({ connections: [{ id: 'shop', url: server.url }] }),
        close: () => server.stop(),
      };
    },
  ],
];

const MISSPELT = `SELECT COUNT(*) AS n FROM orders o JOIN customers c ON c.id = o.customer_id
  WHERE lower(c.city) = 'kolln' AND o.amount >= 0`;
const status = (value: string) => `SELECT id FROM orders WHERE status = '${value}'`;
const since = (day: string) => `SELECT SUM(amount) AS total FROM orders
  WHERE status LIKE '%ed' AND ordered_at >= '${day}' AND ordered_at < '2040-01-01'`;

describe.each(ENGINES)('on %s', (engine, isThere, install, open) => {
  suiteNeeding(
    engine,
    isThere,
    install,
  )('an empty result', () => {
    let database: Engine;
    let shop: Shop;
    let tenants: Shop;
    beforeAll(async () => {
      database = await open();
      shop = await openShop({ datasource: database.datasource });
      tenants = await openShop({ datasource: database.datasource, hasRowSecurity: true });
    }, 180_000);
    afterAll(async () => {
      await shop?.[Symbol.asyncDispose]();
      await tenants?.[Symbol.asyncDispose]();
      await database?.close?.();
    });

    test.each<[string, string]>([
      [MISSPELT, 'One filter leaves nothing: city of customers is kolln. Near values of city: "Köln".'],
      [
        since('2031-01-01'),
        'One filter leaves nothing: ordered at of orders is from 2031-01-01 up to, not including, 2040-01-01. For the other filters there are rows from 2024-11-01 to 2030-01-01, by ordered at.',
      ],
      [
        "SELECT id FROM orders WHERE status = 'cancelled' AND amount > 30 AND id BETWEEN 1 AND 10 AND customer_id IS NOT NULL",
        'There are rows for each of these filters, but none for all of them: status of orders is cancelled; amount of orders is more than 30; id of orders is at least 1 and id of orders is at most 10; customer id of orders is given.',
      ],
      ['SELECT status FROM orders GROUP BY status HAVING COUNT(*) > 5', 'The condition on the groups leaves nothing.'],
      ['SELECT COUNT(*) AS n FROM returns WHERE id > 1', 'There is nothing, even without a filter.'],
      [
        'WITH big AS (SELECT amount FROM orders WHERE amount > 500) SELECT SUM(amount) AS total FROM big',
        'One filter leaves nothing: amount of orders is more than 500.',
      ],
    ])('explains %s', async (sql, text) => {
      expect((await shop.explain(sql))?.text).toBe(text);
    });

    it('is explained from the rows of its tenant alone, in the same words and statements where there is nothing', async () => {
      const told = async (sql: string, value: string) => {
        const explanation = await tenants.explain(sql);
        return JSON.parse(JSON.stringify([explanation, tenants.tried]).replaceAll(value, 'VALUE'));
      };
      const hidden = await told(status('refunded'), 'refunded');
      expect(hidden[0].text).toBe(
        'Among the rows that you may see, one filter leaves nothing: status of orders is VALUE. Values of status: "cancelled", "completed".',
      );
      expect(await told(status('reclaims'), 'reclaims')).toEqual(hidden);
      const later = await told(since('2029-01-01'), '2029-01-01');
      expect(later[0].period).toEqual({ column: 'orders.ordered_at', from: '2024-11-01', to: '2026-10-31' });
      expect(await told(since('2031-01-01'), '2031-01-01')).toEqual(later);
    });
  });
});
