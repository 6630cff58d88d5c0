import { setTimeout as sleep } from 'node:timers/promises';
import * as sdk from '@modelcontextprotocol/server';
import pg from 'pg';
import { expect, it } from 'vitest';
import {
  type Actor,
  definePlugin,
  type Logger,
  type Route,
  type RouteRequest,
  storeMigrations,
} from '../../kernel/index.ts';
import { createTestApp, testScope } from '../../test/harness/create-test-app.ts';
import { createPostgresDatabase } from '../../test/harness/postgres-database.ts';
import { type InternalDb, internalDb } from '../internal-db/index.ts';
import { createStreams, MESSAGES_TABLE, STREAMS_TABLE } from './migrations.ts';
import { SharedStreams } from './shared-streams.ts';
import { sseRoutes } from './sse-routes.ts';

const ann: Actor = { id: 'ann', label: 'Ann', role: 'admin', mode: 'managed', claims: {} };
const as = (actor: Partial<Actor>, orgId = 'acme') => testScope({ actor: { ...ann, ...actor }, orgId });

const headers = { host: 'localhost' };
const request: RouteRequest = { headers, query: {}, params: {}, body: {}, rawBody: undefined, ip: '127.0.0.1' };

function startRoutes(shared?: SharedStreams) {
  const { routes, close } = sseRoutes({
    sdk,
    shared,
    makeServer: async () => new sdk.McpServer({ name: 'x', version: '1' }),
  });
  const [stream, messages] = routes as [Route, Route];
  const open = async (scope: ReturnType<typeof as>, ip = request.ip) => {
    const opened = await stream.handle({ ...request, ip }, scope);
    const events = (opened.stream as AsyncIterable<string>)[Symbol.asyncIterator]();
    const sessionId = /sessionId=([\w-]+)/.exec((await events.next()).value)?.[1];
    return { events, sessionId, leave: async () => opened.done?.() };
  };
  const send = async (sessionId: string | undefined, body: object, scope: ReturnType<typeof as>) =>
    (await messages.handle({ ...request, query: { sessionId }, body }, scope))?.status;
  return { open, send, close };
}

it('a stream takes messages of the user who opened it, while their rights are the same', async () => {
  const { open, send, close } = startRoutes();
  const { sessionId } = await open(as({}));
  const body = { jsonrpc: '2.0', method: 'notifications/initialized' };
  expect(await send(sessionId, body, as({}))).toBe(202);
  for (const other of [as({ id: 'eve' }), as({}, 'evil'), as({ role: 'viewer' }), as({ rights: ['query'] })]) {
    await expect(async () => send(sessionId, body, other)).rejects.toMatchObject({ code: 'not_found' });
  }
  await close();
});

it('cuts off the streams with most unread, so that all together keep 32 MiB', async () => {
  const { open, send, close } = startRoutes();
  const user = (n: number) => as({ id: `user-${n % 3}` });
  const sessions = await Promise.all(Array.from({ length: 60 }, (_, n) => open(user(n))));
  const [reader, ...idle] = sessions;
  for (const [n, { sessionId }] of idle.entries()) {
    await send(sessionId, { jsonrpc: '2.0', id: 'x'.repeat(1024 * 1024), method: 'ping' }, user(n + 1));
  }
  await send(reader?.sessionId, { jsonrpc: '2.0', id: 'small', method: 'ping' }, user(0));
  expect((await reader?.events.next())?.value).toContain('"id":"small"');
  const unread = await Promise.all(idle.map(({ events }) => events.next()));
  const kept = unread.filter(({ done }) => done !== true).length;
  expect(kept).toBeGreaterThan(28);
  expect(kept).toBeLessThanOrEqual(32);
  await close();
});

it('one caller may hold a share of the streams, also when they are opened at once', async () => {
  const { open, close } = startRoutes();
  const nobody = () => testScope({ actor: { id: null, label: null, role: 'admin', mode: 'none', claims: {} } });
  for (const opening of [() => open(as({})), () => open(nobody(), '2001:db8::1')]) {
    const opened = await Promise.allSettled(Array.from({ length: 25 }, opening));
    expect(opened.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    await expect(opening()).rejects.toMatchObject({ code: 'rate_limited' });
  }
  await open(as({ id: 'bob' }));
  await open(nobody(), '2001:db8:1::1');
  await expect(open(nobody(), '2001:db8::2')).rejects.toMatchObject({ code: 'rate_limited' });
  await close();
});

const NO_LOG: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** Two servers on one PostgreSQL. */
async function twoServers() {
  const tables = definePlugin({
    name: 'tables',
    version: '1.0.0',
    type: 'storage',
    description: 'Creates the tables.',
    setup: (ctx) => ctx.tap(storeMigrations, () => [createStreams]),
  });
  const url = await createPostgresDatabase();
  const app = await createTestApp({ plugins: [internalDb({ url, statementTimeoutMs: 600_000 }), tables()] });
  const db = app.get(internalDb);
  const [holder, other] = [0, 1].map(() => startRoutes(new SharedStreams(db, NO_LOG)));
  const ran = { slowly: 0 };
  /** Takes half a second for each statement. */
  const slow: InternalDb = {
    ...db,
    async run(work) {
      ran.slowly += 1;
      await sleep(500);
      return db.run(work);
    },
  };
  return {
    ran,
    slow: startRoutes(new SharedStreams(slow, NO_LOG)),
    holder: holder!,
    other: other!,
    /** Does the work while another connection has locked the table. */
    async locked<T>(table: string, work: () => Promise<T>): Promise<T> {
      const client = new pg.Client(url);
      await client.connect();
      await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
      return work().finally(() => client.end());
    },
    rows: (table: string) => db.run((knex) => knex(table).select()),
    expire: () => db.run((knex) => knex(STREAMS_TABLE).update({ expires_at: 0 })),
    stored: (id: string, owner: string) =>
      db.run((knex) => knex(STREAMS_TABLE).insert({ id, owner, expires_at: Date.now() + 3_600_000 })),
    async [Symbol.asyncDispose]() {
      await holder?.close();
      await other?.close();
      await app.close();
    },
  };
}

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const ALSO_UNKNOWN = '00000000-0000-4000-8000-000000000001';
const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });

it('a message that reaches another server is answered in the stream, one after the other', async () => {
  await using servers = await twoServers();
  const { events, sessionId, leave } = await servers.holder.open(as({}));
  for (const id of [1, 2, 3]) {
    expect(await (id === 2 ? servers.holder : servers.other).send(sessionId, ping(id), as({}))).toBe(202);
    expect((await events.next()).value).toContain(`"id":${id}`);
  }
  await leave();
  await expect.poll(() => servers.other.send(sessionId, ping(4), as({})).catch(({ code }) => code)).toBe('not_found');
  expect([await servers.rows(STREAMS_TABLE), await servers.rows(MESSAGES_TABLE)]).toEqual([[], []]);
});

it('a stream of somebody else, and one that has expired, are unknown on every server', async () => {
  await using servers = await twoServers();
  const { sessionId } = await servers.holder.open(as({}));
  const told = async (id: string | undefined, scope: ReturnType<typeof as>) =>
    Promise.all([servers.holder, servers.other].map((server) => server.send(id, ping(1), scope).catch(String)));
  const unknown = await told(UNKNOWN, as({}));
  expect(unknown).toEqual([unknown[0], expect.stringContaining('There is no such event stream.')]);
  for (const other of [as({ id: 'eve' }), as({}, 'evil'), as({ role: 'viewer' }), as({ rights: ['query'] })]) {
    expect(await told(sessionId, other)).toEqual(unknown);
  }
  expect(await servers.rows(MESSAGES_TABLE)).toEqual([]);
  await servers.expire();
  // Its own server still has it.
  expect(await told(sessionId, as({}))).toEqual([202, unknown[1]]);
});

it('messages to a server that has died are refused, and few wait for it', async () => {
  await using servers = await twoServers();
  await servers.holder.open(as({}));
  const [{ owner }] = await servers.rows(STREAMS_TABLE);
  await servers.stored(UNKNOWN, owner);
  const waiting = Array.from({ length: 20 }, (_, id) => servers.other.send(UNKNOWN, ping(id), as({})).catch(String));
  await expect.poll(() => servers.rows(MESSAGES_TABLE)).toHaveLength(20);
  await expect(servers.other.send(UNKNOWN, ping(20), as({}))).rejects.toMatchObject({ code: 'rate_limited' });
  await servers.stored(ALSO_UNKNOWN, owner);
  waiting.push(servers.slow.send(ALSO_UNKNOWN, ping(0), as({})).catch(String));
  const refused = expect.stringContaining('The server that has this event stream does not answer.');
  expect(await Promise.all(waiting)).toEqual(waiting.map(() => refused));
  // Also where the database is slow, for five seconds.
  expect(servers.ran.slowly).toBeLessThan(15);
  expect(await servers.rows(MESSAGES_TABLE)).toEqual([]);
});

it('a stream opens without a table that is locked', async () => {
  await using servers = await twoServers();
  const { events } = await servers.locked(STREAMS_TABLE, () => servers.holder.open(as({})));
  const next = events.next();
  await servers.holder.close();
  expect((await next).done).toBe(true);
});
