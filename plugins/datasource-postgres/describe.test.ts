import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Ask } from '../../test/harness/ask.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { type PostgresServer, startPostgres } from '../../test/harness/postgres.ts';
import { PostgresDriver } from './driver.ts';
import { datasourcePostgres } from './index.ts';

let server: PostgresServer;
let admin: pg.Client;

const reader = () => server.url.replace('postgres:atlas@', 'reader:x@');
const ask = (url = server.url) => {
  const options = { id: 'shop', url, connectTimeoutMs: 5_000 };
  return new Ask(new PostgresDriver(options as ConstructorParameters<typeof PostgresDriver>[0]));
};

beforeAll(async () => {
  server = await startPostgres();
  admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  await admin.query(`CREATE ROLE reader LOGIN PASSWORD 'x'; CREATE SCHEMA sales; CREATE SCHEMA hidden;
    CREATE DOMAIN email AS text;
    CREATE TABLE customers (id int PRIMARY KEY, "Full name" varchar(50) NOT NULL, mail email, dropped int, tags text[]);
    ALTER TABLE customers DROP COLUMN dropped;
    COMMENT ON TABLE customers IS 'Who buys'; COMMENT ON COLUMN customers.mail IS 'May bounce';
    CREATE TABLE sales.orders (a int, b int, customer int REFERENCES customers, at timestamptz NOT NULL, PRIMARY KEY (b, a));
    CREATE TABLE sales.lines (id int, oa int, ob int, FOREIGN KEY (ob, oa) REFERENCES sales.orders (b, a));
    CREATE TABLE parts (id int, at date) PARTITION BY RANGE (at);
    CREATE TABLE parts_2024 PARTITION OF parts FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
    CREATE VIEW shown AS SELECT id FROM customers; CREATE MATERIALIZED VIEW stored AS SELECT id FROM customers;
    CREATE EXTENSION postgres_fdw; CREATE SERVER other FOREIGN DATA WRAPPER postgres_fdw;
    CREATE FOREIGN TABLE remote (id int) SERVER other;
    CREATE TABLE hidden.secrets (id int); CREATE TEMP TABLE passing (id int);
    INSERT INTO customers SELECT n, 'x' FROM generate_series(1, 500) AS n; ANALYZE customers;
    GRANT USAGE ON SCHEMA sales TO reader; GRANT SELECT ON sales.orders, shown TO reader;
    GRANT SELECT (id, mail) ON customers TO reader; GRANT SELECT ON hidden.secrets TO reader`);
}, 120_000);
afterAll(async () => {
  await admin?.end();
  await server?.stop();
});

describe('the description', () => {
  it('names every kind of table once, partitions by their table', async () => {
    await using shop = ask();
    const tables = await shop.database.describe();
    expect(tables.map(({ schema, name, kind }) => `${schema}.${name} ${kind}`)).toEqual([
      'hidden.secrets table',
      'public.customers table',
      'public.parts table',
      'public.remote table',
      'public.shown view',
      'public.stored view',
      'sales.lines table',
      'sales.orders table',
    ]);
  });

  it('has columns, comments, estimates and keys', async () => {
    await using shop = ask();
    expect(await shop.table('customers')).toEqual({
      schema: 'public',
      name: 'customers',
      kind: 'table',
      comment: 'Who buys',
      estimatedRows: 500,
      columns: [
        { name: 'id', type: 'integer', nullable: false },
        { name: 'Full name', type: 'character varying(50)', nullable: false },
        { name: 'mail', type: 'email', nullable: true, comment: 'May bounce' },
        { name: 'tags', type: 'text[]', nullable: true },
      ],
      primaryKey: ['id'],
      foreignKeys: [],
    });
    const orders = await shop.table('orders');
    expect(orders?.primaryKey).toEqual(['b', 'a']);
    expect(orders?.foreignKeys).toEqual([{ columns: ['customer'], table: 'public.customers', references: ['id'] }]);
    expect(orders).not.toHaveProperty('estimatedRows');
    expect((await shop.table('lines'))?.foreignKeys).toEqual([
      { columns: ['ob', 'oa'], table: 'orders', references: ['b', 'a'] },
    ]);
  });

  it('estimates a partitioned table by its partitions', async () => {
    await admin.query(`INSERT INTO parts SELECT n, '2024-05-01' FROM generate_series(1, 300) AS n; ANALYZE parts_2024`);
    await using shop = ask();
    expect((await shop.table('parts'))?.estimatedRows).toBe(300);
  });

  it('holds what the login may read and nothing else', async () => {
    await using shop = ask(reader());
    const tables = await shop.database.describe();
    expect(tables.map(({ name, columns }) => [name, columns.map((column) => column.name)])).toEqual([
      ['customers', ['id', 'mail']],
      ['shown', ['id']],
      ['orders', ['a', 'b', 'customer', 'at']],
    ]);
  });

  it('of a hundred tables more takes as many queries', async () => {
    await using shop = ask();
    await shop.run('SELECT 1');
    const queries = vi.spyOn(pg.Client.prototype, 'query');
    const described = async () => {
      const before = queries.mock.calls.length;
      const tables = await shop.database.describe();
      return { tables, count: queries.mock.calls.length - before };
    };
    const few = await described();
    expect(few.count).toBeGreaterThan(0);
    const columns = Array.from({ length: 18 }, (_, n) => `c${n} text`).join(', ');
    await admin.query('CREATE SCHEMA many');
    await admin.query(`DO $$ BEGIN FOR n IN 1..100 LOOP
      EXECUTE format('CREATE TABLE many.t%s (id int PRIMARY KEY, parent int %s, ${columns})', n,
        CASE WHEN n > 1 THEN format('REFERENCES many.t%s', n - 1) ELSE '' END); END LOOP; END $$`);
    const { tables, count } = await described();
    queries.mockRestore();
    expect(count).toBe(few.count);
    const many = tables.filter(({ schema }) => schema === 'many');
    expect(many).toHaveLength(100);
    expect(many.every(({ columns: list }) => list.length === 20)).toBe(true);
    expect(many.flatMap(({ foreignKeys }) => foreignKeys)).toHaveLength(99);
    await admin.query('DROP SCHEMA many CASCADE');
  });
});

describe('the warnings', () => {
  it('name what a login may do beyond reading, and how to take it away', async () => {
    await admin.query(`CREATE ROLE writer LOGIN PASSWORD 'x' CREATEDB BYPASSRLS; GRANT pg_read_server_files TO writer;
      GRANT USAGE, CREATE ON SCHEMA sales TO writer; GRANT INSERT, SELECT ON sales.orders TO writer;
      GRANT UPDATE (id) ON sales.lines TO writer; GRANT CREATE ON DATABASE postgres TO writer`);
    await using writer = ask(server.url.replace('postgres:atlas@', 'writer:x@'));
    expect(await writer.database.warnings()).toEqual([
      expect.stringMatching(
        /^Connection "shop": the login writer has CREATEDB, BYPASSRLS; .* ALTER ROLE writer NOCREATEDB NOBYPASSRLS;$/,
      ),
      expect.stringContaining('REVOKE pg_read_server_files FROM writer;'),
      expect.stringMatching(
        /may write to 2 tables of the schema sales; .*REVOKE INSERT.* GRANT SELECT ON ALL TABLES IN SCHEMA sales TO writer;/,
      ),
      expect.stringContaining('REVOKE CREATE ON SCHEMA sales FROM writer'),
      expect.stringContaining('REVOKE CREATE ON DATABASE postgres FROM writer'),
    ]);
    await using superuser = ask();
    const [warning, ...more] = await superuser.database.warnings();
    expect(warning).toMatch(/is a superuser.*GRANT SELECT ON ALL TABLES/);
    expect(more).toEqual([]);
  });

  it('name a schema that the login cannot use', async () => {
    await using shop = ask(`${reader()}?schema=hidden`);
    expect(await shop.database.warnings()).toEqual([
      expect.stringMatching(/there is no schema hidden that the login reader may use; .*GRANT USAGE ON SCHEMA hidden/),
    ]);
  });

  it('are none for a login that only reads', async () => {
    await using shop = ask(reader());
    expect(await shop.database.warnings()).toEqual([]);
    expect(await shop.database.health()).not.toHaveProperty('message');
  });

  it('are logged at the start, which does not wait for them or fail with them', async () => {
    const url = server.url.replace(/:\d+\/postgres$/, ':1/postgres');
    const connections = [
      { id: 'shop', url: server.url },
      { id: 'down', url },
    ];
    await using app = await createTestApp({ plugins: [datasourcePostgres({ connections })] });
    const sentences = await app.get(datasourcePostgres).warnings();
    expect(sentences).toEqual([
      expect.stringContaining('Connection "shop": the login postgres is a superuser'),
      expect.stringMatching(/^Connection "down": Connection failed/),
    ]);
    const logged = () => app.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
    await expect.poll(logged).toEqual(sentences);
  });
});

describe('the options', () => {
  it.each([
    [
      [
        { id: 'a', url: 'postgres://u@h/d' },
        { id: 'a', url: 'postgres://u@h/d' },
      ],
      /Two connections are named "a"/,
    ],
    [[{ id: 'a', url: 'mysql://u:hunter2@h/d' }], /Connection "a": The PostgreSQL URL cannot be used/],
    [[{ id: 'A', url: 'postgres://u@h/d' }], /id/],
  ])('%j stop the start', async (connections, message) => {
    const start = createTestApp({ plugins: [datasourcePostgres({ connections })] });
    await expect(start).rejects.toThrow(message);
    await expect(start).rejects.not.toThrow(/hunter2/);
  });
});
