/** Tests `atlas diff` on databases: nothing right after `init`, then each kind of drift, and nothing of what people write. */
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import Sqlite from 'better-sqlite3';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyFolder } from '../../../test/harness/command.ts';
import { atlasHere } from '../../../test/harness/command-here.ts';
import { findMariaDb, INSTALL_MARIADB, type MariaDbServer, startMariaDb } from '../../../test/harness/mariadb.ts';
import { type PostgresServer, startPostgres } from '../../../test/harness/postgres.ts';
import { suiteNeeding } from '../../../test/harness/require.ts';

/** A folder with a layer for the database of a URL. */
function project(url: string) {
  const folder = emptyFolder();
  const env = { SVC_DATASOURCE_URL: url };
  const run = (...args: string[]) => atlasHere(args, { cwd: folder.path, env });
  return {
    run,
    path: folder.path,
    [Symbol.dispose]: () => folder[Symbol.dispose](),
    file: (name: string) => join(folder.path, 'semantic', name),
    /** Every difference in one line. */
    async drift(...flags: string[]) {
      const { code, stdout, stderr } = await run('diff', '--json', ...flags);
      expect(stderr).toBe('');
      const { status, drift } = JSON.parse(stdout) as { status: string; drift: Record<string, string>[] };
      expect([code, status]).toEqual(drift.length === 0 ? [0, 'clean'] : [1, 'drift']);
      return drift.map(({ kind, table, column, layer, database, note }) =>
        [kind, column === undefined ? table : `${table}.${column}`, layer && `layer: ${layer}`, database, note]
          .filter((part) => part !== undefined)
          .join(' | '),
      );
    },
  };
}

type Project = ReturnType<typeof project>;

async function initialised(url: string): Promise<Project> {
  const made = project(url);
  expect(await made.run('init')).toMatchObject({ code: 0 });
  return made;
}

/** Tables that every engine can make. */
const SHOP = `
  CREATE TABLE regions (id INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL);
  CREATE TABLE customers (id INTEGER PRIMARY KEY, region_id INTEGER REFERENCES regions (id), name VARCHAR(40) NOT NULL,
    email VARCHAR(80), joined DATE);
  CREATE TABLE products (id INTEGER PRIMARY KEY, title VARCHAR(40), price NUMERIC(10, 2) NOT NULL);
  CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers (id),
    placed_at TIMESTAMP, total NUMERIC(10, 2), status VARCHAR(10));
  CREATE TABLE order_lines (order_id INTEGER NOT NULL REFERENCES orders (id), line INTEGER NOT NULL,
    product_id INTEGER NOT NULL REFERENCES products (id), quantity INTEGER, PRIMARY KEY (order_id, line));
  CREATE TABLE audit_log (message VARCHAR(100), seen TIMESTAMP);
  CREATE VIEW big_orders AS SELECT id, total FROM orders WHERE total > 100;
  INSERT INTO regions VALUES (1, 'North');
  INSERT INTO customers VALUES (1, 1, 'Ann', 'ann@example.com', '2024-01-01');
  INSERT INTO products VALUES (1, 'Pen', 2.5);
  INSERT INTO orders VALUES (1, 1, '2024-01-02 10:00:00', 5, 'open'), (2, 1, '2024-01-03 10:00:00', 200, 'paid');
  INSERT INTO order_lines VALUES (1, 1, 1, 2);`;

describe('on PostgreSQL', () => {
  let server: PostgresServer;
  let admin: pg.Client;
  beforeAll(async () => {
    server = await startPostgres();
    admin = new pg.Client(server.url);
    await admin.connect();
  });
  afterAll(async () => {
    await admin.end();
    await server.stop();
  });

  let made = 0;
  /** A new database of these tables. */
  async function database(script: string) {
    made += 1;
    await admin.query(`CREATE DATABASE diff${made}`);
    const url = new URL(server.url);
    url.pathname = `/diff${made}`;
    const change = async (sql: string) => {
      const client = new pg.Client(url.href);
      await client.connect();
      await client.query(sql);
      await client.end();
    };
    await change(script);
    return { url: url.href, change };
  }

  it('is clean after init, whatever the names and shapes', async () => {
    const { url } = await database(`${SHOP}
      CREATE SCHEMA sales; CREATE SCHEMA "Odd Schema";
      CREATE TYPE mood AS ENUM ('good', 'bad');
      CREATE TABLE "Order Details" ("select" int, "Total" numeric, total numeric, "größe" text, "a.b" text, "sp ace" text, "qu""ote" text,
        PRIMARY KEY ("select", "Total"));
      CREATE TABLE "order details" (id int);
      CREATE TABLE employees (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), boss uuid REFERENCES employees, mood mood,
        tags text[], doc jsonb, salary money, worked interval, ip inet, active boolean, born date, at timestamptz, clock time);
      CREATE TABLE keyed (a int NOT NULL, b int NOT NULL, code text UNIQUE, PRIMARY KEY (b, a));
      CREATE TABLE refers (x int, y int, code text REFERENCES keyed (code), FOREIGN KEY (y, x) REFERENCES keyed (b, a));
      CREATE TABLE twice (region_id int REFERENCES regions (id), FOREIGN KEY (region_id) REFERENCES customers (id));
      CREATE TABLE empty_one ();
      CREATE TABLE generated (n int, doubled int GENERATED ALWAYS AS (n * 2) STORED, s serial);
      CREATE TABLE events (at date NOT NULL, kind text) PARTITION BY RANGE (at);
      CREATE TABLE events_2024 PARTITION OF events FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
      CREATE MATERIALIZED VIEW totals AS SELECT status, sum(total) AS total FROM orders GROUP BY status;
      CREATE TABLE sales.leads (id int PRIMARY KEY, customer_id int REFERENCES public.customers (id));
      CREATE TABLE "Odd Schema".things (id int);
      CREATE TABLE customer_ext (id int PRIMARY KEY REFERENCES customers (id), lead_id int REFERENCES sales.leads (id));
      CREATE TABLE api_tokens (id int PRIMARY KEY, token text, password_hash text)`);
    using shop = await initialised(url);
    expect(await shop.drift()).toEqual([]);
    expect(await shop.drift('--tables', 'orders,Order Details')).toEqual([]);
    using other = project(url);
    expect(await other.run('init', '--schema', 'sales')).toMatchObject({ code: 0 });
    expect(await other.drift('--schema', 'sales')).toEqual([]);
    expect(await other.drift()).toEqual([]);
  });

  it('finds each kind of drift, and no other', async () => {
    const { url, change } = await database(`${SHOP} CREATE SCHEMA archive`);
    using shop = await initialised(url);
    const each: readonly (readonly [sql: string, undo: string, found: readonly unknown[]])[] = [
      ['CREATE TABLE refunds (id int)', 'DROP TABLE refunds', ['table_added | refunds | table']],
      [
        'ALTER TABLE audit_log RENAME TO journal',
        'ALTER TABLE journal RENAME TO audit_log',
        ['table_removed | audit_log | looks renamed to journal', 'table_added | journal | table'],
      ],
      [
        'ALTER TABLE audit_log SET SCHEMA archive',
        'ALTER TABLE archive.audit_log SET SCHEMA public',
        ['table_moved | audit_log | layer: public | archive'],
      ],
      [
        'ALTER TABLE customers ADD phone text',
        'ALTER TABLE customers DROP phone',
        ['column_added | customers.phone | text'],
      ],
      [
        'ALTER TABLE customers RENAME email TO mail',
        'ALTER TABLE customers RENAME mail TO email',
        [
          'column_removed | customers.email | looks renamed to mail',
          'column_added | customers.mail | character varying(80)',
        ],
      ],
      [
        'ALTER TABLE customers ALTER joined TYPE text',
        'ALTER TABLE customers ALTER joined TYPE date USING joined::date',
        ['column_type | customers.joined | layer: date | string (text)'],
      ],
      [
        'ALTER TABLE order_lines ALTER quantity TYPE text',
        'ALTER TABLE order_lines ALTER quantity TYPE int USING quantity::int',
        ['column_type | order_lines.quantity | layer: number | string (text)'],
      ],
      [
        'ALTER TABLE customers ALTER email SET NOT NULL',
        'ALTER TABLE customers ALTER email DROP NOT NULL',
        ['column_nullable | customers.email | layer: NULL | NOT NULL'],
      ],
      [
        'ALTER TABLE customers ALTER name DROP NOT NULL',
        'ALTER TABLE customers ALTER name SET NOT NULL',
        ['column_nullable | customers.name | layer: NOT NULL | NULL'],
      ],
      [
        'ALTER TABLE order_lines DROP CONSTRAINT order_lines_pkey, ADD PRIMARY KEY (order_id, line, product_id)',
        'ALTER TABLE order_lines DROP CONSTRAINT order_lines_pkey, ADD PRIMARY KEY (order_id, line)',
        ['primary_key | order_lines | layer: order_id, line | order_id, line, product_id'],
      ],
      [
        'ALTER TABLE order_lines DROP CONSTRAINT order_lines_pkey',
        'ALTER TABLE order_lines ADD PRIMARY KEY (order_id, line)',
        ['primary_key | order_lines | layer: order_id, line | none'],
      ],
      [
        'ALTER TABLE orders DROP CONSTRAINT orders_customer_id_fkey',
        'ALTER TABLE orders ADD CONSTRAINT orders_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers (id)',
        ['foreign_key_removed | orders.customer_id | layer: customers.id'],
      ],
      [
        'ALTER TABLE order_lines ADD CONSTRAINT more FOREIGN KEY (quantity) REFERENCES regions (id) NOT VALID',
        'ALTER TABLE order_lines DROP CONSTRAINT more',
        ['foreign_key_added | order_lines.quantity | regions.id'],
      ],
      [
        `ALTER TABLE customers DROP CONSTRAINT customers_region_id_fkey,
           ADD CONSTRAINT other FOREIGN KEY (region_id) REFERENCES products (id)`,
        `ALTER TABLE customers DROP CONSTRAINT other,
           ADD CONSTRAINT customers_region_id_fkey FOREIGN KEY (region_id) REFERENCES regions (id)`,
        ['foreign_key_changed | customers.region_id | layer: regions.id | products.id'],
      ],
      [
        'DROP VIEW big_orders; CREATE TABLE big_orders (id int, total numeric(10, 2))',
        'DROP TABLE big_orders; CREATE VIEW big_orders AS SELECT id, total FROM orders WHERE total > 100',
        ['table_kind | big_orders | layer: view | table'],
      ],
      [
        'DROP TABLE audit_log; CREATE VIEW audit_log AS SELECT NULL::varchar(100) AS message, NULL::timestamp AS seen',
        'DROP VIEW audit_log; CREATE TABLE audit_log (message varchar(100), seen timestamp)',
        ['table_kind | audit_log | layer: table | view'],
      ],
      [
        'DROP TABLE audit_log',
        'CREATE TABLE audit_log (message varchar(100), seen timestamp)',
        ['table_removed | audit_log'],
      ],
      [
        'ALTER TABLE products DROP price',
        'ALTER TABLE products ADD price numeric(10, 2) NOT NULL DEFAULT 1',
        [
          'column_removed | products.price',
          expect.stringMatching(/^expression_broken \| products \| layer: measure \w*price \| price is gone$/),
        ],
      ],
      [
        'ALTER TABLE order_lines DROP COLUMN product_id',
        'ALTER TABLE order_lines ADD product_id int NOT NULL DEFAULT 1 REFERENCES products (id)',
        [
          'column_removed | order_lines.product_id',
          'join_broken | order_lines | layer: join products | product_id is gone',
        ],
      ],
    ];
    for (const [sql, undo, found] of each) {
      await change(sql);
      expect(await shop.drift(), sql).toEqual(found);
      await change(undo);
    }
    expect(await shop.drift()).toEqual([]);
  });

  it('what people write is no drift', async () => {
    const { url, change } = await database(SHOP);
    using shop = await initialised(url);
    const edit = (name: string, change: (text: string) => string) => {
      const path = shop.file(`entities/${name}.yml`);
      writeFileSync(path, change(readFileSync(path, 'utf8')));
    };
    edit('orders', (text) =>
      text
        .replace(/- name: status\n/, '- name: state\n    sql: status\n    synonyms: [phase]\n    hidden: true\n')
        .replace(/- name: total\n/, '- name: total\n    mask: "\'***\'"\n    description: Gross.\n')
        .replace(/^measures:\n/m, 'measures:\n  - { name: net, type: sum, sql: total / 1.19 }\n')
        .replace(/^dimensions:\n/m, 'dimensions:\n  - { name: is_big, type: boolean, sql: total > 100 }\n'),
    );
    appendFileSync(
      shop.file('entities/orders.yml'),
      'segments:\n  - { name: paid, sql: "status = \'paid\'" }\nquery_patterns:\n  - { description: All., sql: SELECT total FROM orders }\n',
    );
    edit('audit_log', (text) =>
      text
        .replace(/- name: message\n(.*\n)*? {2}- name: seen/, '- name: seen')
        .replace(/- name: seen\n/, '- name: seen\n    primary_key: true\n'),
    );
    edit('products', (text) => text.replace(/- name: title\n {4}type: string/, '- name: title\n    type: json'));
    rmSync(shop.file('entities/big_orders.yml'));
    writeFileSync(
      shop.file('entities/paid_orders.yml'),
      'table: orders\nname: paid_orders\ndimensions:\n  - { name: id, primary_key: true }\n',
    );
    writeFileSync(shop.file('glossary.yml'), 'terms:\n  - { term: big, entity: orders, sql: total > 100 }\n');
    mkdirSync(shop.file('metrics'), { recursive: true });
    writeFileSync(shop.file('metrics/net.yml'), 'id: net\nentity: orders\nsql: sum(total) / 1.19\n');
    expect((await shop.run('validate', '--offline')).stdout).not.toMatch(/entities\/|metrics\/|glossary/);
    expect(await shop.drift()).toEqual([]);

    await change('DROP VIEW big_orders; ALTER TABLE orders DROP COLUMN total');
    expect(await shop.drift()).toEqual(
      [
        'column_removed | orders.total',
        ...['dimension is_big', 'measure net', 'measure order_total', 'measure average_total', 'pattern "All."'].map(
          (what) => expect.stringContaining(`expression_broken | orders | layer: ${what} | total is gone`),
        ),
        ...['metric net', 'term big'].map((what) => `expression_broken | orders | layer: ${what} | total is gone`),
      ].filter(Boolean),
    );
  });

  it('tables that init cannot read are no drift', async () => {
    const { url, change } = await database(`${SHOP} CREATE VIEW broken AS SELECT 1 / (id - id) AS x FROM regions`);
    using shop = await initialised(url);
    const { code, stderr } = await shop.run('diff');
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^Left out, as it cannot be read: broken: .*\n$/)]);
    await change('DROP VIEW broken');
    expect(await shop.drift()).toEqual([]);
  });

  it('draws a table, and explains what is missing', async () => {
    const { url, change } = await database(SHOP);
    using shop = await initialised(url);
    expect(await shop.run('diff')).toEqual({
      code: 0,
      stdout: 'The semantic layer fits the database: 7 tables compared, no difference.\n',
      stderr: '',
    });
    await change('ALTER TABLE customers ADD phone text');
    const { code, stdout } = await shop.run('diff');
    expect([code, stdout]).toEqual([1, expect.stringMatching(/│ column added │ customers │ phone +│ text +│/)]);
    expect(stdout).toContain('1 difference in 7 tables. Run "atlas init"');
    expect(await shop.drift('--tables', 'orders')).toEqual([]);
    using empty = project(url);
    for (const [args, message] of [
      [['diff'], 'There is no folder semantic. Write a layer with "atlas init".'],
      [['diff', '--source', 'lake'], 'There is no'],
    ] as const) {
      expect(await empty.run(...args)).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(message) });
    }
    for (const [args, message] of [
      [['--tables', 'ordres'], 'Neither the layer nor the database has a table "ordres"; did you mean `orders`?'],
      [['--schema', 'sale'], 'There is no schema "sale" with a table that this login may read. There are: public.'],
    ] as const) {
      expect(await shop.run('diff', ...args)).toEqual({ code: 1, stdout: '', stderr: `${message}\n` });
    }
    writeFileSync(shop.file('entities/orders.yml'), 'table: orders\n  dimensions: []\n');
    expect(await shop.run('diff')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^entities\/orders\.yml:\d+:\d+: /),
    });
  });
});

describe('on SQLite', () => {
  it('is clean after init has added to a layer that a person wrote', async () => {
    using folder = emptyFolder();
    const path = join(folder.path, 'shop.db');
    const db = new Sqlite(path);
    db.exec(SHOP);
    using shop = project(`sqlite:${path}`);
    mkdirSync(shop.file('entities'), { recursive: true });
    writeFileSync(
      shop.file('entities/orders.yml'),
      'table: orders\ndimensions:\n  - { name: id, type: number, primary_key: true }\n  - { name: customer_id, type: number }\n',
    );
    expect(await shop.run('init')).toMatchObject({ code: 0 });
    expect(await shop.drift()).toEqual([]);
    db.exec('ALTER TABLE audit_log ADD COLUMN order_id INTEGER REFERENCES orders (id)');
    db.close();
    expect(await shop.drift()).toEqual(['column_added | audit_log.order_id | INTEGER']);
  });

  it('says that facts are old, which is no drift, until init has read them again', async () => {
    using folder = emptyFolder();
    const path = join(folder.path, 'shop.db');
    const db = new Sqlite(path);
    db.exec(SHOP);
    using shop = await initialised(`sqlite:${path}`);
    db.exec(`WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n LIMIT 2500)
      INSERT INTO orders SELECT i, 1, '2026-05-06 07:00:00', 5, 'open' FROM n; ANALYZE`);
    db.close();
    expect(await shop.run('diff')).toMatchObject({
      code: 0,
      stderr:
        'Row counts and ranges are old, as the number of rows has changed: orders. Run "atlas init" to read them again.\n',
    });
    expect(await shop.run('init')).toMatchObject({ code: 0 });
    expect(await shop.drift()).toEqual([]);
    const text = readFileSync(shop.file('entities/orders.yml'), 'utf8');
    expect(text).toMatch(/^row_count: 2502$/m);
    expect(text).toContain('2026-05-06 07:00:00');
  });

  it('is clean after init and finds drift, also in types that only values tell', async () => {
    using folder = emptyFolder();
    const path = join(folder.path, 'shop.db');
    const change = (sql: string) => {
      const db = new Sqlite(path);
      db.exec(sql);
      db.close();
    };
    change(`${SHOP}
      CREATE TABLE "group" ("order by" TEXT, day TEXT, at TEXT, flag INTEGER, anything, amount, PRIMARY KEY ("order by")) WITHOUT ROWID;
      INSERT INTO "group" VALUES ('a', '2024-01-01', '2024-01-01T10:00:00Z', 1, 'x', 5), ('b', '2024-01-02', '2024-01-02T10:00:00Z', 0, 'y', 7);
      CREATE TABLE Nodes (id INTEGER PRIMARY KEY, Parent INTEGER REFERENCES nodes);
      CREATE VIRTUAL TABLE texts USING fts5 (body);
      CREATE TABLE implied (customer_id INTEGER, product_id INTEGER)`);
    using shop = await initialised(`sqlite:${path}`);
    expect(await shop.drift()).toEqual([]);
    change(`UPDATE "group" SET amount = 'much', day = 'some day';
      ALTER TABLE implied ADD COLUMN note TEXT; ALTER TABLE products RENAME COLUMN title TO headline;
      DROP VIEW big_orders; DROP TABLE audit_log; CREATE TABLE more (id INTEGER)`);
    expect(await shop.drift()).toEqual([
      'table_removed | audit_log',
      'table_removed | big_orders',
      'column_type | group.day | layer: date | string (TEXT)',
      'column_type | group.amount | layer: number | string (no type)',
      expect.stringMatching(/^expression_broken|column_added \| implied\.note \| TEXT/),
      expect.stringContaining('column_removed | products.title | looks renamed to headline'),
      'column_added | products.headline | VARCHAR(40)',
      'table_added | more | table',
    ]);
  });
});

describe('on DuckDB', () => {
  it('is clean after init, and finds drift', async () => {
    using folder = emptyFolder();
    const path = join(folder.path, 'shop.duckdb');
    const change = async (sql: string) => {
      const instance = await DuckDBInstance.create(path);
      const connection = await instance.connect();
      await connection.run(sql);
      connection.closeSync();
      instance.closeSync();
    };
    await change(`${SHOP}
      CREATE TABLE "Mixed Case" ("Id" HUGEINT, list INTEGER[], pair STRUCT(a INTEGER, b VARCHAR), m MAP(VARCHAR, INTEGER), e ENUM('a', 'b'), d DECIMAL(18, 3));
      CREATE SCHEMA lake; CREATE TABLE lake.raw (id INTEGER, seen TIMESTAMPTZ)`);
    using shop = await initialised(`duckdb:${path}`);
    expect(await shop.drift()).toEqual([]);
    await change(`ALTER TABLE audit_log ADD COLUMN level INTEGER; ALTER TABLE "Mixed Case" ALTER d TYPE VARCHAR;
      CREATE TABLE more (id INTEGER); DROP VIEW big_orders`);
    expect((await shop.drift()).filter((line) => !line.startsWith('expression_broken'))).toEqual([
      'column_added | audit_log.level | INTEGER',
      'table_removed | big_orders',
      'column_type | Mixed Case.d | layer: number | string (VARCHAR)',
      'table_added | more | table',
    ]);
  });
});

suiteNeeding(
  'mysql',
  findMariaDb() !== undefined,
  INSTALL_MARIADB,
)('on MariaDB', () => {
  let server: MariaDbServer;
  beforeAll(async () => {
    server = await startMariaDb();
  }, 120_000);
  afterAll(() => server.stop());

  it('is clean after init, and finds drift', async () => {
    const admin = await mysql.createConnection({ uri: server.url, multipleStatements: true });
    try {
      await admin.query(`${SHOP}
        CREATE TABLE \`Order Details\` (\`key\` int, \`grö ße\` text, mood enum('a', 'b'), flag tinyint(1), one bit(1), doc json,
          y year, big bigint unsigned, PRIMARY KEY (\`key\`)) COMMENT 'Details';
        CREATE TABLE versions (id int PRIMARY KEY, x int) WITH SYSTEM VERSIONING`);
      using shop = await initialised(server.url);
      expect(await shop.drift()).toEqual([]);
      await admin.query(`ALTER TABLE customers MODIFY email varchar(80) NOT NULL, DROP FOREIGN KEY customers_ibfk_1;
        ALTER TABLE order_lines DROP PRIMARY KEY, ADD PRIMARY KEY (order_id, line, product_id);
        ALTER TABLE \`Order Details\` MODIFY big varchar(20), CHANGE mood feeling enum('a', 'b')`);
      expect((await shop.drift()).filter((line) => !line.startsWith('expression_broken'))).toEqual([
        'column_nullable | customers.email | layer: NULL | NOT NULL',
        'foreign_key_removed | customers.region_id | layer: regions.id',
        'column_removed | Order Details.mood | looks renamed to feeling',
        "column_added | Order Details.feeling | enum('a','b')",
        'column_type | Order Details.big | layer: number | string (varchar(20))',
        'primary_key | order_lines | layer: order_id, line | order_id, line, product_id',
      ]);
    } finally {
      admin.destroy();
    }
  });
});
