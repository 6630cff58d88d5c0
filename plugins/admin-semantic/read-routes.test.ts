import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../../test/harness/create-test-app.ts';
import { dialects } from '../../test/harness/internal-databases.ts';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import {
  Client,
  databases,
  idOf,
  organization,
  setRole,
  startServer,
  userOf,
} from '../../test/harness/managed-server.ts';
import { authApiKey } from '../auth-api-key/index.ts';
import { authNone } from '../auth-none/index.ts';
import { authRoles } from '../auth-roles/index.ts';
import { http } from '../http/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { adminSemantic } from './index.ts';

const db = databases();
const BASE = '/api/v1/admin/semantic';
const ORDERS = `table: sales.orders
name: orders
type: fact
dimensions:
  - { name: id, type: number, primary_key: true }
  - { name: card, hidden: true }
measures:
  - { name: revenue, type: sum, sql: id }
joins:
  - { target: customers, relationship: many_to_one, on: { from: customer_id, to: id } }
`;
const FILES = {
  'catalog.yml': 'name: Shop\nentities:\n  - { name: orders, description: What was bought. }\n',
  'glossary.yml': 'terms:\n  - { term: active, definition: Not closed. }\n',
  'entities/orders.yml': ORDERS,
  'entities/customers.yml': 'table: customers\ndescription: Who buys.\nrow_count: 60\n',
  'entities/broken.yml': 'table: [\n',
  'metrics/sales.yml': 'metrics:\n  - { id: revenue, entity: orders, measure: revenue }\n',
  'warehouse/entities/orders.yml': 'table: orders\n',
  'warehouse/metrics/stock.yml': 'id: items\nentity: warehouse.orders\nmeasure: count\n',
  'warehouse/glossary.yml': 'terms:\n  - { term: bin }\n',
};

const layerIn = (dir: string) => [semanticLayer({ dir, checkIntervalMs: 0 }), adminSemantic()];
const start = (dir: string) =>
  createTestApp({ plugins: [http({ port: 0 }), authNone(), ...layerIn(dir)], openGates: false });
const get = async (app: TestApp, path: string) => {
  const answer = await app.inject({ method: 'GET', url: BASE + path });
  return { status: answer.statusCode, ...answer, body: answer.body };
};
const json = async (app: TestApp, path: string) => JSON.parse((await get(app, path)).body);

describe('the files of the layer', () => {
  it('are listed with a summary each, also those that do not parse', async () => {
    using folder = layerFolder(FILES);
    await using app = await start(folder.dir);
    const { entities, total, problems } = await json(app, '/entities');
    expect(total).toBe(4);
    expect(problems).toHaveLength(1);
    expect(entities).toEqual([
      {
        ...{ name: 'broken', file: 'entities/broken.yml', source: 'default', table: null, type: null },
        ...{ description: '', rowCount: null, columnCount: 0, joinCount: 0, measureCount: 0, connection: null },
        problems: [{ line: 2, column: 1, message: expect.any(String) }],
      },
      {
        ...{ name: 'customers', file: 'entities/customers.yml', source: 'default', table: 'customers', type: 'table' },
        ...{ description: 'Who buys.', rowCount: 60, columnCount: 0, joinCount: 0, measureCount: 0, connection: null },
        problems: [],
      },
      {
        ...{ name: 'orders', file: 'entities/orders.yml', source: 'default', table: 'sales.orders', type: 'fact' },
        ...{
          description: 'What was bought.',
          rowCount: null,
          columnCount: 2,
          joinCount: 1,
          measureCount: 1,
          connection: null,
        },
        problems: [],
      },
      {
        ...{ name: 'warehouse.orders', file: 'warehouse/entities/orders.yml', source: 'warehouse', table: 'orders' },
        ...{ type: 'table', description: '', rowCount: null, columnCount: 0, joinCount: 0, measureCount: 0 },
        connection: 'warehouse',
        problems: [],
      },
    ]);
  });

  it('are shown one by one and by kind', async () => {
    using folder = layerFolder(FILES);
    await using app = await start(folder.dir);
    const { entity, ...rest } = await json(app, '/entities/ORDERS');
    expect(rest).toEqual({ name: 'orders', file: 'entities/orders.yml', source: 'default', problems: [] });
    expect(entity.dimensions[1]).toEqual({ name: 'card', sql: 'card', type: 'string', hidden: true });
    expect(entity.joins[0].target).toBe('customers');
    expect((await json(app, '/entities/warehouse.orders')).file).toBe('warehouse/entities/orders.yml');
    expect(await json(app, '/entities/broken')).toMatchObject({ entity: null, problems: [{ line: 2 }] });

    const { metrics } = await json(app, '/metrics');
    expect(metrics).toMatchObject([
      { source: 'default', files: [{ file: 'metrics/sales.yml', metrics: [{ id: 'revenue' }], problems: [] }] },
      { source: 'warehouse', files: [{ file: 'warehouse/metrics/stock.yml', metrics: [{ id: 'items' }] }] },
    ]);
    const { glossary } = await json(app, '/glossary');
    expect(glossary).toMatchObject([
      { source: 'default', file: 'glossary.yml', terms: [{ term: 'active' }], problems: [] },
      { source: 'warehouse', file: 'warehouse/glossary.yml', terms: [{ term: 'bin' }] },
    ]);
    const { catalog } = await json(app, '/catalog');
    expect(catalog).toMatchObject({ name: 'Shop', entities: [{ name: 'orders' }] });
    expect(await json(app, '/stats')).toEqual({
      ...{ totalEntities: 3, totalColumns: 2, totalJoins: 1, totalMeasures: 1 },
      coverageGaps: { noDescription: 1, noColumns: 2, noJoins: 2 },
    });
  });

  it('may all be missing', async () => {
    using folder = layerFolder();
    await using app = await start(join(folder.dir, 'semantic'));
    expect(await json(app, '/entities')).toMatchObject({ entities: [], total: 0, problems: [{ line: 1 }] });
    expect(await json(app, '/metrics')).toEqual({ metrics: [] });
    expect(await json(app, '/glossary')).toEqual({ glossary: [] });
    expect(await json(app, '/catalog')).toEqual({ catalog: null });
    expect(await json(app, '/stats')).toEqual({
      ...{ totalEntities: 0, totalColumns: 0, totalJoins: 0, totalMeasures: 0 },
      coverageGaps: { noDescription: 0, noColumns: 0, noJoins: 0 },
    });
    expect((await get(app, '/raw/catalog.yml')).status).toBe(404);
    expect((await get(app, '/entities/orders')).status).toBe(404);
  });

  it('are read raw, byte by byte, with their version', async () => {
    using folder = layerFolder({ ...FILES, 'entities/latin.yml': Buffer.from('table: caf\xe9\n', 'latin1') });
    await using app = await start(folder.dir);
    const versions = new Set<unknown>();
    for (const [path, text] of Object.entries(FILES)) {
      const answer = await get(app, `/raw/${path}`);
      expect([answer.status, answer.body, answer.headers['content-type']]).toEqual([
        ...[200, text, 'application/yaml; charset=utf-8'],
      ]);
      expect(answer.headers.etag).toMatch(/^"[0-9a-f]{32}"$/);
      versions.add(answer.headers.etag);
    }
    expect(versions.size).toBe(Object.keys(FILES).length);
    expect((await get(app, '/raw/entities/latin.yml')).status).toBe(200);
    for (const path of ['/raw/entities/none.yml', '/raw/nowhere/glossary.yml', '/raw/nowhere/entities/orders.yml']) {
      expect((await get(app, path)).status, path).toBe(404);
    }
  });
});

/** A request with an address that no client library has put in order. */
const rawStatus = (app: TestApp, path: string) =>
  new Promise<readonly [number, string]>((resolve, reject) => {
    const { port } = app.get(http).address()!;
    request({ port, path, host: '127.0.0.1' }, (answer) => {
      let text = '';
      answer.on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () => resolve([answer.statusCode ?? 0, text]));
    })
      .on('error', reject)
      .end();
  });

/** Addresses that lead out of the layer, or try to. */
const HOSTILE = [
  ...['../secret.yml', '../../secret.yml', '../../../../../../etc/passwd', 'entities/../../secret.yml', '..', '.'],
  ...['%2e%2e/secret.yml', '%2e%2e%2fsecret.yml', '..%2fsecret.yml', 'entities/..%2f..%2fsecret.yml'],
  ...['%2e%2e%5csecret.yml', '..%5csecret.yml', 'entities%2forders.yml', 'entities/..%5c..%5csecret.yml'],
  ...['%252e%252e%252fsecret.yml', 'entities/%252e%252e%252fsecret.yml', 'entities/%25252e%25252e%25252fsecret.yml'],
  ...['%2fetc%2fpasswd', '%2fetc%2fpasswd.yml', 'entities/%2fetc%2fpasswd.yml', '/etc/passwd', '/etc/passwd.yml'],
  ...['C:%5cwindows%5cwin.ini', 'C:%5csecret.yml', 'entities/C:secret.yml', '%5c%5chost%5cshare%5csecret.yml'],
  ...['entities/orders.yml%00', 'entities/orders.yml%00.txt', 'entities/secret%00.yml', '%00', 'catalog.yml%00.yml'],
  ...['entities/.hidden.yml', '.orgs/other.yml', '.orgs/other/catalog.yml', '.env', '.git/config', '.versions/a.yml'],
  ...['entities/orders', 'entities/orders.txt', 'entities/orders.yml.bak', 'entities/orders.json', 'catalog.json'],
  ...['entities/orders.yml.', 'entities/orders.yml%20', 'entities/orders.yml::$DATA', 'entities/orders.yml~'],
  ...['package.yml', 'README.md', 'entities/sub%2forders.yml', 'default/catalog.yml', 'default/entities/orders.yml'],
  ...['%c0%ae%c0%ae%c0%afsecret.yml', '%u002e%u002e%u2215secret.yml', '%ff.yml', '%zz'],
  ...['%ef%bc%8e%ef%bc%8e%ef%bc%8fsecret.yml', 'entities/%e2%80%a5%ef%bc%8fsecret.yml', 'entities/%e2%80%a4a.yml'],
  ...['~root.yml', '~%2fsecret.yml', 'file:%2f%2f%2fetc%2fpasswd', 'entities/a%0ab.yml', 'entities/a%0d%0ab.yml'],
  ...[`entities/${'a'.repeat(200)}.yml`, `entities/${'%c3%a4'.repeat(125)}.yml`, `${'a'.repeat(5_000)}.yml`],
  ...[`${'..%2f'.repeat(300)}etc%2fpasswd`, 'entities/link.yml', 'linked/glossary.yml', 'entities/folder.yml'],
  ...[
    'linked/catalog.yml',
    'linked/entities/none.yml',
    'entities/dangling.yml',
    'entities/loop.yml',
    'nowhere/none.yml',
  ],
  ...[
    'warehouse./catalog.yml',
    'warehouse%20/catalog.yml',
    'entities/CON.yml',
    'nul/catalog.yml',
    'metrics/lpt1.x.yml',
  ],
  ...['entities/%e2%80%aeorders.yml', 'entities/%20orders.yml', 'entities/orders%3f.yml', 'entities/*.yml'],
];

describe('paths that lead elsewhere', () => {
  it.each(['/raw/', '/entities/'])('are refused below %s', async (below) => {
    using folder = layerFolder({ 'semantic/entities/orders.yml': ORDERS, 'secret.yml': 'table: secret\n' });
    const layer = join(folder.dir, 'semantic');
    writeFileSync(join(layer, '.env'), 'secret');
    mkdirSync(join(layer, 'entities/folder.yml'));
    symlinkSync('../../secret.yml', join(layer, 'entities/link.yml'));
    folder.write('outside/glossary.yml', 'terms:\n  - { term: secret }\n');
    symlinkSync('../outside', join(layer, 'linked'));
    symlinkSync('../../none.yml', join(layer, 'entities/dangling.yml'));
    symlinkSync('loop.yml', join(layer, 'entities/loop.yml'));
    symlinkSync('../none', join(layer, 'nowhere'));
    folder.write('semantic/.orgs/other/entities/theirs.yml', 'table: secret\n');
    symlinkSync('../.orgs/other/entities/theirs.yml', join(layer, 'entities/theirs.yml'));
    await using app = await start(layer);
    const isName = (path: string) => below === '/entities/' && (path.includes('/') || !/%|^[.~]|\.\.|[:*]/.test(path));
    for (const path of [...HOSTILE, 'entities/theirs.yml']) {
      const [status, text] = await rawStatus(app, BASE + below + path);
      expect(text, path).not.toContain('table: secret');
      expect(text, path).not.toContain('root:');
      // More parts than the address of an entity has, or a name without anything hostile in it.
      if (isName(path)) expect([400, 404], path).toContain(status);
      else expect(status, path).toBe(400);
    }
  });

  it('are no files of the layer either', async () => {
    using folder = layerFolder({ 'semantic/entities/orders.yml': ORDERS, 'secret.yml': 'table: secret\n' });
    const layer = join(folder.dir, 'semantic');
    symlinkSync('../../secret.yml', join(layer, 'entities/link.yml'));
    folder.write('semantic/.orgs/other/entities/theirs.yml', 'table: secret\n');
    symlinkSync('../.orgs/other/entities/theirs.yml', join(layer, 'entities/theirs.yml'));
    await using app = await start(layer);
    const { entities, problems } = await json(app, '/entities');
    expect(entities.map(({ name }: { name: string }) => name)).toEqual(['orders']);
    expect(problems.map(({ file }: { file: string }) => file)).toContain('entities/theirs.yml');
  });
});

describe('who may read them', () => {
  it('an administrator, in mode api-key', async () => {
    using folder = layerFolder(FILES);
    const keys = [
      { key: 'a key of some length', role: 'admin' as const },
      { key: 'another key of length', role: 'analyst' as const },
    ];
    await using app = await createTestApp({
      plugins: [http({ port: 0 }), authRoles(), authApiKey({ keys }), ...layerIn(folder.dir)],
      openGates: false,
    });
    const status = async (path: string, key?: string) => {
      const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
      return (await app.inject({ method: 'GET', url: BASE + path, headers })).statusCode;
    };
    for (const path of ['/entities', '/entities/orders', '/metrics', '/glossary', '/catalog', '/stats', '/raw/a.txt']) {
      const [own, low, none] = await Promise.all([
        status(path, keys[0]?.key),
        status(path, keys[1]?.key),
        status(path),
      ]);
      expect([own, low, none], path).toEqual([path === '/raw/a.txt' ? 400 : 200, 403, 401]);
    }
  });

  it.each(dialects)('of each organization its own files, on %s', async (dialect) => {
    using folder = layerFolder({ 'entities/orders.yml': ORDERS, 'entities/customers.yml': 'table: customers\n' });
    await using server = await startServer(await db.url(dialect), {}, layerIn(folder.dir));
    const boss = await userOf(server, 'boss@example.com');
    const own = await userOf(server, 'own@example.com');
    const other = await userOf(server, 'other@example.com');
    for (const user of [own, other]) await setRole(boss, await idOf(user), 'admin');
    const id = (await organization(own, 'create', { name: 'Own', slug: 'own' })).body.id as string;
    await organization(other, 'create', { name: 'Other', slug: 'other' });
    folder.write(`.orgs/${id}/entities/visits.yml`, 'table: visits\n');
    const names = async (client: Client) =>
      (await client.send(`${BASE}/entities`)).body.entities.map(({ name }: { name: string }) => name);
    expect([await names(own), await names(other), await names(boss)]).toEqual([
      ...[['visits'], ['customers', 'orders'], ['customers', 'orders']],
    ]);
    const raw = `${BASE}/raw/entities/visits.yml`;
    expect([(await own.send(raw)).body, (await other.send(raw)).status, (await boss.send(raw)).status]).toEqual([
      ...['table: visits\n', 404, 404],
    ]);
    expect((await own.send(`${BASE}/entities/orders`)).status).toBe(404);
    expect((await other.send(`${BASE}/raw/.orgs%2f${id}%2fentities/visits.yml`)).status).toBe(400);
    expect((await new Client(server).send(`${BASE}/entities`)).status).toBe(401);
  });
});
