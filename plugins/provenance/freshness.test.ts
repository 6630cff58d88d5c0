/** How new the rows of a result are: right after inserts, once a minute, each reader's own, and never at the cost of the answer. */
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { type Actor, definePlugin, sqlSettled } from '../../kernel/index.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { scriptedApp } from '../../test/harness/scripted-agent.ts';
import { SqliteFolder } from '../../test/harness/sqlite.ts';
import { agent } from '../agent/index.ts';
import { datasourceSqlite } from '../datasource-sqlite/index.ts';
import { modelOffline } from '../model-offline/index.ts';
import { resultCache } from '../result-cache/index.ts';
import type { Provenance } from '../result-kit/index.ts';
import { rowSecurity } from '../row-security/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { sqlGuard } from '../sql-guard/index.ts';
import { provenance } from './index.ts';

const DIMENSIONS = `dimensions:
  - { name: id, type: number, primary_key: true }
  - { name: due_at, type: timestamp }
  - { name: secret_at, type: timestamp, hidden: true }
  - { name: masked_at, type: timestamp, mask: "'***'" }
  - { name: placed_at, type: timestamp }
`;
const DATABASE = `
  CREATE TABLE orders (id INTEGER PRIMARY KEY, tenant TEXT, due_at TEXT, secret_at TEXT, masked_at TEXT, placed_at TEXT);
  INSERT INTO orders VALUES (1, 'north', '2099-01-01', '2088-01-01', '2077-01-01', '2026-01-10 08:00:00'),
    (2, 'south', '2099-01-01', '2088-01-01', '2077-01-01', '2026-01-14 09:00:00');
`;

/** What the freshness statements did. */
const observer = definePlugin({
  name: 'test-observer',
  version: '1.0.0',
  type: 'context',
  description: 'Counts statements.',
  setup(ctx): { readonly seen: string[] } {
    const seen: string[] = [];
    ctx.tap(sqlSettled, ({ statement }) => {
      if (statement?.surface === 'freshness') seen.push(statement.requested);
    });
    return { seen };
  },
});

async function shop({ layer = '', isLimited = false, cacheMs = 0, options = {} }) {
  const folder = layerFolder({ 'entities/orders.yml': `table: orders\n${layer}${DIMENSIONS}` });
  const databases = new SqliteFolder();
  const path = databases.create('shop.db', DATABASE);
  const clock = { now: Date.parse('2026-01-15T12:00:00Z') };
  const app = await createTestApp({
    now: () => clock.now,
    plugins: [
      semanticLayer({ dir: folder.dir }),
      sqlGuard(),
      ...(isLimited ? [rowSecurity({ column: 'tenant', claim: 'tenant' })] : []),
      datasourceSqlite({ connections: [{ id: 'default', url: `sqlite:${path}` }] }),
      modelOffline(),
      agent(),
      provenance({ freshnessWaitMs: 5_000, ...options }),
      observer(),
      ...(cacheMs > 0 ? [resultCache({ ttlMs: cacheMs })] : []),
    ],
  });
  const { seen } = app.get(observer);
  return {
    clock,
    seen,
    insert(sql: string) {
      const database = new Sqlite(path);
      database.exec(sql);
      database.close();
    },
    /** Beside the result of a statement of a reader. */
    async origin(id = 'ann', tenant = 'north', sql = 'SELECT COUNT(*) AS n FROM orders'): Promise<Provenance> {
      const actor: Actor = { id, label: id, role: 'analyst', mode: 'test', claims: { tenant, sub: id } };
      const { table, release } = await app.get(agent).runStatement({ sql, surface: 'api' }, app.scope({ actor }));
      release();
      return table.about?.provenance as Provenance;
    },
    async [Symbol.asyncDispose]() {
      await app.close();
      databases[Symbol.dispose]();
      folder[Symbol.dispose]();
    },
  };
}

const lastOf = ({ tables: [table] }: Provenance) => table?.freshness?.last;

test('is right after inserts once the minute is over, by the time that is neither hidden, masked nor ahead', async () => {
  await using orders = await shop({});
  expect((await orders.origin()).tables).toEqual([
    {
      name: 'orders',
      freshness: {
        column: 'orders.placed_at',
        last: '2026-01-14 09:00:00',
        checkedAt: '2026-01-15T12:00:00.000Z',
        isLate: false,
      },
    },
  ]);
  orders.insert("INSERT INTO orders (placed_at) VALUES ('2026-01-15 11:59:00')");
  orders.clock.now += 59_000;
  expect(lastOf(await orders.origin())).toBe('2026-01-14 09:00:00');
  orders.clock.now += 1_001;
  expect(lastOf(await orders.origin())).toBe('2026-01-15 11:59:00');
  orders.clock.now += 60_001;
  orders.insert('DELETE FROM orders');
  expect(lastOf(await orders.origin())).toBeNull();
  expect(orders.seen).toHaveLength(3);
});

test('is read past a cache of results', async () => {
  await using orders = await shop({ cacheMs: 600_000 });
  expect(lastOf(await orders.origin())).toBe('2026-01-14 09:00:00');
  orders.insert("INSERT INTO orders (placed_at) VALUES ('2026-01-15 11:59:00')");
  orders.clock.now += 60_001;
  expect(lastOf(await orders.origin())).toBe('2026-01-15 11:59:00');
});

test('readers of other rows are told of their own only, and those of the same policy share one statement', async () => {
  await using orders = await shop({ isLimited: true });
  const [ann, sven, nora] = [
    await orders.origin('ann', 'north'),
    await orders.origin('sven', 'south'),
    await orders.origin('nora', 'north'),
  ];
  expect([ann, sven, nora].map(lastOf)).toEqual(['2026-01-10 08:00:00', '2026-01-14 09:00:00', '2026-01-10 08:00:00']);
  expect(ann.policies).toEqual(['rows']);
  expect(JSON.stringify(ann)).not.toMatch(/south|tenant|2026-01-14/);
  expect(orders.seen).toHaveLength(2);
  // Of a reader without any rows nothing is told, whatever others have asked.
  expect(lastOf(await orders.origin('eve', 'nowhere'))).toBeNull();
});

test('a declared bound is checked against the clock, whenever the time was read', async () => {
  await using orders = await shop({ layer: 'freshness: { column: due_at, within: 2h }\n' });
  orders.insert("UPDATE orders SET due_at = '2026-01-15 10:00:00'");
  const freshness = async () => (await orders.origin()).tables[0]?.freshness;
  expect(await freshness()).toMatchObject({ column: 'orders.due_at', within: '2h', isLate: false });
  orders.clock.now += 1_000;
  expect(await freshness()).toMatchObject({ last: '2026-01-15 10:00:00', isLate: true });
  expect(orders.seen).toHaveLength(1);
});

test('a day is over at its end', async () => {
  await using orders = await shop({ layer: 'freshness: { column: placed_at, within: 12h }\n' });
  orders.insert("UPDATE orders SET placed_at = '2026-01-14'");
  expect((await orders.origin()).tables).toMatchObject([{ freshness: { isLate: false } }]);
});

test.each([
  ['off', ''],
  ['declared', ''],
])('with `%s` nothing is read of tables without a declaration', async (freshness, layer) => {
  await using orders = await shop({ layer, options: { freshness } });
  expect((await orders.origin()).tables).toEqual([{ name: 'orders', freshness: null }]);
  expect(orders.seen).toEqual([]);
});

test('a table that answers slowly delays no result, and its statement ends with the server', async () => {
  using folder = layerFolder({
    'entities/orders.yml':
      'table: orders\ndimensions: [{ name: id, type: number }, { name: slow_at, type: timestamp }]\n',
  });
  const scripted = await scriptedApp([], {
    plugins: [semanticLayer({ dir: folder.dir }), provenance({ freshnessWaitMs: 1 })],
  });
  try {
    const { app, shop: database } = scripted;
    const request = { sql: 'select count(*) as n from orders', surface: 'api' };
    for (let asked = 0; asked < 3; asked += 1) {
      const { table, release } = await app.get(agent).runStatement(request, app.scope());
      expect(table.about).toMatchObject({ provenance: { tables: [{ name: 'orders', freshness: null }] } });
      release();
    }
    expect(database.executed.filter((sql) => sql.includes('slow_at'))).toHaveLength(1);
    expect(database.stopped).toEqual([]);
  } finally {
    await scripted[Symbol.asyncDispose]();
  }
  expect(scripted.shop.stopped).toHaveLength(1);
});

test('what a statement says is read once, but not kept of a long one', async () => {
  await using orders = await shop({});
  const filters = async (length: number) =>
    (await orders.origin('ann', 'north', `SELECT COUNT(*) AS n FROM orders WHERE due_at <> '${'x'.repeat(length)}'`))
      .filters;
  expect(await filters(10)).toBe(await filters(10));
  expect(await filters(20_000)).not.toBe(await filters(20_000));
});
