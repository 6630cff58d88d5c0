import mysql from 'mysql2/promise';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PluginEntry } from '../../kernel/index.ts';
import { createTestApp, type TestApp } from '../../test/harness/create-test-app.ts';
import { DuckdbFolder } from '../../test/harness/duckdb.ts';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { findMariaDb, INSTALL_MARIADB, startMariaDb } from '../../test/harness/mariadb.ts';
import { startPostgres } from '../../test/harness/postgres.ts';
import { suiteNeeding } from '../../test/harness/require.ts';
import { SqliteFolder } from '../../test/harness/sqlite.ts';
import { actions } from '../actions/index.ts';
import { pendingActionOf } from '../agent/index.ts';
import { datasourceDuckdb } from '../datasource-duckdb/index.ts';
import { datasourceMysql } from '../datasource-mysql/index.ts';
import { datasourcePostgres } from '../datasource-postgres/index.ts';
import { datasourceSqlite } from '../datasource-sqlite/index.ts';
import { http } from '../http/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { jobs } from '../jobs/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { sqlGuard } from '../sql-guard/index.ts';
import { RULES } from './fixtures/rule-server.ts';
import { approvalRules } from './index.ts';

const ORDERS = 2_000;
const CUSTOMERS = 100;
const rowsOf = (count: number, row: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => row(n + 1)).join(', ');
const SCRIPT = `
  CREATE TABLE customers (id integer PRIMARY KEY, name varchar(40), email varchar(40));
  CREATE TABLE orders (id integer PRIMARY KEY, customer_id integer, total integer);
  CREATE INDEX by_customer ON orders (customer_id);
  INSERT INTO customers VALUES ${rowsOf(CUSTOMERS, (n) => `(${n}, 'name ${n}', 'mail ${n}')`)};
  INSERT INTO orders VALUES ${rowsOf(ORDERS, (n) => `(${n}, ${(n % CUSTOMERS) + 1}, ${n})`)};
  CREATE VIEW contacts AS SELECT c.id, c.email AS address FROM customers c;
  CREATE VIEW names AS SELECT id, name FROM customers WHERE id > 0;
  CREATE VIEW addresses AS SELECT address FROM contacts;
  CREATE VIEW totals AS SELECT customer_id, sum(total) AS total FROM orders GROUP BY customer_id`;
const PEOPLE_COLUMNS = 'id integer, email varchar(40), low varchar(40) GENERATED ALWAYS AS (lower(email))';
/** What only one engine has: relations whose rows are those of others, and its way of generated columns. */
const OWN_SCRIPT: Readonly<Record<string, string>> = {
  sqlite: `
    CREATE TABLE people (${PEOPLE_COLUMNS} VIRTUAL);
    CREATE TABLE "all notes" (id integer PRIMARY KEY, note text);
    CREATE VIRTUAL TABLE notes USING fts5(note, content = "all notes");
    CREATE VIRTUAL TABLE words USING fts5vocab(notes, row)`,
  duckdb: `
    CREATE TABLE people (${PEOPLE_COLUMNS} VIRTUAL);
    CREATE SCHEMA sales;
    CREATE TABLE sales.leads (id integer, made timestamp);
    USE sales;
    CREATE VIEW open_leads AS SELECT id, trim('x') AS x FROM leads WHERE made > DATE '2020-01-01' - INTERVAL 1 DAY;
    USE main`,
  postgres: `
    CREATE TABLE people (${PEOPLE_COLUMNS} STORED);
    CREATE TABLE visits (id int, guest text, region text);
    CREATE TABLE visits_north () INHERITS (visits);
    CREATE TABLE visits_south () INHERITS (visits);
    CREATE MATERIALIZED VIEW kept AS SELECT to_jsonb(c) AS row FROM customers c`,
  mysql: `
    CREATE TABLE people (${PEOPLE_COLUMNS} STORED);
    CREATE TABLE leads (id integer) ENGINE = MyISAM;
    CREATE TABLE all_leads (id integer) ENGINE = MERGE UNION = (leads)`,
};
const VIEWS = ['contacts', 'names', 'addresses', 'totals'];
const LAYER = {
  'entities/customers.yml': 'table: customers\ndimensions:\n  - name: id\n  - name: name\n  - name: email\n',
  'entities/orders.yml': 'table: orders\ndimensions:\n  - name: id\n  - name: customer_id\n  - name: total\n',
  ...Object.fromEntries(
    [...VIEWS, 'people', 'kept', 'all_leads', 'leads', 'notes', 'words', 'sales.open_leads'].map((view) => [
      `entities/${view}.yml`,
      `table: ${view}\ntype: view\n`,
    ]),
  ),
  ...Object.fromEntries(
    ['visits', 'visits_north', 'visits_south'].map((table) => [
      `entities/${table}.yml`,
      `table: ${table}\ndimensions:\n  - name: id\n  - name: guest\n  - name: region\n`,
    ]),
  ),
};

interface Shop {
  readonly plugin: PluginEntry;
  close(): Promise<void>;
}

const files = { sqlite: new SqliteFolder(), duckdb: new DuckdbFolder() };
afterAll(() => {
  for (const folder of Object.values(files)) folder[Symbol.dispose]();
});

const ENGINES: readonly (readonly [string, boolean, string, () => Promise<Shop>])[] = [
  [
    'sqlite',
    true,
    '',
    async () => ({
      plugin: datasourceSqlite({
        connections: [
          { id: 'shop', url: `sqlite:${files.sqlite.create('shop.db', `${SCRIPT}; ${OWN_SCRIPT.sqlite}`)}` },
        ],
      }),
      close: async () => {},
    }),
  ],
  [
    'duckdb',
    true,
    '',
    async () => ({
      plugin: datasourceDuckdb({
        connections: [
          {
            id: 'shop',
            url: `duckdb:${await files.duckdb.create('a-shop.duckdb', `${SCRIPT}; ${OWN_SCRIPT.duckdb}`)}`,
          },
        ],
      }),
      close: async () => {},
    }),
  ],
  [
    'postgres',
    true,
    '',
    async () => {
      const server = await startPostgres();
      const client = new pg.Client(server.url);
      await client.connect();
      await client.query(`${SCRIPT}; ${OWN_SCRIPT.postgres}; ANALYZE`);
      await client.end();
      return {
        plugin: datasourcePostgres({ connections: [{ id: 'shop', url: server.url }] }),
        close: () => server.stop(),
      };
    },
  ],
  [
    'mysql',
    findMariaDb() !== undefined,
    INSTALL_MARIADB,
    async () => {
      const server = await startMariaDb();
      const client = await mysql.createConnection({ uri: server.url, multipleStatements: true });
      await client.query(`${SCRIPT}; ${OWN_SCRIPT.mysql}; ANALYZE TABLE customers, orders`);
      await client.end();
      return {
        plugin: datasourceMysql({ connections: [{ id: 'shop', url: server.url }] }),
        close: () => server.stop(),
      };
    },
  ],
];

describe.each(ENGINES)('on %s', (engine, isThere, install, open) => {
  suiteNeeding(
    engine,
    isThere,
    install,
  )('rules', () => {
    let shop: Shop;
    let app: TestApp;
    const folder = layerFolder(LAYER);
    beforeAll(async () => {
      shop = await open();
      app = await createTestApp({
        plugins: [
          http({ listen: false }),
          internalDb({ url: `sqlite:${files.sqlite.path}/${engine}-atlas.db` }),
          jobs(),
          semanticLayer({ dir: folder.dir, checkIntervalMs: 60_000 }),
          sqlGuard(),
          shop.plugin,
          actions(),
          approvalRules(),
        ],
        timeoutMs: 60_000,
      });
    }, 180_000);
    afterAll(async () => {
      await app?.close();
      await shop?.close();
      folder[Symbol.dispose]();
    });

    /** Whether the statement is held back by the rule; a failure is one of the test. */
    async function isHeld(rule: object, sql: string): Promise<boolean> {
      const made = await app.inject({ method: 'POST', url: RULES, payload: { name: 'A rule', ...rule } });
      const { id } = made.json<{ rule: { id: string } }>().rule;
      try {
        const scope = app.scope({ actor: { id: 'ann', label: null, role: 'analyst', mode: 'test', claims: {} } });
        await app.runSql({ sql, surface: 'api' }, scope);
        return false;
      } catch (error) {
        if (pendingActionOf(error) === undefined) throw error;
        return true;
      } finally {
        await app.inject({ method: 'DELETE', url: `${RULES}/${id}` });
      }
    }
    const held = async (rule: object, ...statements: string[]) => {
      for (const sql of statements) expect([sql, await isHeld(rule, sql)]).toEqual([sql, true]);
    };
    const passed = async (rule: object, ...statements: string[]) => {
      for (const sql of statements) expect([sql, await isHeld(rule, sql)]).toEqual([sql, false]);
    };

    const SECRET = { ruleType: 'column', pattern: 'customers.email' };
    const PEOPLE = { ruleType: 'table', pattern: 'customers' };
    const over = (threshold: number) => ({ ruleType: 'cost', threshold });

    it('about a table hold however it is named', async () => {
      await held(
        PEOPLE,
        'SELECT count(*) FROM customers',
        'select 1 from customers as orders',
        'SELECT total FROM orders WHERE customer_id IN (SELECT id FROM customers)',
        'WITH x AS (SELECT id FROM customers) SELECT * FROM x',
        'SELECT id FROM orders UNION SELECT id FROM customers',
        'SELECT id /* orders */ FROM /* x */ customers -- orders',
        'SELECT (SELECT max(id) FROM customers) AS id',
        'SELECT * FROM contacts',
        'SELECT count(*) FROM addresses',
        'SELECT n.name FROM names n',
      );
      await passed(PEOPLE, 'SELECT count(*) FROM orders', 'SELECT * FROM totals', "SELECT 'customers' AS customers");
      await held({ ruleType: 'table', pattern: 'CUST*' }, 'SELECT id FROM customers');
      await held({ ruleType: 'table', pattern: 'contacts' }, 'SELECT address FROM addresses');
      await passed({ ruleType: 'table', pattern: 'cust' }, 'SELECT id FROM customers');
    });

    it('about a column hold wherever it is read', async () => {
      await held(
        SECRET,
        'SELECT email FROM customers',
        'SELECT c.EMAIL AS x FROM customers c',
        'SELECT * FROM customers',
        'SELECT c.* FROM customers c JOIN orders o ON o.customer_id = c.id',
        "SELECT count(*) FROM customers WHERE email LIKE 'mail%'",
        'SELECT id FROM customers ORDER BY email',
        'SELECT count(DISTINCT email) FROM customers',
        'WITH x AS (SELECT email AS y FROM customers) SELECT y FROM x',
        'SELECT x FROM (SELECT name AS x FROM customers UNION SELECT email FROM customers) AS t',
        'SELECT o.id, (SELECT c.email FROM customers c WHERE c.id = o.customer_id) AS m FROM orders o',
        'SELECT address FROM contacts',
        'SELECT address FROM addresses',
        'SELECT id FROM customers AS email WHERE email.email IS NOT NULL',
      );
      await passed(
        SECRET,
        'SELECT count(*) FROM customers',
        'SELECT id, name FROM customers',
        'SELECT c.name, o.total FROM customers c JOIN orders o ON o.customer_id = c.id',
        "SELECT 'email' AS email FROM orders",
        'SELECT * FROM names',
        'SELECT * FROM orders',
      );
    });

    it('hold a statement back that runs once it is approved', async () => {
      const sql = 'SELECT max(o.total) AS most FROM orders o WHERE o.id IN (SELECT id FROM customers)';
      const made = await app.inject({
        method: 'POST',
        url: RULES,
        payload: { name: 'Orders', ruleType: 'table', pattern: 'orders' },
      });
      const scope = () => app.scope({ actor: { id: 'ann', label: null, role: 'analyst', mode: 'test', claims: {} } });
      const error = await app.runSql({ sql, surface: 'api' }, scope()).catch((thrown: unknown) => thrown);
      const id = pendingActionOf(error)?.id;
      const approved = await app.inject({ method: 'POST', url: `/api/v1/actions/${id}/approve` });
      expect(approved.json()).toMatchObject({
        status: 'executed',
        error: null,
        payload: { sql },
        result: { rowCount: expect.any(Number) },
      });
      await expect(app.runSql({ sql, surface: 'api' }, scope())).rejects.toThrow('needs approval');
      await app.inject({ method: 'DELETE', url: `${RULES}/${made.json<{ rule: { id: string } }>().rule.id}` });
    });

    it('about a column hold for what is generated from it', async () => {
      await held({ ruleType: 'column', pattern: 'people.email' }, 'SELECT low FROM people', 'SELECT p.* FROM people p');
      await passed({ ruleType: 'column', pattern: 'people.email' }, 'SELECT id FROM people');
    });

    it('hold for relations whose rows are those of others', async () => {
      const about = (pattern: string) => ({ ruleType: pattern.endsWith('.guest') ? 'column' : 'table', pattern });
      if (engine === 'postgres') {
        await held(about('visits'), 'SELECT id FROM visits_north');
        await held(about('public.visits_north'), 'SELECT id FROM visits');
        await passed(about('visits_south'), 'SELECT id FROM visits_north');
        await held(about('visits.guest'), 'SELECT guest FROM visits_north', 'SELECT * FROM visits_south');
        await held(about('visits_north.guest'), 'SELECT max(guest) FROM visits');
        await passed(about('visits.guest'), 'SELECT id FROM visits', 'SELECT region FROM visits_north');
        await held(SECRET, 'SELECT row FROM kept');
        await passed(about('orders'), 'SELECT id FROM visits', 'SELECT row FROM kept');
      } else if (engine === 'sqlite') {
        await held(about('all notes'), 'SELECT note FROM notes', 'SELECT term FROM words');
        await passed(about('customers'), 'SELECT note FROM notes');
      } else if (engine === 'duckdb') {
        await held(about('sales.leads'), 'SELECT id FROM sales.open_leads');
        await passed(about('customers'), 'SELECT id FROM sales.open_leads');
      } else {
        await held(about('leads'), 'SELECT id FROM all_leads');
        await passed(about('all_leads'), 'SELECT id FROM leads');
      }
    });

    it('about a connection hold for every statement of it', async () => {
      await held({ ruleType: 'datasource', pattern: 'shop' }, 'SELECT 1 AS one', 'SELECT id FROM orders WHERE id = 1');
      await passed({ ruleType: 'datasource', pattern: 'default' }, 'SELECT 1 AS one');
      await held({ ruleType: 'datasource', pattern: '*' }, 'SELECT 1 AS one');
    });

    it('about cost hold for what reads many rows', async () => {
      await held(
        over(ORDERS / 2),
        'SELECT * FROM orders',
        'SELECT sum(total) FROM orders',
        'SELECT id FROM orders WHERE total = 5',
        'SELECT o.id FROM orders AS o WHERE o.total + 0 = 5',
        'SELECT sum(total) FROM totals',
        'SELECT count(*) FROM customers a, customers b',
        'SELECT id FROM orders ORDER BY total LIMIT 3',
        'WITH x AS (SELECT total AS t FROM orders) SELECT sum(t) FROM x',
        'SELECT total FROM totals LIMIT 3',
      );
      await passed(
        over(ORDERS / 2),
        'SELECT * FROM customers',
        'SELECT id FROM orders WHERE id = 5',
        'SELECT id, total FROM orders LIMIT 3',
        'SELECT 1 AS one',
        "SELECT upper(name) AS n FROM customers WHERE name <> 'x' ORDER BY 1",
      );
      await passed(over(10 * ORDERS), 'SELECT * FROM orders', 'SELECT sum(total) FROM totals');
      await held(over(0), 'SELECT * FROM customers');
      await held(
        over(10 * ORDERS),
        'SELECT count(*) FROM orders a, orders b',
        'SELECT count(*) FROM orders a JOIN orders b ON a.total < b.total',
      );
    });

    it('about cost count the rows that a condition leaves out', async () => {
      const ids = Array.from({ length: 300 }, (_, n) => n).join(', ');
      await held(
        over(200),
        'SELECT id FROM orders WHERE total % 7 = 8 ORDER BY id LIMIT 1',
        'SELECT id FROM orders WHERE id < 300 AND total % 7 = 8',
        `SELECT max(total) FROM orders WHERE id IN (${ids})`,
        "SELECT o.id FROM orders o JOIN customers c ON c.id = o.customer_id WHERE c.name LIKE 'x%' ORDER BY o.id LIMIT 1",
      );
      // DuckDB reads all of a table.
      if (engine !== 'duckdb') {
        await passed(
          over(200),
          'SELECT id, total FROM orders WHERE id IN (1, 2, 3) LIMIT 3',
          'SELECT id FROM orders WHERE customer_id = 5 AND total % 7 = 8',
        );
      }
      if (engine === 'postgres') {
        await held(over(ORDERS / 2), 'SELECT count(*) FROM orders TABLESAMPLE BERNOULLI (1)');
        const first = 'SELECT * FROM orders o WHERE o.customer_id = c.id AND o.total % 7 = 8 LIMIT 5';
        await held(over(ORDERS / 2), `SELECT count(*) FROM customers c, LATERAL (${first}) x`);
      }
    });
  });
});
