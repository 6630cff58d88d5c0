import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AtlasError, definePlugin, type PluginEntry } from '../../kernel/index.ts';
import { pluginContract } from '../../test/contract/plugin.ts';
import { createTestApp, type TestApp } from '../../test/harness/create-test-app.ts';
import { chosenEngines, dialects, type TestEngine } from '../../test/harness/internal-databases.ts';
import {
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
import { adminResidency, type RegionMove, residencyMigrate } from './index.ts';

pluginContract('admin-residency', () => adminResidency(), { with: () => [internalDb()] });

const PATH = '/api/v1/admin/residency';
const DAY_MS = 86_400_000;

/** Moves data as the test says. */
const mover = (move: (move: RegionMove, signal: AbortSignal) => Promise<true | undefined>): PluginEntry =>
  definePlugin({
    name: 'test-mover',
    version: '1.0.0',
    type: 'core',
    description: 'Moves data.',
    setup: (ctx) => ctx.tap(residencyMigrate, (one, { signal }) => move(one, signal)),
  })();

describe.each(chosenEngines)('a move without organizations, on %s', (_, engine) => {
  let stored: TestEngine;
  beforeAll(async () => {
    stored = await engine();
  });
  afterAll(() => stored[Symbol.asyncDispose]());

  async function started(more: { plugins?: PluginEntry[]; options?: object; url?: string | undefined } = {}) {
    const clock = { now: Date.parse('2026-01-15T12:00:00Z') };
    const url = 'url' in more ? more.url : await stored.fresh();
    const app = await createTestApp({
      now: () => clock.now,
      plugins: [
        http({ port: 0 }),
        authNone(),
        internalDb(url === undefined ? {} : { url }),
        adminResidency({ region: 'eu-west-1', ...more.options }),
        ...(more.plugins ?? []),
      ],
    });
    return Object.assign(app, { clock });
  }
  const send = async (app: TestApp, method: 'GET' | 'POST', path: string, payload?: object) => {
    const answer = await app.inject({ method, url: PATH + path, ...(payload !== undefined && { payload }) });
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
    return { status: answer.statusCode, body: answer.json<any>(), headers: answer.headers };
  };
  const ask = (app: TestApp, targetRegion: unknown) => send(app, 'POST', '/migrate', { targetRegion } as object);
  const ended = async (app: TestApp, id: string) => {
    for (let tries = 0; tries < 600; tries += 1) {
      const { body } = await send(app, 'GET', `/migrations/${id}`);
      if (body.completedAt !== null) return body;
      await sleep(25);
    }
    throw new Error('It did not end.');
  };

  it('waits for the operator, ends in the target, and is possible once in 30 days', async () => {
    await using app = await started();
    expect((await send(app, 'GET', '')).body).toEqual({ workspaceId: 'default', region: 'eu-west-1', regions: [] });
    const { status, body } = await ask(app, 'us-east-1');
    expect([status, body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        workspaceId: 'default',
        sourceRegion: 'eu-west-1',
        targetRegion: 'us-east-1',
        status: 'pending',
        requestedBy: null,
        requestedAt: '2026-01-15T12:00:00.000Z',
        completedAt: null,
        errorMessage: null,
      },
    ]);
    const one = `/migrations/${body.id}`;
    expect(await ask(app, 'us-west-1')).toMatchObject({ status: 409, body: { error: 'conflict' } });
    expect((await send(app, 'POST', `${one}/start`)).body.status).toBe('in_progress');
    for (const command of ['start', 'cancel', 'retry']) {
      expect((await send(app, 'POST', `${one}/${command}`)).status).toBe(409);
    }
    expect((await ask(app, 'us-west-1')).status).toBe(409);
    app.clock.now += DAY_MS;
    expect((await send(app, 'POST', `${one}/complete`)).body).toMatchObject({
      status: 'completed',
      completedAt: '2026-01-16T12:00:00.000Z',
    });
    expect((await send(app, 'GET', '')).body.region).toBe('us-east-1');
    expect(await app.get(adminResidency).regionOf(null)).toBe('us-east-1');

    const early = await ask(app, 'ap-south-1');
    expect(early).toMatchObject({ status: 429, body: { error: 'rate_limited', retryAfterSeconds: 29 * 86_400 } });
    expect(early.headers['retry-after']).toBe(String(29 * 86_400));
    app.clock.now += 29 * DAY_MS - 1;
    expect((await ask(app, 'ap-south-1')).status).toBe(429);
    app.clock.now += 1;
    expect((await ask(app, 'us-east-1')).status).toBe(409);
    expect((await ask(app, 'ap-south-1')).body).toMatchObject({ sourceRegion: 'us-east-1', status: 'pending' });
    const page = (await send(app, 'GET', '/migrations?limit=1')).body;
    expect(page).toMatchObject({ migrations: [{ targetRegion: 'ap-south-1' }], total: 2, limit: 1, offset: 0 });
    expect((await send(app, 'GET', '/migrations?status=completed')).body).toMatchObject({ total: 1 });
  });

  it('is cancelled while it is pending; one that failed is tried again by the operator', async () => {
    await using app = await started();
    const { id } = (await ask(app, 'us-east-1')).body;
    expect((await send(app, 'POST', `/migrations/${id}/cancel`)).body.status).toBe('cancelled');
    expect((await send(app, 'POST', `/migrations/${id}/complete`)).status).toBe(409);
    expect((await ask(app, 'us-east-1')).status).toBe(429);
    app.clock.now += 30 * DAY_MS;
    const next = `/migrations/${(await ask(app, 'us-east-1')).body.id}`;
    const failed = await send(app, 'POST', `${next}/fail`, { errorMessage: 'No space.' });
    expect(failed.body).toMatchObject({ status: 'failed', errorMessage: 'No space.' });
    expect((await send(app, 'POST', `${next}/retry`)).body).toMatchObject({
      status: 'pending',
      errorMessage: null,
      completedAt: null,
    });
    expect((await send(app, 'GET', '')).body.region).toBe('eu-west-1');

    // Another request at the same moment, and a later one that has moved the data.
    await send(app, 'POST', `${next}/fail`, { errorMessage: 'No space.' });
    app.clock.now += 30 * DAY_MS;
    const both = await Promise.all([ask(app, 'ap-south-1'), send(app, 'POST', `${next}/retry`)]);
    expect(both.map(({ status }) => status === 409)).toContain(true);
    expect(both.every(({ status }) => [200, 201, 409].includes(status))).toBe(true);
    const [open] = (await send(app, 'GET', '/migrations?status=pending')).body.migrations;
    expect((await send(app, 'POST', `/migrations/${open.id}/fail`, { errorMessage: 'No.' })).status).toBe(200);
    app.clock.now += 30 * DAY_MS;
    const last = (await ask(app, 'eu-north-1')).body;
    expect((await send(app, 'POST', `/migrations/${last.id}/complete`)).status).toBe(200);
    expect((await send(app, 'POST', `${next}/retry`)).body).toMatchObject({
      error: 'conflict',
      message: expect.stringContaining('later request'),
    });
  });

  it('is one of two that are asked for, or ended, at the same moment', async () => {
    await using app = await started();
    const both = await Promise.all(['us-east-1', 'us-west-1', 'ap-south-1'].map((region) => ask(app, region)));
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const { id } = both.find(({ status }) => status === 201)?.body ?? {};
    const ends = ['cancel', 'complete', 'start', 'complete'].map((command) =>
      send(app, 'POST', `/migrations/${id}/${command}`),
    );
    const won = (await Promise.all(ends)).filter(({ status }) => status === 200);
    expect(won.filter(({ body }) => body.status !== 'in_progress')).toHaveLength(1);
  });

  it('is carried out by a plugin that moves data', async () => {
    const moves: RegionMove[] = [];
    await using app = await started({
      plugins: [
        mover(async (move) => {
          moves.push(move);
          if (move.targetRegion === 'broken') throw new Error('disk /secret full');
          if (move.targetRegion === 'refused') throw new AtlasError('No such region.', { code: 'conflict' });
          return move.targetRegion === 'by-hand' ? undefined : true;
        }),
      ],
    });
    const { id } = (await ask(app, 'us-east-1')).body;
    expect(await ended(app, id)).toMatchObject({ status: 'completed' });
    expect(moves).toEqual([{ id, orgId: null, sourceRegion: 'eu-west-1', targetRegion: 'us-east-1' }]);
    for (const [region, message] of [
      ['broken', 'The data could not be moved; the log has the reason.'],
      ['refused', 'No such region.'],
    ]) {
      app.clock.now += 30 * DAY_MS;
      expect(await ended(app, (await ask(app, region)).body.id)).toMatchObject({
        status: 'failed',
        errorMessage: message,
      });
    }
    app.clock.now += 30 * DAY_MS;
    const byHand = (await ask(app, 'by-hand')).body.id;
    await expect.poll(() => moves.at(-1)?.id).toBe(byHand);
    await expect.poll(async () => (await send(app, 'GET', `/migrations/${byHand}`)).body.status).toBe('pending');
    expect((await send(app, 'POST', `/migrations/${byHand}/complete`)).status).toBe(200);
  });

  it('is begun again after a stop', async () => {
    const url = await stored.fresh();
    let id = '';
    {
      let begun = () => {};
      const isBegun = new Promise<void>((resolve) => {
        begun = resolve;
      });
      await using app = await started({
        url,
        plugins: [
          mover(
            (_move, signal) =>
              new Promise((_, reject) => {
                signal.addEventListener('abort', () => reject(signal.reason));
                begun();
              }),
          ),
        ],
      });
      id = (await ask(app, 'us-east-1')).body.id;
      await isBegun;
    }
    await using app = await started({ url, plugins: [mover(async () => true)] });
    expect(await ended(app, id)).toMatchObject({ status: 'completed' });
  });

  it('goes to a region that there is, with a well-formed name', async () => {
    await using app = await started();
    for (const region of ['', 'a'.repeat(65), 'eu west', '../x', '-eu', 'eu-', 7, null, undefined]) {
      expect(await ask(app, region)).toMatchObject({ status: 422, body: { error: 'validation_error' } });
    }
    expect((await send(app, 'POST', '/migrate', { targetRegion: 'x', region: 'y' })).status).toBe(422);
    expect((await ask(app, 'eu-west-1')).status).toBe(409);
    expect((await ask(app, 'a'.repeat(64))).status).toBe(201);
    expect((await send(app, 'GET', '/migrations/x')).status).toBe(400);
    expect((await send(app, 'GET', '/migrations?limit=201')).status).toBe(400);
    expect((await send(app, 'GET', '/migrations/00000000-0000-4000-8000-000000000000')).status).toBe(404);

    await using listed = await started({ options: { regions: ['eu-west-1', 'us-east-1'] } });
    expect((await ask(listed, 'us-eats-1')).body).toMatchObject({
      details: [{ path: 'targetRegion', message: expect.stringContaining('us-east-1') }],
    });
    expect((await ask(listed, 'us-east-1')).status).toBe(201);
  });

  it('needs a database, and is for administrators', async () => {
    await using bare = await started({ url: undefined });
    expect(await ask(bare, 7)).toMatchObject({ status: 404, body: { error: 'not_available' } });
    const key = 'a key of some length';
    await using app = await createTestApp({
      openGates: false,
      plugins: [
        http({ port: 0 }),
        authRoles(),
        authApiKey({ keys: [{ key, role: 'analyst' }] }),
        internalDb({ url: await stored.fresh() }),
        adminResidency(),
      ],
    });
    const url = `${PATH}/migrate`;
    expect((await app.inject({ method: 'POST', url })).statusCode).toBe(401);
    const headers = { authorization: `Bearer ${key}` };
    expect((await app.inject({ method: 'POST', url, headers })).statusCode).toBe(403);
  });
});

const db = databases();

describe.each(dialects)('moves of two organizations, on %s', (dialect) => {
  it('know nothing of each other, nor does the administrator of the platform', async () => {
    const plugins = [audit(), adminResidency({ region: 'eu-west-1' })];
    await using server = await startServer(await db.url(dialect), {}, plugins);
    const boss = await userOf(server, 'boss@example.com');
    const [ann, bob] = [await userOf(server, 'ann@example.com'), await userOf(server, 'bob@example.com')];
    const orgs: string[] = [];
    for (const [client, slug] of [
      [ann, 'acme'],
      [bob, 'globex'],
    ] as const) {
      await setRole(boss, await idOf(client), 'admin');
      orgs.push((await organization(client, 'create', { name: slug, slug })).body.id);
    }
    const ask = (client: Client) => client.send(`${PATH}/migrate`, { body: { targetRegion: 'us-east-1' } });
    const { status, body } = await ask(ann);
    expect([status, body]).toMatchObject([201, { workspaceId: orgs[0], requestedBy: await idOf(ann) }]);
    const one = `${PATH}/migrations/${body.id}`;
    for (const client of [bob, boss]) {
      expect((await client.send(one)).status).toBe(404);
      expect((await client.send(`${one}/cancel`, { method: 'POST' })).status).toBe(404);
      expect((await client.send(`${PATH}/migrations`)).body).toMatchObject({ migrations: [], total: 0 });
    }
    expect((await ask(bob)).status).toBe(201);
    for (const client of [ann, bob]) {
      expect((await client.send(`${one}/complete`, { method: 'POST' })).body.error).toBe('forbidden');
    }
    expect((await new Client(server).send(`${PATH}/migrations`)).status).toBe(401);
    expect((await boss.send(`${one}/complete`, { method: 'POST' })).status).toBe(404);
    expect((await ann.send(`${one}/cancel`, { method: 'POST' })).body.status).toBe('cancelled');
    expect((await organization(bob, 'delete', { organizationId: orgs[1] })).status).toBe(200);
    expect(await db.connect(server.database)('region_migrations').select('org_id')).toEqual([{ org_id: orgs[0] }]);
    const { changes } = (await ann.send('/api/v1/admin/audit/changes')).body;
    const told = changes.map(({ action, targetId, userLabel }: Record<string, string>) => [
      action,
      targetId,
      userLabel,
    ]);
    expect(told.filter(([action = '']: string[]) => action.startsWith('region')).sort()).toEqual([
      ['region_migration.cancelled', body.id, 'ann@example.com'],
      ['region_migration.requested', body.id, 'ann@example.com'],
    ]);
  });
});
