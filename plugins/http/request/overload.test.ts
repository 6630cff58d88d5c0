import type { ServerResponse } from 'node:http';
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { Scope } from '../../../kernel/index.ts';
import type { Connections } from '../connections/connections.ts';
import type { OverloadLog } from '../connections/overload-log.ts';
import { overloadProtection } from './overload.ts';

it('cancels a request whose client has left while it waited for its turn', async () => {
  const responses: ServerResponse[] = [];
  const cancelled: boolean[] = [];
  const app = Fastify();
  app.decorateRequest('scope');
  app.addHook('onRequest', async (request, reply) => {
    request.scope = new Scope({ log: {} as Scope['log'] });
    responses.push(reply.raw);
  });
  const connections = { count: 0, isFull: false, received() {} } as unknown as Connections;
  app.register(overloadProtection, { connections, log: {} as OverloadLog });
  app.get('/', async ({ scope }) => {
    cancelled.push(scope.signal.aborted);
    responses[1]?.destroy();
    return {};
  });
  await Promise.allSettled([1, 2, 3].map(() => app.inject('/')));
  expect(cancelled).toEqual([false, true, false]);
  await app.close();
});
