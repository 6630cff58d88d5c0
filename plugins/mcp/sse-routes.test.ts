import * as sdk from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import type { Actor, Route, RouteRequest } from '../../kernel/index.ts';
import { testScope } from '../../test/harness/create-test-app.ts';
import { sseRoutes } from './sse-routes.ts';

const ann: Actor = { id: 'ann', label: 'Ann', role: 'admin', mode: 'managed', claims: {} };
const as = (actor: Partial<Actor>, orgId = 'acme') => testScope({ actor: { ...ann, ...actor }, orgId });

it('a stream takes messages of the user who opened it, while their rights are the same', async () => {
  const { routes, close } = sseRoutes({
    sdk,
    makeServer: async () => new sdk.McpServer({ name: 'x', version: '1' }),
    allowedHosts: [],
  });
  const [stream, messages] = routes as [Route, Route];
  const headers = { host: 'localhost' };
  const request: RouteRequest = { headers, query: {}, params: {}, body: {}, rawBody: undefined, ip: '127.0.0.1' };
  const opened = await stream.handle(request, as({}));
  const events = (opened.stream as AsyncIterable<string>)[Symbol.asyncIterator]();
  const first = (await events.next()).value;
  const sessionId = /sessionId=([\w-]+)/.exec(first)?.[1];
  const body = { jsonrpc: '2.0', method: 'notifications/initialized' };
  const send = async (scope: ReturnType<typeof as>) =>
    (await messages.handle({ ...request, query: { sessionId }, body }, scope))?.status;
  expect(await send(as({}))).toBe(202);
  for (const other of [as({ id: 'eve' }), as({}, 'evil'), as({ role: 'viewer' }), as({ rights: ['query'] })]) {
    await expect(async () => send(other)).rejects.toMatchObject({ code: 'not_found' });
  }
  await close();
});
