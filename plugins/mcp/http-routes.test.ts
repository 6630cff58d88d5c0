import { expect, it } from 'vitest';
import { type Logger, type RouteRequest, Scope } from '../../kernel/index.ts';
import { localLimits } from '../shared-limits/index.ts';
import { type HttpInit, streamableRoute } from './http-routes.ts';

const LOG: Logger = { debug() {}, info() {}, warn() {}, error() {} };

it('other servers are told of so many cancellations of a user, and no more', async () => {
  const told: (string | undefined)[] = [];
  const route = streamableRoute({
    sdk: { createMcpHandler: () => ({ fetch: async () => new Response(null, { status: 202 }) }) },
    changes: {
      publish: (_topic: string, subject?: string) => void told.push(subject),
      subscribe() {},
      isCurrent: () => true,
    },
    told: localLimits(Date.now).window('test', { limit: 3, windowMs: 3_600_000, maxKeys: 10 }),
  } as unknown as HttpInit);
  const cancel = (requestId: number, user: string) => {
    const actor = { id: user, label: user, role: 'viewer', mode: 'test', claims: {} } as const;
    const request = {
      headers: { 'mcp-session-id': 's' },
      body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } },
    };
    return route.handle(request as unknown as RouteRequest, new Scope({ actor, log: LOG }));
  };
  for (let id = 0; id < 5; id += 1) expect(await cancel(id, 'ann')).toMatchObject({ status: 202 });
  await cancel(1, 'bob');
  expect(new Set(told).size).toBe(4);
  expect(told).toHaveLength(4);
});
