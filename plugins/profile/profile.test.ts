import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  AtlasError,
  datasourceDescribe,
  datasourceList,
  definePlugin,
  type PluginEntry,
  type SqlOutcome,
  sqlBefore,
  sqlSettled,
} from '../../kernel/index.ts';
import { createTestApp, type TestApp } from '../../test/harness/create-test-app.ts';
import { chosenEngines, type TestEngine } from '../../test/harness/internal-databases.ts';
import { type LayerFolder, layerFolder } from '../../test/harness/layer-folder.ts';
import { SqliteFolder } from '../../test/harness/sqlite.ts';
import { organizationDelete } from '../auth-managed/index.ts';
import { connectionOwners } from '../datasource-kit/index.ts';
import { datasourceSqlite } from '../datasource-sqlite/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { rowSecurity } from '../row-security/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { sqlGuard } from '../sql-guard/index.ts';
import { sqlLimits } from '../sql-limits/index.ts';
import { profile } from './index.ts';

const DAY_MS = 86_400_000;

const DATABASE = `
  CREATE TABLE orders (id INTEGER PRIMARY KEY, status TEXT, placed_at TEXT, card TEXT, phone TEXT, note TEXT, tier TEXT, api_token TEXT);
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
  INSERT INTO orders SELECT i, CASE i % 3 WHEN 0 THEN 'cancelled' ELSE 'paid' END, date('2024-01-01', '+' || (i % 400) || ' days'),
    'card' || (i % 2), 'phone' || (i % 2), 'note', 'gold', 'token' FROM n;
  CREATE TABLE visits (id INTEGER PRIMARY KEY, clinic INTEGER, ward TEXT, seen_on TEXT);
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
  INSERT INTO visits SELECT i, i % 2, 'ward' || char(65 + i % 2), '2025-0' || (1 + i % 9) || '-01' FROM n;
  CREATE TABLE accounts (id INTEGER PRIMARY KEY, tenant_id INTEGER, plan TEXT);
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
  INSERT INTO accounts SELECT i, i % 2, 'plan' || char(65 + i % 2) FROM n;
`;

const LAYER = {
  'entities/orders.yml': `
table: orders
row_count: 3
dimensions:
  - { name: id, type: number, primary_key: true }
  - { name: status }
  - { name: placed_at, type: date }
  - { name: card, hidden: true }
  - { name: phone, mask: "'***'" }
  - { name: note }
  - { name: tier, sample_values: [silver] }
  - { name: api_token }
`,
  'entities/visits.yml': 'table: visits\ndimensions:\n  - { name: ward }\n  - { name: seen_on, type: date }\n',
  'entities/accounts.yml': 'table: accounts\ndimensions:\n  - { name: plan }\n',
};

interface Server extends AsyncDisposable {
  readonly app: TestApp;
  /** Statements of the plugin. */
  readonly statements: readonly SqlOutcome[];
  measure(): Promise<boolean>;
  text(orgId?: string | null): Promise<string>;
}

interface ServerInit {
  readonly url?: string;
  readonly layer: LayerFolder;
  readonly database: string;
  /** Further ones by their ids. */
  readonly databases?: Readonly<Record<string, string>>;
  readonly clock?: { ms: number };
  readonly options?: Parameters<typeof profile>[0];
  readonly plugins?: readonly PluginEntry[];
}

async function start({ url, layer, database, databases, clock, options, plugins = [] }: ServerInit): Promise<Server> {
  const statements: SqlOutcome[] = [];
  const observer = definePlugin({
    name: 'observer',
    version: '1.0.0',
    type: 'core',
    description: 'Sees statements.',
    setup(ctx) {
      ctx.tap(sqlSettled, (outcome) => {
        if (outcome.request.surface === 'profile') statements.push(outcome);
      });
    },
  });
  const at = clock ?? { ms: Date.parse('2026-03-01T12:00:00Z') };
  const app = await createTestApp({
    now: () => at.ms,
    plugins: [
      internalDb(url === undefined ? {} : { url }),
      semanticLayer({ dir: layer.dir, checkIntervalMs: 0, watchIntervalMs: 0 }),
      profile({ firstAfterMs: DAY_MS, ...options }),
      sqlLimits(),
      sqlGuard(),
      datasourceSqlite({
        connections: Object.entries({ default: database, ...databases }).map(([id, path]) => ({
          id,
          url: `sqlite:${path}`,
        })),
      }),
      observer(),
      ...plugins,
    ],
  });
  const api = app.get(semanticLayer);
  return {
    app,
    statements,
    measure: () => app.get(profile).measure(),
    text: async (orgId = null) => api.contextFor(await api.modelFor(orgId), 'orders', { maxBytes: 16_384 }),
    [Symbol.asyncDispose]: () => app.close(),
  };
}

describe.each(chosenEngines)('facts of tables, stored on %s', (_name, startEngine) => {
  let engine: TestEngine;
  const files = new SqliteFolder();
  let database: string;
  beforeAll(async () => {
    engine = await startEngine();
    database = files.create('shop.db', DATABASE);
  });
  afterAll(async () => {
    await engine[Symbol.asyncDispose]();
    files[Symbol.dispose]();
  });

  it('are shown after a run, never of hidden, masked and private columns, nor of tables of tenants', async () => {
    using layer = layerFolder(LAYER);
    await using server = await start({ url: await engine.fresh(), layer, database });
    expect(await server.text()).toContain('about 3 rows');
    expect(await server.measure()).toBe(true);
    const text = await server.text();
    expect(text).toContain('about 1,500 rows');
    expect(text).toMatch(/- status \(string\); e\.g\. cancelled, paid/);
    expect(text).toMatch(/- placed_at \(date\); from 2024-01-01 to 2025-02-03/);
    expect(text).toMatch(/- tier \(string\); e\.g\. silver/);
    expect(text).toMatch(/- ward \(string\); e\.g\. wardA, wardB/);
    expect(text).not.toMatch(/card[01]|phone[01]|gold|plan[AB]|e\.g\. (note|token)/);
    const question = { turns: [{ role: 'user' as const, text: 'cancelled' }], surface: 'api' };
    const explained = await server.app.get(semanticLayer).explain(question, server.app.scope());
    expect(explained.stable + explained.perQuestion).toContain('; e.g. cancelled, paid');
    expect(explained.entities[0]).toMatchObject({ name: 'orders' });
    expect(server.statements.map(({ status }) => status)).not.toContain('refused');
    const read = server.statements.map(({ request }) => request.sql).join('\n');
    expect(read).not.toMatch(/card|phone|note|api_token|accounts|SELECT \*/);
    for (const { statement } of server.statements) expect(statement?.limits?.timeoutMs).toBe(1_000);
  });

  it('of wide tables are those of the first columns, and of a view those of one statement', async () => {
    const texts = Array.from({ length: 25 }, (_, n) => `kind${n}`);
    const times = Array.from({ length: 6 }, (_, n) => `on_${n}`);
    const dimensions = [
      ...texts.map((name) => `  - { name: ${name} }`),
      ...times.map((name) => `  - { name: ${name}, type: date }`),
    ];
    const wide = files.create(
      `wide-${_name}.db`,
      `CREATE TABLE wide (${[...texts, ...times].map((name) => `${name} TEXT`).join(', ')});
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
      INSERT INTO wide SELECT ${[...texts.map(() => `'kind' || char(65 + i % 2)`), ...times.map(() => `date('2024-01-01')`)].join(', ')} FROM n;
      CREATE VIEW seen AS SELECT * FROM wide;`,
    );
    using layer = layerFolder({
      'entities/wide.yml': `table: wide\ndimensions:\n${dimensions.join('\n')}\n`,
      'entities/seen.yml': 'table: seen\ntype: view\ndimensions: [{ name: kind0 }, { name: on_0, type: date }]\n',
    });
    await using server = await start({ url: await engine.fresh(), layer, database: wide });
    await server.measure();
    const model = await server.app.get(semanticLayer).modelFor(null);
    const known = (name: string) =>
      model.entity(name)?.dimensions.filter(({ sample_values, range }) => sample_values ?? range);
    expect(known('wide')?.map(({ name }) => name)).toEqual([...texts.slice(0, 20), ...times.slice(0, 4)]);
    expect(known('seen')).toMatchObject([{ name: 'kind0', sample_values: ['kindA', 'kindB'] }]);
    const read = server.statements.map(({ request }) => request.sql);
    expect(read.join('\n')).not.toMatch(/kind2[0-4]|on_[45]/);
    expect(read.filter((sql) => sql.includes('"seen"'))).toHaveLength(1);
  });

  it('are measured once a day, by one of the servers, and shown by all', async () => {
    using layer = layerFolder(LAYER);
    const own = files.create(`growing-${_name}.db`, DATABASE);
    const url = await engine.fresh();
    const clock = { ms: Date.parse('2026-03-01T12:00:00Z') };
    const init = { url, layer, database: own, clock, options: { everyMs: 100 } };
    await using one = await start({ ...init, options: { firstAfterMs: 0, everyMs: 100 } });
    await using two = await start({ ...init, options: { firstAfterMs: 0, everyMs: 100 } });
    for (const server of [one, two]) await expect.poll(() => server.text()).toContain('about 1,500 rows');
    const count = () => one.statements.length + two.statements.length;
    const first = count();
    expect(Math.min(one.statements.length, two.statements.length)).toBe(0);
    expect(await Promise.all([one.measure(), two.measure()])).toEqual([false, false]);
    const version = async () => (await one.app.get(semanticLayer).modelFor(null)).version;
    const before = await version();
    clock.ms += DAY_MS;
    await expect.poll(count).toBe(2 * first);
    // The facts are the same, so the layer is not built anew.
    expect(await version()).toBe(before);
    const db = new Sqlite(own);
    db.exec('DELETE FROM orders WHERE id > 1200');
    db.close();
    clock.ms += DAY_MS;
    for (const server of [one, two]) await expect.poll(() => server.text()).toContain('about 1,200 rows');
    expect(await version()).toBe(before + 1);
  });

  it('keep to the budget, and the oldest are measured first', async () => {
    const names = Array.from({ length: 70 }, (_, n) => `t${n}`);
    const many = files.create(
      `many-${_name}.db`,
      names.map((name) => `CREATE TABLE ${name} (id INTEGER); INSERT INTO ${name} VALUES (1), (2);`).join('\n'),
    );
    using layer = layerFolder(
      Object.fromEntries(
        names.map((name) => [`entities/${name}.yml`, `table: ${name}\ndimensions: [{ name: id, type: number }]\n`]),
      ),
    );
    const clock = { ms: Date.parse('2026-03-01T12:00:00Z') };
    await using server = await start({
      ...{ url: await engine.fresh(), layer, database: many, clock, options: { maxStatements: 50 } },
    });
    const known = async () =>
      (await server.app.get(semanticLayer).modelFor(null)).entities.filter(({ rowCount }) => rowCount === 2).length;
    expect(await server.measure()).toBe(true);
    expect([server.statements.length, await known()]).toEqual([50, 50]);
    clock.ms += DAY_MS;
    expect(await server.measure()).toBe(true);
    expect([server.statements.length, await known()]).toEqual([100, 70]);
  });

  it('of two organizations stay apart, and go with their organization', async () => {
    const layers = (org: string, table: string) =>
      Object.fromEntries(
        Object.entries({ 'entities/t.yml': `table: ${table}\ndimensions: [{ name: ward }, { name: status }]\n` }).map(
          ([path, text]) => [`.orgs/${org}/${path}`, text],
        ),
      );
    using layer = layerFolder({ ...LAYER, ...layers('acme', 'orders'), ...layers('umbrella', 'visits') });
    const url = await engine.fresh();
    await using server = await start({ url, layer, database });
    const api = server.app.get(semanticLayer);
    await api.modelFor('acme');
    await api.modelFor('umbrella');
    await server.measure();
    const stored = () =>
      server.app
        .get(internalDb)
        .run<{ org_id: string }[]>((db) => db('layer_facts').select('org_id').orderBy(['org_id', 'table_key']));
    expect((await stored()).map(({ org_id }) => org_id)).toEqual(['', '', 'acme', 'umbrella']);
    expect(await server.text('acme')).toContain('cancelled, paid');
    expect(await server.text('acme')).not.toContain('ward');
    expect(await server.text('umbrella')).toContain('wardA, wardB');
    expect(await server.text('umbrella')).not.toContain('cancelled');
    await server.app.call(organizationDelete, { orgId: 'acme', actorId: 'boss' }, server.app.scope());
    expect((await stored()).map(({ org_id }) => org_id)).toEqual(['', '', 'umbrella']);
  });

  it('of other layers are measured although the database of one never answers', async () => {
    using layer = layerFolder({ ...LAYER, 'warehouse/entities/parcels.yml': 'table: parcels\n' });
    const clock = { ms: Date.parse('2026-03-01T12:00:00Z') };
    let asked = 0;
    const silent = definePlugin({
      name: 'silent-database',
      version: '1.0.0',
      type: 'datasource',
      description: 'Has a database for one organization that never answers the plugin.',
      setup(ctx) {
        ctx.tap(connectionOwners, () => ['acme', 'umbrella']);
        ctx.tap(datasourceList, (_none, { orgId }) => [
          ...(orgId === 'acme' ? [{ id: 'warehouse', key: 'silent', dbType: 'sqlite', maskedUrl: '' }] : []),
          ...(orgId === 'umbrella' ? [{ id: 'second', key: 'copy', dbType: 'sqlite', maskedUrl: '' }] : []),
        ]);
        ctx.tapKey(datasourceDescribe, 'silent', (_request, { actor, signal }) => {
          if (actor.mode !== 'system') return [];
          asked += 1;
          return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        });
      },
    });
    await using server = await start({
      ...{ url: await engine.fresh(), layer, database, databases: { copy: database }, clock },
      ...{ options: { maxMs: 1_000 }, plugins: [silent()] },
    });
    // Whatever a run comes to in its second, the next one begins with the others.
    for (let day = 1; !(await server.text('umbrella')).includes('about 1,500 rows'); day += 1) {
      expect(day).toBeLessThan(8);
      clock.ms += DAY_MS;
      expect(await server.measure()).toBe(true);
    }
    expect(asked).toBeGreaterThan(0);
    expect(await server.text('acme')).toContain('about 3 rows');
  });

  it('stay for 30 days where a table does not answer any more', async () => {
    using layer = layerFolder(LAYER);
    const clock = { ms: Date.parse('2026-03-01T12:00:00Z') };
    const slow = definePlugin({
      name: 'slow-orders',
      version: '1.0.0',
      type: 'policy',
      description: 'Lets no statement over orders end from the second day on.',
      setup: (ctx) =>
        void ctx.tap(sqlBefore, ({ requested }) => {
          if (clock.ms > Date.parse('2026-03-02T00:00:00Z') && requested.includes('"orders"'))
            throw new AtlasError('The statement took too long.', { code: 'sql_timeout' });
        }),
    });
    const init = { url: await engine.fresh(), layer, database, clock, plugins: [slow()] };
    await using server = await start(init);
    const warned = () => server.app.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
    await server.measure();
    expect(warned()).toEqual([]);
    clock.ms += DAY_MS;
    await server.measure();
    expect(warned()).toEqual(['Tables of the semantic layer were measured.']);
    expect(await server.text()).toContain('about 1,500 rows');
    const tried = () => server.app.get(internalDb).run<object[]>((db) => db('layer_facts').select('tried_at'));
    expect((await tried()).map((row) => Number(Object.values(row)[0]))).toEqual([clock.ms, clock.ms]);
    clock.ms += 29 * DAY_MS;
    await server.measure();
    expect(await server.text()).toContain('about 3 rows');
    expect(await server.text()).toMatch(/wardA, wardB/);
  });

  /** Ends statements over `orders` with an error. */
  const failing = (code: 'datasource_unavailable' | 'sql_refused') =>
    definePlugin({
      name: 'failing-orders',
      version: '1.0.0',
      type: 'policy',
      description: 'Ends statements over orders with an error.',
      setup: (ctx) =>
        void ctx.tap(sqlBefore, ({ requested }) => {
          if (requested.includes('"orders"')) throw new AtlasError('No.', { code });
        }),
    });
  const logged = ({ app }: Server) =>
    app.lines.filter(({ message }) => message === 'Tables of the semantic layer were measured.');

  it('of other tables of a connection are measured the next day, where one table takes it away', async () => {
    using layer = layerFolder(LAYER);
    const clock = { ms: Date.parse('2026-03-01T12:00:00Z') };
    const plugins = [failing('datasource_unavailable')()];
    await using server = await start({ url: await engine.fresh(), layer, database, clock, plugins });
    await server.measure();
    expect([server.statements.length, await server.text()]).toEqual([1, expect.not.stringContaining('wardA')]);
    clock.ms += DAY_MS;
    await server.measure();
    expect(await server.text()).toContain('wardA, wardB');
    expect(logged(server).map(({ level }) => level)).toEqual(['warn', 'warn']);
  });

  it('are left out where a rule holds the statement back, without a warning', async () => {
    using layer = layerFolder(LAYER);
    await using server = await start({
      ...{ url: await engine.fresh(), layer, database, plugins: [failing('sql_refused')()] },
    });
    await server.measure();
    expect(await server.text()).toContain('wardA, wardB');
    expect(await server.text()).toContain('about 3 rows');
    expect(logged(server)).toMatchObject([{ level: 'info', fields: { tables: 1 } }]);
  });

  it('are measured again after a clock that was ahead, but not because of a second', async () => {
    using layer = layerFolder(LAYER);
    const clock = { ms: Date.parse('2036-03-01T12:00:00Z') };
    await using server = await start({ url: await engine.fresh(), layer, database, clock });
    expect(await server.measure()).toBe(true);
    clock.ms -= 1_000;
    expect(await server.measure()).toBe(false);
    clock.ms = Date.parse('2026-03-01T12:00:00Z');
    expect(await server.measure()).toBe(true);
    clock.ms += DAY_MS - 1;
    expect(await server.measure()).toBe(false);
    clock.ms += 1;
    expect(await server.measure()).toBe(true);
  });

  it('of an organization with a connection of its own are those of its database, and go with it', async () => {
    const parcels = {
      'warehouse/entities/parcels.yml': 'table: orders\nname: parcels\ndimensions: [{ name: status }]\n',
    };
    using layer = layerFolder({ ...LAYER, ...parcels });
    const own = files.create(`own-${_name}.db`, DATABASE.replace('i < 1500', 'i < 700').replace("'paid'", "'shipped'"));
    const clock = { ms: Date.parse('2026-03-01T12:00:00Z') };
    const owners = ['acme'];
    const connections = definePlugin({
      name: 'own-connections',
      version: '1.0.0',
      type: 'datasource',
      description: 'Has a database for one organization.',
      setup(ctx) {
        ctx.tap(connectionOwners, () => owners);
        ctx.tap(datasourceList, (_none, { orgId }) =>
          orgId !== null && owners.includes(orgId)
            ? [{ id: 'warehouse', key: 'own', dbType: 'sqlite', maskedUrl: '' }]
            : [],
        );
      },
    });
    const init = { url: await engine.fresh(), layer, database, databases: { own }, clock, plugins: [connections()] };
    await using server = await start(init);
    await server.measure();
    const parcelsOf = async (orgId: string | null) => (await api.modelFor(orgId)).entity('parcels');
    const api = server.app.get(semanticLayer);
    expect(await parcelsOf('acme')).toMatchObject({
      rowCount: 700,
      dimensions: [{ sample_values: ['cancelled', 'shipped'] }],
    });
    expect(await parcelsOf(null)).toBeUndefined();
    for (const orgId of [null, 'acme', 'umbrella']) expect(await server.text(orgId)).toContain('about 1,500 rows');
    const stored = () => server.app.get(internalDb).run<string[]>((db) => db('layer_facts').distinct().pluck('org_id'));
    expect((await stored()).sort()).toEqual(['', 'acme']);
    owners.pop();
    clock.ms += DAY_MS;
    await server.measure();
    expect(await stored()).toEqual(['']);
  });

  it('of tables under row security are not measured', async () => {
    using layer = layerFolder(LAYER);
    const security = rowSecurity({ policies: [{ tables: ['visits'], column: 'clinic', claim: 'clinic' }] });
    await using server = await start({ url: await engine.fresh(), layer, database, plugins: [security] });
    await server.measure();
    expect(await server.text()).toContain('about 1,500 rows');
    expect(await server.text()).not.toMatch(/wardA|2025-0[1-9]-01 to|about 20/);
    expect(server.statements.map(({ request }) => request.sql).join('\n')).not.toContain('visits');
  });

  it('of a table that was dropped are gone after the next run; the others stay', async () => {
    using layer = layerFolder(LAYER);
    const own = files.create(`dropped-${_name}.db`, DATABASE);
    const clock = { ms: Date.parse('2026-03-01T12:00:00Z') };
    await using server = await start({ url: await engine.fresh(), layer, database: own, clock });
    await server.measure();
    const db = new Sqlite(own);
    db.exec('DROP TABLE visits');
    db.close();
    clock.ms += DAY_MS;
    expect(await server.measure()).toBe(true);
    const keys = await server.app.get(internalDb).run((knex) => knex('layer_facts').pluck('table_key'));
    expect(keys).toEqual([JSON.stringify([null, null, 'orders'])]);
    expect(await server.text()).toContain('about 1,500 rows');
  });
});

it('are not measured without an internal database, and nothing fails', async () => {
  using files = new SqliteFolder();
  using layer = layerFolder(LAYER);
  const database = files.create('shop.db', DATABASE);
  await using server = await start({ layer, database, options: { firstAfterMs: 0 } });
  expect(await server.measure()).toBe(false);
  expect(await server.text()).toContain('about 3 rows');
  expect(server.statements).toEqual([]);
});
