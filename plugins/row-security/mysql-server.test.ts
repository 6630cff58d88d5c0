import mysql from 'mysql2/promise';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { findMariaDb, INSTALL_MARIADB, type MariaDbServer, startMariaDb } from '../../test/harness/mariadb.ts';
import { suiteNeeding } from '../../test/harness/require.ts';
import { createTestApp, type TestApp } from '../../test/testing.ts';
import { datasourceMysql } from '../datasource-mysql/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { sqlGuard } from '../sql-guard/index.ts';
import { rowSecurity } from './index.ts';

const CHAIN = 15;

/** A table as it is in a database, and the entity of it. */
const entity = (table: string, schema?: string) =>
  `name: ${schema ?? 'own'}_${table}\ntable: ${table}\n${schema === undefined ? '' : `schema: ${schema}\n`}dimensions:\n  - { name: id }\n`;

suiteNeeding(
  'mysql',
  findMariaDb() !== undefined,
  INSTALL_MARIADB,
)('row security on MariaDB', () => {
  let server: MariaDbServer;
  let db: mysql.Connection;
  let app: TestApp;
  const layer = layerFolder({
    'entities/orders.yml': entity('orders'),
    'entities/archived.yml': entity('orders', 'archive'),
    'entities/untold.yml': entity('untold', 'archive'),
    'entities/gone.yml': entity('gone', 'nowhere'),
    ...Object.fromEntries(Array.from({ length: CHAIN }, (_, n) => [`entities/t${n}.yml`, entity(`t${n}`)])),
  });

  beforeAll(async () => {
    server = await startMariaDb();
    db = await mysql.createConnection({ uri: server.url, multipleStatements: true });
    await db.query(`CREATE TABLE orders (id int PRIMARY KEY, tenant varchar(5), total int);
      INSERT INTO orders VALUES (1, 'a', 10), (2, 'b', 20), (3, 'a', 0);
      CREATE DATABASE archive; CREATE DATABASE closed;
      CREATE TABLE archive.orders (id int PRIMARY KEY, tenant varchar(5), total int);
      INSERT INTO archive.orders VALUES (11, 'a', 110), (12, 'b', 120), (13, 'A', 130);
      CREATE TABLE archive.untold (id int PRIMARY KEY);
      CREATE TABLE closed.orders (id int PRIMARY KEY, tenant varchar(5));
      INSERT INTO closed.orders VALUES (21, 'a')`);
    for (let n = 0; n < CHAIN; n += 1) {
      await db.query(`CREATE TABLE t${n} (id int PRIMARY KEY, next int, v int, tenant varchar(5));
        INSERT INTO t${n} SELECT seq, seq % 50 + 1, seq % 7, if(seq % 3, 'a', 'b') FROM seq_1_to_${200 + n * 10}`);
    }
    app = await createTestApp({
      plugins: [
        semanticLayer({ dir: layer.dir }),
        sqlGuard(),
        rowSecurity({ column: 'tenant', claim: 'tenant' }),
        datasourceMysql({ connections: [{ id: 'default', url: server.url }] }),
      ],
    });
  }, 120_000);
  afterAll(async () => {
    await app?.close();
    await db?.end();
    await server?.stop();
    layer[Symbol.dispose]();
  });

  const actor = { id: 'someone', label: 'someone', role: 'analyst', mode: 'test', claims: { tenant: 'a' } } as const;
  const rows = async (sql: string) => (await app.runSql({ sql, surface: 'test' }, app.scope({ actor }))).result.rows;

  test('filters a table of another database by its column', async () => {
    expect(await rows('SELECT id FROM archive.orders')).toEqual([{ id: 11 }]);
    expect(
      await rows('SELECT o.id, a.id AS old FROM orders o JOIN archive.orders a ON a.tenant = o.tenant ORDER BY o.id'),
    ).toEqual([
      { id: 1, old: 11 },
      { id: 3, old: 11 },
    ]);
    expect(await rows('SELECT count(*) AS n FROM archive.orders WHERE 100 / (total - 120) > 0 OR id > 11')).toEqual([
      { n: 0 },
    ]);
    expect(
      await rows('SELECT orders.total FROM archive.orders WHERE orders.id IN (SELECT id + 10 FROM orders)'),
    ).toEqual([{ total: 110 }]);
  });

  test.each([
    ['SELECT * FROM archive.untold', 'it has no column "tenant"'],
    ['SELECT * FROM nowhere.gone', 'it has no column "tenant"'],
    ['SELECT * FROM closed.orders', 'is not in the semantic layer'],
    ['SELECT * FROM Archive.orders', 'is not in the semantic layer'],
    ['SELECT closed.orders.id FROM archive.orders', 'Schema "closed" cannot be read'],
    ['SELECT id FROM orders WHERE EXISTS (SELECT 1 FROM mysql.user)', 'is not in the semantic layer'],
  ])('refuses %s', async (sql, message) => {
    await expect(rows(sql)).rejects.toMatchObject({ code: 'sql_refused', message: expect.stringContaining(message) });
  });

  test(`joins ${CHAIN} tables whose conditions may fail before the timeout`, async () => {
    const joins = Array.from(
      { length: CHAIN - 1 },
      (_, n) => ` JOIN t${n + 1} ON t${n + 1}.id = t${n % 3 ? n : 0}.next`,
    );
    const sql = `SELECT count(*) AS n, sum(t0.v) AS v FROM t0${joins.join('')} WHERE substring_index(t0.v, ',', 1) > 2`;
    const [[expected]] = await db.query<mysql.RowDataPacket[]>(
      sql.replaceAll(/\b(FROM|JOIN) (t\d+)/g, "$1 (SELECT * FROM $2 WHERE tenant = 'a') AS $2"),
    );
    expect(await rows(sql)).toEqual([{ n: expected?.n, v: Number(expected?.v) }]);
  });
});
