/** Tests the routes in the built-in composition: without a database, without accounts, and by questions. */
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type BuiltInServer, startBuiltIn } from '../../test/harness/built-in-server.ts';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { Client } from '../../test/harness/managed-server.ts';
import { SqliteFolder } from '../../test/harness/sqlite.ts';

const PATH = '/api/v1/admin/connections';
const files = new SqliteFolder();
const shop = files.create('shop.db', 'CREATE TABLE orders (id INTEGER); INSERT INTO orders VALUES (1), (2), (3)');
const layer = layerFolder({
  'entities/orders.yml': `table: orders
description: One row per order.
dimensions:
  - { name: id, type: number, primary_key: true }
measures:
  - { name: order_count, type: count, description: Number of orders }
`,
});
afterAll(() => {
  files[Symbol.dispose]();
  layer[Symbol.dispose]();
});

const BASE = { SVC_SEMANTIC_DIR: layer.dir, SVC_PROVIDER: 'offline', SVC_AUTH_MODE: 'none' };
const STORED = {
  ...BASE,
  SVC_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  SVC_CONNECTION_FILES_DIR: files.path,
};
const inFolder = (name: string) => `sqlite:${join(files.path, name)}`;

describe('connections of the built-in composition', () => {
  it('are shown and tested without an internal database, and cannot be added', async () => {
    await using server = await startBuiltIn({ ...BASE, SVC_DATASOURCE_URL: `sqlite:${shop}` });
    const client = new Client(server);
    expect((await client.send(PATH)).body.connections).toMatchObject([
      { id: 'default', dbType: 'sqlite', maskedUrl: 'sqlite:shop.db', configured: true, health: { status: 'ok' } },
    ]);
    expect((await client.send(`${PATH}/default`)).body).toMatchObject({ id: 'default', schema: null });
    expect((await client.send(`${PATH}/default/test`, { method: 'POST' })).body).toEqual({
      status: 'ok',
      latencyMs: expect.any(Number),
      checkedAt: expect.stringMatching(/Z$/),
    });
    expect((await client.send(`${PATH}/other`)).status).toBe(404);
    for (const [path, method, body] of [
      [PATH, 'POST', { nothing: true }],
      [`${PATH}/default`, 'PUT', []],
      [`${PATH}/default`, 'DELETE', undefined],
    ] as const) {
      expect(await client.send(path, { method, body })).toMatchObject({
        status: 404,
        body: { error: 'not_available' },
      });
    }
  });

  it('need a key to be stored', async () => {
    const { SVC_ENCRYPTION_KEY: _, ...env } = STORED;
    await using server = await startBuiltIn({ ...env, DATABASE_URL: inFolder('keyless-atlas.db') });
    const answer = await new Client(server).send(PATH, { body: { id: 'shop', url: 'sqlite:shop.db' } });
    expect([answer.status, answer.body.error]).toEqual([400, 'configuration_error']);
  });

  it('open no file where nobody authenticates, unless its folder is named', async () => {
    const { SVC_CONNECTION_FILES_DIR: _, ...unnamed } = STORED;
    const add = async (env: Record<string, string>, key?: string) => {
      await using server = await startBuiltIn({ ...env, DATABASE_URL: inFolder('named-atlas.db') });
      const answer = await new Client(server, key).send(PATH, { body: { id: 'shop', url: `sqlite:${shop}` } });
      if (answer.status === 201) await new Client(server, key).send(`${PATH}/shop`, { method: 'DELETE' });
      return [answer.status, answer.body.message ?? ''];
    };
    expect(await add(unnamed)).toEqual([422, expect.stringContaining('SVC_CONNECTION_FILES_DIR')]);
    expect(await add({ ...unnamed, SVC_CONNECTION_FILES_DIR: `/nowhere,${layer.dir}` })).toEqual([
      422,
      expect.stringContaining('not in a folder'),
    ]);
    expect((await add({ ...unnamed, SVC_CONNECTION_FILES_DIR: `/nowhere,${files.path}` }))[0]).toBe(201);
    const key = 'a key of some length';
    expect(
      (await add({ ...unnamed, SVC_AUTH_MODE: 'api-key', SVC_API_KEY: key, SVC_API_KEY_ROLE: 'admin' }, key))[0],
    ).toBe(201);
  });

  it('answer questions at once, and none once they are deleted', async () => {
    await using server = await startBuiltIn({ ...STORED, DATABASE_URL: inFolder('atlas.db') });
    const client = new Client(server);
    const ask = (body: object = {}) =>
      client.send('/api/v1/query', { body: { question: 'How many orders are there?', ...body } });
    expect(await ask()).toMatchObject({ status: 400, body: { error: 'no_datasource' } });
    const created = await client.send(PATH, { body: { id: 'shop', url: 'sqlite:shop.db' } });
    expect(created.status).toBe(201);
    const answer = await ask();
    expect([answer.status, answer.body.data]).toEqual([
      200,
      [expect.objectContaining({ connectionId: 'shop', rows: [{ count: 3 }] })],
    ]);
    expect((await ask({ connectionId: 'other' })).status).toBe(400);
    const { entries } = (await client.send('/api/v1/admin/audit')).body;
    expect(entries).toContainEqual(expect.objectContaining({ connectionId: 'shop', dbType: 'sqlite', success: true }));
    const { body: health } = await client.send('/api/health');
    expect(JSON.stringify(health)).not.toContain('shop');
    expect((await client.send(PATH)).body.connections).toHaveLength(1);
    expect((await client.send(`${PATH}/shop`, { method: 'DELETE' })).body).toEqual({ success: true });
    expect(await ask()).toMatchObject({ status: 400, body: { error: 'no_datasource' } });
  });

  it.each([
    ['POST', '', { id: 'Upper', url: 'sqlite:shop.db' }, 422, 'id'],
    ['POST', '', { id: `a${'b'.repeat(63)}`, url: 'sqlite:shop.db' }, 422, 'id'],
    ['POST', '', { id: '', url: 'sqlite:shop.db' }, 422, 'id'],
    ['POST', '', { url: 'sqlite:shop.db' }, 422, 'id'],
    ['POST', '', { id: 'a', url: '' }, 422, 'url'],
    ['POST', '', { id: 'a', url: `sqlite:${'a'.repeat(4_096)}` }, 422, 'url'],
    ['POST', '', { id: 'a', url: 7 }, 422, 'url'],
    ['POST', '', { id: 'a', url: 'sqlite:shop.db', description: 'a'.repeat(1_001) }, 422, 'description'],
    ['POST', '', { id: 'a', url: 'sqlite:shop.db', schema: '' }, 422, 'schema'],
    ['POST', '', { id: 'a', url: 'sqlite:shop.db', descripton: '' }, 422, 'descripton'],
    ['POST', '', '{"id":', 400, ''],
    ['PUT', '/a', { id: 'b' }, 422, 'id'],
    ['GET', `/${'a'.repeat(129)}`, undefined, 400, 'id'],
    ['PATCH', '/a', {}, 405, ''],
  ])('a wrong request is refused, %#', async (method, path, body, status, field) => {
    shared ??= await startBuiltIn({ ...STORED, DATABASE_URL: inFolder('shapes-atlas.db') });
    const answer = await new Client(shared).send(PATH + path, { method, body });
    expect([answer.status, answer.body.details?.[0]?.path ?? '']).toEqual([status, field]);
  });

  let shared: BuiltInServer | undefined;
  afterAll(() => shared?.[Symbol.asyncDispose]());

  it('are for administrators', async () => {
    for (const [role, status] of [
      ['viewer', 403],
      ['analyst', 403],
      ['admin', 200],
    ] as const) {
      await using server = await startBuiltIn({
        ...STORED,
        SVC_AUTH_MODE: 'api-key',
        SVC_API_KEY: 'a key of some length',
        SVC_API_KEY_ROLE: role,
        DATABASE_URL: inFolder('keys-atlas.db'),
      });
      expect((await new Client(server).send(PATH)).status).toBe(401);
      expect((await new Client(server, 'a key of some length').send(PATH)).status).toBe(status);
    }
  });
});
