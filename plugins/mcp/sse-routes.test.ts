import * as sdk from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import type { Actor, Route, RouteRequest } from '../../kernel/index.ts';
import { testScope } from '../../test/harness/create-test-app.ts';
import { sseRoutes } from './sse-routes.ts';

const ann: Actor = { id: 'ann', label: 'Ann', role: 'admin', mode: 'managed', claims: {} };
const as = (actor: Partial<Actor>, orgId = 'acme') => testScope({ actor: { ...ann, ...actor }, orgId });

const headers = { host: 'localhost' };
const request: RouteRequest = { headers, query: {}, params: {}, body: {}, rawBody: undefined, ip: '127.0.0.1' };

function startRoutes() {
  const { routes, close } = sseRoutes({
    sdk,
    makeServer: async () => new sdk.McpServer({ name: 'x', version: '1' }),
  });
  const [stream, messages] = routes as [Route, Route];
  const open = async (scope: ReturnType<typeof as>, ip = request.ip) => {
    const opened = await stream.handle({ ...request, ip }, scope);
    const events = (opened.stream as AsyncIterable<string>)[Symbol.asyncIterator]();
    return { events, sessionId: /sessionId=([\w-]+)/.exec((await events.next()).value)?.[1] };
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
