import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../../test/harness/create-test-app.ts';
import { type Dialect, dialects } from '../../test/harness/internal-databases.ts';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import {
  type Answer,
  Client,
  databases,
  idOf,
  organization,
  setRole,
  startServer,
  userOf,
} from '../../test/harness/managed-server.ts';
import { audit } from '../audit/index.ts';
import { authApiKey } from '../auth-api-key/index.ts';
import { authNone } from '../auth-none/index.ts';
import { authRoles } from '../auth-roles/index.ts';
import { http } from '../http/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { adminPrompts } from './index.ts';

const db = databases();
const URL = '/api/v1/admin/prompts';
const NEW = { name: 'Clinic', industry: 'health' };
const KEY = 'a key of some length';
const HEADERS = { authorization: `Bearer ${KEY}` };
const LAYER = {
  'catalog.yml':
    'entities:\n  - { name: visits, common_questions: [How many visits were there?, Who came most?] }\n  - { name: none }\n',
  'entities/visits.yml': 'table: visits\n',
};
/** Built-in collections beside that of the catalog. */
const INDUSTRIES = 3;

const client = (app: TestApp) => new Client({ url: app.get(http).url() });
const statusOf = ({ status, body }: Answer) => [status, body.error];
const send = (by: Client, method: string, path: string, body?: unknown) =>
  by.send(URL + path, { method, headers: HEADERS, ...(body !== undefined && { body }) });
const namesOf = async (by: Client, query = '') =>
  (await send(by, 'GET', query)).body.collections.map(({ name }: { name: string }) => name);

async function start(mode: 'none' | 'api-key', dialect: Dialect, dir: string) {
  const auth = mode === 'none' ? [authNone()] : [authRoles(), authApiKey({ keys: [{ key: KEY, role: 'admin' }] })];
  const layer = semanticLayer({ dir });
  return createTestApp({
    plugins: [http({ port: 0 }), internalDb({ url: await db.url(dialect) }), ...auth, layer, adminPrompts(), audit()],
    openGates: false,
  });
}

describe.each([
  ['none', 'sqlite'],
  ['api-key', 'postgres'],
] as const)('in mode %s, on %s', (mode, dialect) => {
  it('collections and prompts are made, changed, ordered and deleted', async () => {
    using folder = layerFolder();
    await using app = await start(mode, dialect, folder.dir);
    const admin = client(app);
    const created = await send(admin, 'POST', '', { ...NEW, description: 'Visits.', isBuiltin: true });
    const time = '2026-01-15T12:00:00.000Z';
    expect([created.status, created.body]).toEqual([
      201,
      {
        ...{ id: expect.any(String), orgId: null, ...NEW, description: 'Visits.', isBuiltin: false, sortOrder: 0 },
        ...{ createdAt: time, updatedAt: time },
      },
    ]);
    const { id } = created.body;
    const second = (await send(admin, 'POST', '', { name: 'Bills', industry: 'health' })).body;
    expect([second.sortOrder, second.description]).toEqual([1, null]);

    const item = await send(admin, 'POST', `/${id}/items`, { question: 'How many visits?', category: 'Visits' });
    expect([item.status, item.body]).toEqual([
      201,
      {
        ...{ id: expect.any(String), collectionId: id, question: 'How many visits?', description: null },
        ...{ category: 'Visits', sortOrder: 0, createdAt: time, updatedAt: time },
      },
    ]);
    const other = (await send(admin, 'POST', `/${id}/items`, { question: 'Who came?' })).body;
    const path = `/${id}/items/${item.body.id}`;
    const changed = await send(admin, 'PUT', path, { question: 'How many visits were there?', category: null });
    expect([changed.status, changed.body]).toMatchObject([200, { category: null, sortOrder: 0 }]);
    const order = { ids: [other.id, item.body.id] };
    expect((await send(admin, 'PUT', `/${id}/items/order`, order)).body).toEqual({ success: true });
    const detail = (await send(admin, 'GET', `/${id.toUpperCase()}`)).body;
    expect(detail).toMatchObject({ ...created.body, items: [{ id: other.id }, { id: item.body.id }] });

    expect((await send(admin, 'PUT', `/${id}`, { name: 'Visits', description: null })).body).toEqual({
      ...created.body,
      ...{ name: 'Visits', description: null },
    });
    expect((await send(admin, 'PUT', '/order', { ids: [second.id, id] })).status).toBe(200);
    expect((await namesOf(admin)).slice(0, 2)).toEqual(['Bills', 'Visits']);
    const shown = (await admin.send('/api/v1/prompts?limit=2', { headers: HEADERS })).body;
    expect(shown).toMatchObject({
      ...{ total: 2 + INDUSTRIES, limit: 2, offset: 0 },
      collections: [
        { name: 'Bills', items: [] },
        { name: 'Visits', items: [{ question: 'Who came?' }, {}] },
      ],
    });

    expect((await send(admin, 'DELETE', path)).body).toEqual({ success: true });
    expect(statusOf(await send(admin, 'DELETE', path))).toEqual([404, 'not_found']);
    expect((await send(admin, 'DELETE', `/${id}`)).body).toEqual({ success: true });
    for (const [method, rest, body] of [
      ['GET', '', undefined],
      ['PUT', '', {}],
      ['DELETE', '', undefined],
      ['POST', '/items', { question: 'Who?' }],
      ['PUT', `/items/${other.id}`, {}],
      ['DELETE', `/items/${other.id}`, undefined],
      ['PUT', '/items/order', { ids: [other.id] }],
    ] as const) {
      expect(statusOf(await send(admin, method, `/${id}${rest}`, body)), method + rest).toEqual([404, 'not_found']);
    }
    const { changes, total } = (await admin.send('/api/v1/admin/audit/changes', { headers: HEADERS })).body;
    expect(total).toBe(10);
    expect(new Set(changes.map(({ action }: { action: string }) => action))).toEqual(
      new Set([
        ...['created', 'updated', 'deleted', 'reordered', 'prompts_reordered'].map(
          (move) => `prompt_collection.${move}`,
        ),
        ...['created', 'updated', 'deleted'].map((move) => `prompt.${move}`),
      ]),
    );
  });

  it('bodies, queries and paths are checked', async () => {
    using folder = layerFolder();
    await using app = await start(mode, dialect, folder.dir);
    const admin = client(app);
    for (const body of [
      {},
      { name: 'Only' },
      { industry: 'only' },
      { ...NEW, name: '' },
      { ...NEW, name: '   ' },
      { ...NEW, industry: '' },
      { ...NEW, name: 'x'.repeat(201) },
      { ...NEW, industry: 'x'.repeat(101) },
      { ...NEW, description: 'x'.repeat(2_001) },
      { ...NEW, sortOrder: -1 },
      { ...NEW, sortOrder: 1_000_001 },
      { ...NEW, sortOrder: 1.5 },
      { ...NEW, sortOrder: '1' },
      { ...NEW, nme: 'x' },
      { ...NEW, id: randomUUID() },
    ]) {
      expect(statusOf(await send(admin, 'POST', '', body)), JSON.stringify(body)).toEqual([422, 'validation_error']);
    }
    expect(statusOf(await send(admin, 'POST', '', '{'))).toEqual([400, 'invalid_request']);
    const most = {
      name: 'x'.repeat(200),
      industry: 'x'.repeat(100),
      description: 'x'.repeat(2_000),
      sortOrder: 1_000_000,
    };
    const { id } = (await send(admin, 'POST', '', most)).body;
    expect((await send(admin, 'POST', '', NEW)).body.sortOrder).toBe(1_000_000);
    for (const query of ['limit=0', 'limit=201', 'limit=x', 'offset=-1', 'offset=x', 'industry=']) {
      expect(statusOf(await send(admin, 'GET', `?${query}`)), query).toEqual([400, 'invalid_request']);
    }
    expect((await send(admin, 'GET', '?limit=200')).body.limit).toBe(200);
    for (const path of ['/x', `/${id}x`, '/%00']) {
      expect(statusOf(await send(admin, 'GET', path)), path).toEqual([400, 'invalid_request']);
    }
    for (const body of [{ question: '' }, { question: 'x'.repeat(2_001) }, { question: 'a', sortOrder: -1 }, {}]) {
      expect(statusOf(await send(admin, 'POST', `/${id}/items`, body))).toEqual([422, 'validation_error']);
    }
    const first = (await send(admin, 'POST', `/${id}/items`, { question: 'x'.repeat(2_000) })).body.id;
    for (const [ids, status] of [
      [[], 422],
      [['x'], 422],
      [[first, first], 422],
      [[randomUUID()], 409],
      [[first, randomUUID()], 409],
      [[first], 200],
    ] as const) {
      expect((await send(admin, 'PUT', `/${id}/items/order`, { ids })).status, String(ids)).toBe(status);
    }
    expect(statusOf(await send(admin, 'PUT', '/order', { ids: [id] }))).toEqual([409, 'conflict']);
  });

  it('there are only so many, and of a filter only what matches', async () => {
    using folder = layerFolder(LAYER);
    await using app = await start(mode, dialect, folder.dir);
    const admin = client(app);
    const created: Answer[] = [];
    for (let round = 0; round < 41; round += 1) {
      created.push(...(await Promise.all(Array.from({ length: 5 }, () => send(admin, 'POST', '', NEW)))));
    }
    expect(created.filter(({ status }) => status === 201)).toHaveLength(200);
    expect(created.filter(({ status }) => status === 409)).toHaveLength(5);
    expect(await namesOf(admin, '?industry=general')).toEqual(['About this data']);
    const all = (await send(admin, 'GET', '?industry=health&limit=200')).body;
    expect([all.total, new Set(all.collections.map(({ sortOrder }: { sortOrder: number }) => sortOrder)).size]).toEqual(
      [...[200, 200]],
    );
    expect(await namesOf(admin, '?limit=3&offset=199')).toEqual(['Clinic', 'About this data', 'E-commerce']);
    expect(await namesOf(admin, '?limit=3&offset=203')).toEqual(['Cybersecurity']);
    const { id } = all.collections[0];
    const items: Answer[] = [];
    for (let index = 0; index < 102; index += 1) {
      items.push(await send(admin, 'POST', `/${id}/items`, { question: `Question ${index}?` }));
    }
    expect(items.filter(({ status }) => status === 409)).toHaveLength(2);
  });

  it('what is built in is shown and cannot be changed', async () => {
    using folder = layerFolder(LAYER);
    await using app = await start(mode, dialect, folder.dir);
    const admin = client(app);
    const { collections, total } = (await admin.send('/api/v1/prompts', { headers: HEADERS })).body;
    expect(total).toBe(1 + INDUSTRIES);
    expect(collections[0]).toMatchObject({
      ...{ name: 'About this data', isBuiltin: true, orgId: null },
      items: [{ question: 'How many visits were there?', category: 'visits' }, { question: 'Who came most?' }],
    });
    for (const { id, items } of collections) {
      expect((await send(admin, 'GET', `/${id}`)).body.items).toEqual(items);
      for (const [method, rest, body] of [
        ['PUT', '', { name: 'Mine' }],
        ['DELETE', '', undefined],
        ['POST', '/items', { question: 'Mine?' }],
        ['PUT', `/items/${items[0].id}`, { question: 'Mine?' }],
        ['DELETE', `/items/${items[0].id}`, undefined],
        ['PUT', '/items/order', { ids: [items[0].id] }],
      ] as const) {
        expect(statusOf(await send(admin, method, `/${id}${rest}`, body)), method).toEqual([403, 'forbidden']);
      }
      expect(statusOf(await send(admin, 'PUT', '/order', { ids: [id] }))).toEqual([403, 'forbidden']);
    }
  });
});

it('nothing is kept without an internal database', async () => {
  await using app = await createTestApp({
    plugins: [http({ port: 0 }), internalDb(), authNone(), adminPrompts()],
    openGates: false,
  });
  const admin = client(app);
  for (const answer of [
    await send(admin, 'GET', '?limit=0'),
    await send(admin, 'POST', '', {}),
    await send(admin, 'DELETE', '/x'),
    await admin.send('/api/v1/prompts'),
  ]) {
    expect(statusOf(answer)).toEqual([404, 'not_available']);
  }
});

describe.each(dialects)('of organizations, on %s', (dialect) => {
  it('each has its own', async () => {
    using folder = layerFolder(LAYER);
    const plugins = [semanticLayer({ dir: folder.dir }), adminPrompts(), audit()];
    await using server = await startServer(await db.url(dialect), {}, plugins);
    const boss = await userOf(server, 'boss@example.com');
    const own = await userOf(server, 'own@example.com');
    const other = await userOf(server, 'other@example.com');
    const low = await userOf(server, 'low@example.com');
    for (const user of [own, other]) await setRole(boss, await idOf(user), 'admin');
    const orgId = (await organization(own, 'create', { name: 'Own', slug: 'own' })).body.id as string;
    await organization(other, 'create', { name: 'Other', slug: 'other' });
    const create = async (by: Client, name: string) =>
      (await by.send(URL, { body: { name, industry: 'health' } })).body;
    const mine = await create(own, 'Mine');
    expect(mine.orgId).toBe(orgId);
    const item = (await own.send(`${URL}/${mine.id}/items`, { body: { question: 'Whose?' } })).body;
    await create(boss, 'Of the platform');
    const own1 = async (by: Client) =>
      (await by.send('/api/v1/prompts?industry=health')).body.collections.map(({ name }: { name: string }) => name);
    expect([await own1(own), await own1(other), await own1(boss), await own1(low)]).toEqual([
      ...[['Mine'], [], ['Of the platform'], ['Of the platform']],
    ]);
    for (const by of [other, boss]) {
      const path = `${URL}/${mine.id}`;
      const answers = [
        await by.send(path),
        await by.send(path, { method: 'PUT', body: { name: 'Taken' } }),
        await by.send(path, { method: 'DELETE' }),
        await by.send(`${path}/items`, { body: { question: 'Mine?' } }),
        await by.send(`${path}/items/${item.id}`, { method: 'PUT', body: { question: 'Mine?' } }),
        await by.send(`${path}/items/${item.id}`, { method: 'DELETE' }),
        await by.send(`${path}/items/order`, { method: 'PUT', body: { ids: [item.id] } }),
      ];
      expect(answers.map(statusOf)).toEqual(Array(7).fill([404, 'not_found']));
      expect((await by.send(`${URL}/order`, { method: 'PUT', body: { ids: [mine.id] } })).status).toBe(409);
    }
    expect(statusOf(await low.send(URL))).toEqual([403, 'auth_error']);
    expect((await new Client(server).send('/api/v1/prompts')).status).toBe(401);
    expect((await own.send(`${URL}/${mine.id}`)).body).toMatchObject({ name: 'Mine', items: [{ question: 'Whose?' }] });

    expect((await organization(own, 'delete', { organizationId: orgId })).status).toBe(200);
    const knex = db.connect(server.database);
    expect([await knex('prompt_collections').pluck('name'), await knex('prompt_items').pluck('id')]).toEqual([
      ...[['Of the platform'], []],
    ]);
  });
});
