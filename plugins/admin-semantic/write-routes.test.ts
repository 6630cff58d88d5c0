import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
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
import { adminSemantic } from './index.ts';
import { versionOf } from './version-name.ts';

const db = databases();
const BASE = '/api/v1/admin/semantic';
const ORDERS = 'table: orders\njoins:\n  - { target: customers, relationship: many_to_one, on: { from: c, to: id } }\n';
const FILES = {
  'entities/orders.yml': ORDERS,
  'entities/customers.yml': 'table: customers\n',
  'warehouse/entities/stock.yml': 'table: stock\n',
};
const KEY = 'a key of some length';
const HEADERS = { authorization: `Bearer ${KEY}` };

type Options = Parameters<typeof adminSemantic>[0];
/** By default files are not looked at again by themselves, so that what shows a change is the change. */
const layerIn = (dir: string, options: Options = {}, checkIntervalMs = 60_000) => [
  semanticLayer({ dir, checkIntervalMs, watchIntervalMs: 0 }),
  adminSemantic(options),
  audit(),
];
const client = (app: TestApp): Client => new Client({ url: app.get(http).url() });

async function start(dialect: Dialect, dir: string, mode: 'none' | 'api-key' = 'none', options: Options = {}) {
  const auth = mode === 'none' ? [authNone()] : [authRoles(), authApiKey({ keys: [{ key: KEY, role: 'admin' }] })];
  const url = await db.url(dialect);
  let now = Date.parse('2026-01-15T12:00:00Z');
  return createTestApp({
    plugins: [http({ port: 0 }), internalDb({ url }), ...auth, ...layerIn(dir, options)],
    openGates: false,
    now: () => {
      now += 1_000;
      return now;
    },
  });
}

const raw = (path: string) => `${BASE}/raw/${path}`;
const put = (by: Client, path: string, content: string, more: object = {}, headers: Record<string, string> = {}) =>
  by.send(raw(path), { method: 'PUT', body: { content, ...more }, headers: { ...HEADERS, ...headers } });
const remove = (by: Client, path: string, query = '') =>
  by.send(raw(path) + query, { method: 'DELETE', headers: HEADERS });
const read = (by: Client, path: string) => by.send(BASE + path, { headers: HEADERS });
const names = async (by: Client) =>
  (await read(by, '/entities')).body.entities.map(({ name }: { name: string }) => name).sort();
const statusOf = ({ status, body }: Answer) => [status, body.error];

describe.each([
  ['none', 'sqlite'],
  ['api-key', 'postgres'],
] as const)('in mode %s, on %s', (mode, dialect) => {
  it('a file is written, changed, restored and deleted, and what it was is kept', async () => {
    using folder = layerFolder(FILES);
    await using app = await start(dialect, folder.dir, mode);
    const admin = client(app);
    const actor = mode === 'none' ? null : expect.any(String);
    const path = 'entities/visits.yml';

    const created = await put(admin, path, 'table: visits\n');
    const first = versionOf('table: visits\n');
    expect([created.status, created.body, created.headers.get('etag')]).toEqual([
      201,
      { file: path, version: first, changed: true, copiedSharedLayer: false, problems: [] },
      `"${first}"`,
    ]);
    expect(readFileSync(join(folder.dir, path), 'utf8')).toBe('table: visits\n');
    expect(await names(admin)).toEqual(['customers', 'orders', 'stock', 'visits']);

    expect(statusOf(await put(admin, path, 'table: visits\n'))).toEqual([200, undefined]);
    const changed = await put(admin, path, 'table: calls\nname: visits\n', { version: first });
    expect([changed.status, changed.body.changed]).toEqual([200, true]);
    expect((await remove(admin, path)).body).toEqual({ success: true });
    expect(existsSync(join(folder.dir, path))).toBe(false);
    expect(statusOf(await remove(admin, path))).toEqual([404, 'not_found']);
    expect(await names(admin)).toEqual(['customers', 'orders', 'stock']);

    const { versions, ...page } = (await read(admin, `/versions?file=${path}`)).body;
    expect(page).toEqual({ total: 2, limit: 50, offset: 0 });
    expect(versions).toMatchObject([
      { file: path, number: 2, change: 'deleted', bytes: 26, replacedBy: actor, replacedByLabel: actor },
      { file: path, number: 1, change: 'updated', bytes: 14, version: first },
    ]);
    expect(versions[0].replacedAt).toMatch(/^2026-01-15T12:\d\d:\d\d\.000Z$/);
    const one = await read(admin, `/versions/${versions[1].id}`);
    expect(one.body).toEqual({ ...versions[1], content: 'table: visits\n' });
    const gone = await read(admin, `/versions/${versions[1].id}/diff`);
    expect(gone.body).toMatchObject({ file: path, from: first, to: null, added: 0, removed: 1 });

    const restore = (id: string, body?: object) =>
      admin.send(`${BASE}/versions/${id}/restore`, { method: 'POST', headers: HEADERS, ...(body && { body }) });
    expect(statusOf(await restore(versions[1].id, { version: first }))).toEqual([409, 'conflict']);
    const restored = await restore(versions[0].id);
    expect([restored.status, restored.body]).toMatchObject([200, { file: path, changed: true }]);
    const headers = { ...HEADERS, 'if-none-match': '*' };
    const overNone = await admin.send(`${BASE}/versions/${versions[1].id}/restore`, { method: 'POST', headers });
    expect(statusOf(overNone)).toEqual([409, 'conflict']);
    expect((await restore(versions[1].id, {})).body).toMatchObject({ version: first });
    expect((await read(admin, `/raw/${path}`)).body).toBe('table: visits\n');
    const { diff, ...counts } = (await read(admin, `/versions/${versions[0].id}/diff`)).body;
    expect(counts).toEqual({
      id: versions[0].id,
      file: path,
      from: versions[0].version,
      to: first,
      added: 1,
      removed: 2,
    });
    expect(diff).toContain('-table: calls\n-name: visits\n+table: visits\n');
    expect((await read(admin, '/versions?limit=1&offset=2')).body).toMatchObject({
      ...{ total: 3, limit: 1, offset: 2 },
      versions: [{ number: 1, change: 'updated' }],
    });

    const { changes } = (await read(admin, '/../audit/changes')).body;
    expect(changes).toMatchObject(
      [
        ['restored', 'table: calls\nname: visits\n', 'table: visits\n'],
        ['restored', null, 'table: calls\nname: visits\n'],
        ['deleted', 'table: calls\nname: visits\n', null],
        ['updated', 'table: visits\n', 'table: calls\nname: visits\n'],
        ['created', null, 'table: visits\n'],
      ].map(([move, before, after]) => ({
        ...{ action: `semantic_file.${move}`, targetType: 'semantic_file', targetId: path, userId: actor, orgId: null },
        before: before === null ? null : { content: before, bytes: before?.length },
        after: after === null ? null : { content: after, bytes: after?.length },
      })),
    );
  });

  it('nothing is written that could not be used', async () => {
    using folder = layerFolder({ ...FILES, 'entities/broken.yml': 'table: [\n' });
    symlinkSync('/etc/hostname', join(folder.dir, 'entities/link.yml'));
    await using app = await start(dialect, folder.dir, mode);
    const admin = client(app);
    const refused = await put(admin, 'entities/orders.yml', 'table: orders\ndimensions:\n  - { nme: id }\n');
    expect(statusOf(refused)).toEqual([422, 'validation_error']);
    expect(refused.body.details).toContainEqual({
      ...{ path: 'entities/orders.yml:3:7', line: 3, column: 7 },
      message: expect.stringContaining('did you mean `name`?'),
    });
    for (const [path, body, status, error] of [
      ['entities/new.yml', 'table: [', 422, 'validation_error'],
      ['entities/new.yml', '', 422, 'validation_error'],
      ['entities/new.yml', `table: ${'x'.repeat(524_288)}`, 422, 'validation_error'],
      ['entities/more.yml', 'table: orders\n', 422, 'validation_error'],
      // Others need it.
      ['entities/customers.yml', 'table: people\n', 422, 'validation_error'],
      ['metrics/sales.yml', 'metrics:\n  - { id: a, entity: nowhere, measure: count }\n', 422, 'validation_error'],
      ['entities/new.txt', 'table: x\n', 400, 'invalid_request'],
      ['..%2fentities/new.yml', 'table: x\n', 400, 'invalid_request'],
      ['.orgs/catalog.yml', 'name: x\n', 400, 'invalid_request'],
      ['entities/link.yml', 'table: x\n', 400, 'invalid_request'],
      ['entities/aux.yml', 'table: x\n', 400, 'invalid_request'],
    ] as const) {
      expect([path, ...statusOf(await put(admin, path, body))]).toEqual([path, status, error]);
    }
    expect(statusOf(await remove(admin, 'entities/customers.yml'))).toEqual([422, 'validation_error']);
    expect(statusOf(await remove(admin, 'entities/none.yml'))).toEqual([404, 'not_found']);
    expect(statusOf(await remove(admin, 'entities/link.yml'))).toEqual([400, 'invalid_request']);
    for (const body of [{}, { content: 1 }, { content: '', more: 1 }, { content: 'table: x\n', version: '' }]) {
      const answer = await admin.send(raw('entities/new.yml'), { method: 'PUT', body, headers: HEADERS });
      expect(statusOf(answer)).toEqual([422, 'validation_error']);
    }
    const malformed = await admin.send(raw('catalog.yml'), { method: 'PUT', body: '{', headers: HEADERS });
    expect(statusOf(malformed)).toEqual([400, 'invalid_request']);
    expect((await read(admin, '/versions')).body).toEqual({ versions: [], total: 0, limit: 50, offset: 0 });
    for (const query of ['limit=0', 'limit=201', 'limit=x', 'offset=-1', 'file=..%2Fsecret.yml', 'file=']) {
      expect(statusOf(await read(admin, `/versions?${query}`)), query).toEqual([400, 'invalid_request']);
    }
    expect((await read(admin, '/versions?limit=200')).status).toBe(200);
    for (const id of ['1', '00000000-0000-4000-8000-000000000000']) {
      const status = id === '1' ? 400 : 404;
      expect((await read(admin, `/versions/${id}`)).status).toBe(status);
      expect((await read(admin, `/versions/${id}/diff`)).status).toBe(status);
      const restored = await admin.send(`${BASE}/versions/${id}/restore`, { method: 'POST', headers: HEADERS });
      expect(restored.status).toBe(status);
    }
    // What is broken can be mended, and taken away.
    expect((await put(admin, 'entities/broken.yml', 'table: mended\n')).status).toBe(200);
    expect((await read(admin, '/versions')).body.versions).toMatchObject([{ bytes: 9 }]);
    expect((await put(admin, 'warehouse/entities/bins.yml', 'table: bins\n')).status).toBe(201);
    expect((await put(admin, 'warehouse/glossary.yml', 'terms: []\n')).status).toBe(201);
  });

  it('one of two writers who know the same version wins', async () => {
    using folder = layerFolder(FILES);
    await using app = await start(dialect, folder.dir, mode);
    const admin = client(app);
    const known = (await read(admin, '/raw/entities/customers.yml')).headers.get('etag') ?? '';
    const texts = Array.from({ length: 8 }, (_, index) => `table: customers\ndescription: Writer ${index}.\n`);
    const answers = await Promise.all(
      texts.map((text) => put(admin, 'entities/customers.yml', text, {}, { 'if-match': known })),
    );
    const winner = answers.findIndex(({ status }) => status === 200);
    expect(answers.map(statusOf).filter(([status]) => status !== 200)).toEqual(Array(7).fill([409, 'conflict']));
    expect((await read(admin, '/raw/entities/customers.yml')).body).toBe(texts[winner]);
    expect((await read(admin, '/versions')).body.total).toBe(1);

    const now = versionOf(texts[winner] ?? '');
    const text = 'table: customers\n';
    const match = (header: Record<string, string>) => put(admin, 'entities/customers.yml', text, {}, header);
    expect(statusOf(await match({ 'if-match': `W/"${now}"` }))).toEqual([409, 'conflict']);
    expect(statusOf(await match({ 'if-match': known }))).toEqual([409, 'conflict']);
    expect(statusOf(await match({ 'if-none-match': '*' }))).toEqual([409, 'conflict']);
    expect(statusOf(await remove(admin, 'warehouse/entities/stock.yml', `?version=${now}`))).toEqual([409, 'conflict']);
    expect((await match({ 'if-match': `"other", "${now}"` })).status).toBe(200);
    expect(statusOf(await put(admin, 'entities/new.yml', text, {}, { 'if-match': '*' }))).toEqual([409, 'conflict']);
    expect((await put(admin, 'entities/new.yml', 'table: x\n', {}, { 'if-none-match': '*' })).status).toBe(201);
    // Without a version the last one wins, and no version is lost.
    await Promise.all(texts.map((line) => put(admin, 'entities/customers.yml', line)));
    expect((await read(admin, '/versions?file=entities/customers.yml')).body.total).toBe(10);
  });

  it('the newest versions are kept, and an import keeps them too', async () => {
    using folder = layerFolder(FILES);
    await using app = await start(dialect, folder.dir, mode, { keptVersions: 3 });
    const admin = client(app);
    for (let index = 1; index <= 6; index += 1) {
      await put(admin, 'entities/customers.yml', `table: customers\ndescription: ${index}\n`.replace(/\d/, '"$&"'));
    }
    const files = ['orders', 'customers'].map((name) => ({
      path: `entities/${name}.yml`,
      content: `table: ${name}\ngrain: one\n`,
    }));
    const imported = await admin.send(`${BASE}/org/import`, { body: { files }, headers: HEADERS });
    expect(imported.body).toMatchObject({ changed: 2 });
    const { versions } = (await read(admin, '/versions?file=entities/customers.yml')).body;
    expect(versions.map(({ number, change }: { number: number; change: string }) => [number, change])).toEqual([
      ...[
        [7, 'imported'],
        [6, 'updated'],
        [5, 'updated'],
      ],
    ]);
    expect((await read(admin, '/versions')).body.total).toBe(4);
    const { changes } = (await read(admin, '/../audit/changes')).body;
    expect(changes[0]).toMatchObject({
      ...{ action: 'semantic_layer.imported', targetId: 'shared', before: null },
      after: { files: 2, changed: 2, paths: ['entities/orders.yml', 'entities/customers.yml'] },
    });

    // What servers leave that are killed after the files are in place: one before its commit, one after it.
    const lost = 'table: orders\ngrain: lost\n';
    folder.write('.import-1/.replaced/entities/orders.yml', lost);
    folder.write('.import-2/.replaced/entities/customers.yml', 'table: customers\ndescription: "6"\n');
    expect((await put(admin, 'entities/visits.yml', 'table: visits\n')).status).toBe(201);
    const found = (await read(admin, '/versions')).body;
    expect([found.total, found.versions[0]]).toMatchObject([
      5,
      { file: 'entities/orders.yml', version: versionOf(lost), change: 'interrupted', replacedBy: null },
    ]);
    expect(readdirSync(folder.dir).filter((name) => name.startsWith('.'))).toEqual([]);
    expect((await read(admin, '/../audit/changes')).body.changes[1]).toMatchObject({
      ...{ action: 'semantic_layer.recovered', after: { paths: ['entities/orders.yml'] } },
    });
  });
});

it.each(dialects)('two servers that share %s and the folder lose nothing', async (dialect) => {
  using folder = layerFolder(FILES);
  const url = await db.url(dialect);
  const open = () =>
    createTestApp({
      plugins: [http({ port: 0 }), internalDb({ url }), authNone(), ...layerIn(folder.dir, {}, 0)],
      openGates: false,
    });
  await using one = await open();
  await using two = await open();
  const servers = [client(one), client(two)];
  const writes = servers.flatMap((by, server) =>
    Array.from({ length: 4 }, async (_, index) => {
      const path = `entities/t${server}${index}.yml`;
      const [own, shared] = [
        await put(by, path, `table: t${server}${index}\n`),
        await put(by, 'entities/customers.yml', `table: customers\ndescription: By ${server} and ${index}.\n`),
      ];
      return { path, own: own.status, shared: shared.status };
    }),
  );
  const done = await Promise.all(writes);
  expect(done.every(({ own, shared }) => [201, 409].includes(own) && [200, 409].includes(shared))).toBe(true);
  const written = done.filter(({ own }) => own === 201).map(({ path }) => path);
  const replaced = done.filter(({ shared }) => shared === 200).length;
  expect(written.length + replaced).toBeGreaterThan(8);
  for (const by of servers) {
    const { entities } = (await read(by, '/entities')).body;
    const files = entities.map(({ file }: { file: string }) => file);
    expect(files.sort()).toEqual([...Object.keys(FILES), ...written].sort());
    expect((await read(by, '/versions')).body.total).toBe(replaced);
    expect((await read(by, '/../audit/changes?limit=200')).body.total).toBe(written.length + replaced);
  }
});

describe('without an internal database', () => {
  it('nothing is written, as it could not be brought back', async () => {
    using folder = layerFolder(FILES);
    await using app = await createTestApp({
      plugins: [http({ port: 0 }), internalDb(), authNone(), ...layerIn(folder.dir)],
      openGates: false,
    });
    const admin = client(app);
    for (const answer of [
      await put(admin, 'entities/../x.txt', ''),
      await put(admin, 'entities/a.txt', ''),
      await remove(admin, 'entities/orders.yml'),
      await read(admin, '/versions?limit=0'),
      await read(admin, '/versions/x/diff'),
    ]) {
      expect([404, 'not_available']).toEqual(statusOf(answer));
    }
    expect((await read(admin, '/raw/entities/orders.yml')).status).toBe(200);
  });
});

describe.each(dialects)('of organizations, on %s', (dialect) => {
  it('each has its own files and versions', async () => {
    using folder = layerFolder(FILES);
    await using server = await startServer(await db.url(dialect), {}, layerIn(folder.dir));
    const boss = await userOf(server, 'boss@example.com');
    const own = await userOf(server, 'own@example.com');
    const other = await userOf(server, 'other@example.com');
    const low = await userOf(server, 'low@example.com');
    for (const user of [own, other]) await setRole(boss, await idOf(user), 'admin');
    const id = (await organization(own, 'create', { name: 'Own', slug: 'own' })).body.id as string;
    await organization(other, 'create', { name: 'Other', slug: 'other' });
    const path = 'entities/customers.yml';
    const send = async (by: Client, content: string) =>
      by.send(raw(path), { method: 'PUT', body: { content }, headers: {} });

    const known = (await own.send(raw(path))).headers.get('etag') ?? '';
    const first = await own.send(raw(path), {
      ...{ method: 'PUT', body: { content: 'table: customers\ndescription: Ours.\n' } },
      headers: { 'if-match': known },
    });
    expect([first.status, first.body]).toMatchObject([200, { changed: true, copiedSharedLayer: true }]);
    expect(readFileSync(join(folder.dir, path), 'utf8')).toBe('table: customers\n');
    expect((await own.send(`${BASE}/stats`)).body.totalEntities).toBe(3);
    expect([(await other.send(raw(path))).body, (await boss.send(raw(path))).body]).toEqual([
      ...['table: customers\n', 'table: customers\n'],
    ]);
    await send(other, 'table: customers\ndescription: Theirs.\n');
    await send(own, 'table: customers\ndescription: "Ours, too."\n');
    const versions = async (by: Client) => (await by.send(`${BASE}/versions`)).body;
    expect([(await versions(own)).total, (await versions(other)).total, (await versions(boss)).total]).toEqual([
      2, 1, 0,
    ]);
    const mine = (await versions(own)).versions[0];
    for (const [by, status] of [
      [own, 200],
      [other, 404],
      [boss, 404],
      [low, 403],
      [new Client(server), 401],
    ] as const) {
      const answers = [
        await by.send(`${BASE}/versions/${mine.id}`),
        await by.send(`${BASE}/versions/${mine.id}/diff`),
        await by.send(`${BASE}/versions/${mine.id}/restore`, { method: 'POST' }),
      ];
      expect(answers.map((answer) => answer.status)).toEqual([status, status, status]);
    }
    expect((await low.send(raw(path), { method: 'DELETE' })).status).toBe(403);
    const { changes } = (await other.send('/api/v1/admin/audit/changes')).body;
    expect(changes.filter(({ targetId }: { targetId: string }) => targetId === path)).toHaveLength(1);

    folder.write(`.previous-${id}/${path}`, 'table: customers\ngrain: lost\n');
    expect((await send(own, 'table: customers\n')).status).toBe(200);
    expect((await versions(own)).versions.map(({ change }: { change: string }) => change)).toContain('interrupted');

    // The layer of an organization ends with it.
    expect((await organization(own, 'delete', { organizationId: id })).status).toBe(200);
    expect(existsSync(join(folder.dir, '.orgs', id))).toBe(false);
    const left = await db.connect(server.database)('semantic_file_versions').count({ total: '*' }).first();
    expect(Number(left?.total)).toBe(1);
  });
});
