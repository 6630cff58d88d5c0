import { afterAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../test/harness/create-test-app.ts';
import { dialects } from '../../test/harness/internal-databases.ts';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import {
  type Client,
  databases,
  idOf,
  organization,
  setRole,
  startServer,
  userOf,
} from '../../test/harness/managed-server.ts';
import { SqliteFolder } from '../../test/harness/sqlite.ts';
import { audit } from '../audit/index.ts';
import { datasourceDuckdb } from '../datasource-duckdb/index.ts';
import { connectionOwners } from '../datasource-kit/index.ts';
import { datasourceMysql } from '../datasource-mysql/index.ts';
import { datasourcePostgres } from '../datasource-postgres/index.ts';
import { datasourceSqlite } from '../datasource-sqlite/index.ts';
import { rowSecurity } from '../row-security/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { sqlGuard } from '../sql-guard/index.ts';
import { sqlLimits } from '../sql-limits/index.ts';
import { adminConnections } from './index.ts';

const PATH = '/api/v1/admin/connections';
const db = databases();

const files = new SqliteFolder();
const main = files.create(
  'main.db',
  `CREATE TABLE orders (id INTEGER, place TEXT); INSERT INTO orders VALUES (1, 'main')`,
);
files.create('one.db', `CREATE TABLE orders (id INTEGER, place TEXT); INSERT INTO orders VALUES (1, 'one')`);
files.create('placeless.db', 'CREATE TABLE orders (id INTEGER); INSERT INTO orders VALUES (1)');
files.create('two.db', `CREATE TABLE orders (id INTEGER, place TEXT); INSERT INTO orders VALUES (1, 'two')`);
afterAll(() => files[Symbol.dispose]());

const entity = (table: string, connection: string) =>
  `name: ${connection}_${table}\ntable: ${table}\nconnection: ${connection}\ndimensions:\n  - { name: id }\n  - { name: place }\n`;
const layer = layerFolder({
  'entities/main.yml': entity('orders', 'default'),
  'entities/warehouse.yml': entity('orders', 'warehouse'),
});
afterAll(() => layer[Symbol.dispose]());

const plugins = (options: Parameters<typeof adminConnections>[0] = {}) => [
  semanticLayer({ dir: layer.dir, checkIntervalMs: 0 }),
  sqlGuard(),
  sqlLimits(),
  datasourcePostgres({ connections: [] }),
  datasourceMysql({ connections: [] }),
  datasourceSqlite({ connections: [{ id: 'default', url: `sqlite:${main}` }] }),
  datasourceDuckdb({ connections: [] }),
  audit(),
  adminConnections({ filesDirs: [files.path], ...options }),
];

const places = async (app: TestApp, connectionId: string, orgId: string | null) => {
  const scope = app.scope({ orgId });
  const { result } = await app.runSql({ sql: 'SELECT place FROM orders', connectionId, surface: 'test' }, scope);
  return result.rows.map(({ place }) => place);
};
const idsOf = async (client: Client) =>
  (await client.send(PATH)).body.connections.map(({ id }: { id: string }) => id) as string[];

describe.each(dialects)('stored connections on %s', (dialect) => {
  it('are tested, stored, listed, asked, changed and deleted, each for its organization', async () => {
    const url = await db.url(dialect);
    await using server = await startServer(url, {}, plugins());
    const boss = await userOf(server, 'boss@example.com');
    const ann = await userOf(server, 'ann@example.com');
    const acme = (await organization(boss, 'create', { name: 'Acme', slug: 'acme' })).body.id as string;

    const body = { id: 'warehouse', url: 'sqlite:one.db', description: 'Goods' };
    const created = await boss.send(PATH, { body });
    expect([created.status, created.body]).toEqual([
      201,
      {
        id: 'warehouse',
        dbType: 'sqlite',
        description: 'Goods',
        maskedUrl: 'sqlite:one.db',
        schema: null,
        configured: false,
        createdAt: '2026-01-15T12:00:00.000Z',
        updatedAt: '2026-01-15T12:00:00.000Z',
        health: { status: 'ok', latencyMs: expect.any(Number), checkedAt: '2026-01-15T12:00:00.000Z' },
      },
    ]);
    expect(await places(server, 'warehouse', acme)).toEqual(['one']);
    await expect(places(server, 'warehouse', null)).rejects.toThrow(
      'There is no connection "warehouse"; known: default.',
    );
    await expect(places(server, 'warehouse', 'other')).rejects.toThrow('There is no connection');

    const owners = async () =>
      (await server.call(connectionOwners, undefined, server.scope())).map(({ value }) => value);
    expect(await owners()).toEqual([acme]);

    const list = (await boss.send(PATH)).body.connections;
    expect(list).toMatchObject([
      { id: 'default', dbType: 'sqlite', configured: true, health: { status: 'ok' } },
      { id: 'warehouse', configured: false, health: { status: 'ok', latencyMs: expect.any(Number) } },
    ]);
    expect((await boss.send(`${PATH}/warehouse`)).body).toMatchObject({ id: 'warehouse', maskedUrl: 'sqlite:one.db' });
    expect(await boss.send(`${PATH}/warehouse/test`, { method: 'POST' })).toMatchObject({
      status: 200,
      body: { status: 'ok', latencyMs: expect.any(Number), checkedAt: '2026-01-15T12:00:00.000Z' },
    });
    expect((await boss.send(`${PATH}/default/test`, { method: 'POST' })).body).toMatchObject({ status: 'ok' });
    expect((await ann.send(PATH)).status).toBe(403);

    expect((await boss.send(PATH, { body })).status).toBe(409);
    expect((await boss.send(PATH, { body: { ...body, id: 'default' } })).status).toBe(409);
    expect((await boss.send(`${PATH}/default`, { method: 'PUT', body: { description: 'x' } })).status).toBe(409);
    expect((await boss.send(`${PATH}/default`, { method: 'DELETE' })).status).toBe(409);
    expect((await boss.send(`${PATH}/other`)).status).toBe(404);
    expect((await boss.send(`${PATH}/other/test`, { method: 'POST' })).status).toBe(404);
    expect((await boss.send(`${PATH}/other`, { method: 'PUT', body: {} })).status).toBe(404);
    expect((await boss.send(`${PATH}/other`, { method: 'DELETE' })).status).toBe(404);

    const put = await boss.send(`${PATH}/warehouse`, {
      method: 'PUT',
      body: { url: 'sqlite:two.db', description: null },
    });
    expect([put.status, put.body]).toEqual([
      200,
      expect.objectContaining({ id: 'warehouse', maskedUrl: 'sqlite:two.db', description: null }),
    ]);
    expect(await places(server, 'warehouse', acme)).toEqual(['two']);
    const failed = await boss.send(`${PATH}/warehouse`, { method: 'PUT', body: { url: 'sqlite:none.db' } });
    expect([failed.status, failed.body.error]).toEqual([400, 'connection_failed']);
    expect(await places(server, 'warehouse', acme)).toEqual(['two']);

    expect((await boss.send(`${PATH}/warehouse`, { method: 'DELETE' })).body).toEqual({ success: true });
    expect((await boss.send(`${PATH}/warehouse`, { method: 'DELETE' })).status).toBe(404);
    await expect(places(server, 'warehouse', acme)).rejects.toThrow('There is no connection "warehouse"');
    expect(await owners()).toEqual([]);

    const ofConnections = ({ targetType }: { targetType: string }) => targetType === 'connection';
    const changes = (await boss.send('/api/v1/admin/audit/changes')).body.changes.filter(ofConnections);
    expect(changes.map(({ action }: { action: string }) => action).sort()).toEqual([
      'connection.created',
      'connection.deleted',
      'connection.updated',
    ]);
    expect(changes.find(({ action }: { action: string }) => action === 'connection.updated')).toMatchObject({
      orgId: acme,
      targetId: 'warehouse',
      before: { address: 'sqlite:one.db', revision: 1 },
      after: { address: 'sqlite:two.db', revision: 2 },
    });
  });

  it('of the same id are strangers to each other, on every server and after a restart', async () => {
    const url = await db.url(dialect);
    const start = () => startServer(url, {}, plugins({ refreshMs: 200 }));
    const server = await start();
    const boss = await userOf(server, 'boss@example.com');
    const eve = await userOf(server, 'eve@example.com');
    await setRole(boss, await idOf(eve), 'admin');
    await eve.signIn('eve@example.com');
    const acme = (await organization(boss, 'create', { name: 'Acme', slug: 'acme' })).body.id as string;
    const evil = (await organization(eve, 'create', { name: 'Evil', slug: 'evil' })).body.id as string;
    await using other = await start();
    expect(await idsOf(boss)).toEqual(['default']);
    await expect(places(other, 'warehouse', acme)).rejects.toThrow('There is no connection');

    const create = (client: Client, url: string) => client.send(PATH, { body: { id: 'warehouse', url } });
    expect([(await create(boss, 'sqlite:one.db')).status, (await create(eve, 'sqlite:two.db')).status]).toEqual([
      201, 201,
    ]);
    const seen = async (app: TestApp) => [await places(app, 'warehouse', acme), await places(app, 'warehouse', evil)];
    expect(await seen(server)).toEqual([['one'], ['two']]);
    await eventually(async () => expect(await seen(other)).toEqual([['one'], ['two']]));
    expect((await eve.send(`${PATH}/warehouse`)).body.maskedUrl).toBe('sqlite:two.db');

    await eve.send(`${PATH}/warehouse`, { method: 'DELETE' });
    await eventually(async () => expect(places(other, 'warehouse', evil)).rejects.toThrow('There is no connection'));
    expect(await places(other, 'warehouse', acme)).toEqual(['one']);
    expect((await server.inject({ method: 'GET', url: '/api/health' })).body).not.toContain('warehouse');
    await server.close();
    await using restarted = await start();
    expect(await places(restarted, 'warehouse', acme)).toEqual(['one']);
    await expect(places(restarted, 'warehouse', null)).rejects.toThrow('There is no connection');
  });
});

it('keep row security, with what their own database looks like', async () => {
  await using server = await startServer(await db.url('sqlite'), {}, [
    ...plugins(),
    rowSecurity({ column: 'place', claim: 'place' }),
  ]);
  const boss = await userOf(server, 'boss@example.com');
  const orgs: string[] = [];
  for (const [slug, file] of [
    ['acme', 'one.db'],
    ['evil', 'placeless.db'],
  ] as const) {
    orgs.push((await organization(boss, 'create', { name: slug, slug })).body.id as string);
    expect((await boss.send(PATH, { body: { id: 'warehouse', url: `sqlite:${file}` } })).status).toBe(201);
  }
  const actor = { id: 'a', label: 'a', role: 'viewer', mode: 'test' } as const;
  const ask = async (orgId: string | undefined, place: string) => {
    const scope = server.scope({ orgId: orgId as string, actor: { ...actor, claims: { place } } });
    const request = { sql: 'SELECT count(*) AS n FROM orders', connectionId: 'warehouse', surface: 'test' };
    return (await server.runSql(request, scope)).result.rows;
  };
  const [acme, evil] = orgs;
  expect([await ask(acme, 'one'), await ask(acme, 'two')]).toEqual([[{ n: 1 }], [{ n: 0 }]]);
  await expect(ask(evil, 'one')).rejects.toThrow(/has no column "place"/);
  expect(await ask(acme, 'one')).toEqual([{ n: 1 }]);
});

it('go with their organization', async () => {
  const url = await db.url('sqlite');
  await using server = await startServer(url, {}, plugins());
  const boss = await userOf(server, 'boss@example.com');
  const organizationId = (await organization(boss, 'create', { name: 'Acme', slug: 'acme' })).body.id as string;
  expect((await boss.send(PATH, { body: { id: 'warehouse', url: 'sqlite:one.db' } })).status).toBe(201);
  expect((await organization(boss, 'delete', { organizationId })).status).toBe(200);
  expect(await db.connect(url)('connections')).toEqual([]);
  await expect(places(server, 'warehouse', organizationId)).rejects.toThrow('There is no connection');
});

/** Tries for some seconds. */
async function eventually(check: () => Promise<unknown>): Promise<void> {
  for (const end = performance.now() + 10_000; ; await new Promise((resolve) => setTimeout(resolve, 100))) {
    try {
      await check();
      return;
    } catch (error) {
      if (performance.now() > end) throw error;
    }
  }
}
