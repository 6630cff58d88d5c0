/** Refuses what is not essential while the process can take no more work, and starts the other requests one by one. */
import { getHeapStatistics } from 'node:v8';
import type { FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { AtlasError } from '../../../kernel/index.ts';
import { clientGone } from '../answer/failure.ts';
import { Arrivals } from '../connections/arrivals.ts';
import type { Connections } from '../connections/connections.ts';
import type { OverloadLog } from '../connections/overload-log.ts';
import { RequestQueue } from './request-queue.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Neither refused nor queued. */
    essential?: boolean;
  }
}

export interface OverloadOptions {
  readonly connections: Connections;
  readonly log: OverloadLog;
}

/** At the limit of the heap the process ends. */
const MAX_HEAP_SHARE = 0.85;

function isHeapFull(): boolean {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used > MAX_HEAP_SHARE * limit;
}

export const overloadProtection = fastifyPlugin<OverloadOptions>(async (app, { connections, log }) => {
  const refusal = ({ routeOptions }: FastifyRequest): AtlasError | undefined => {
    const isRefused = routeOptions.config.essential !== true && (connections.isFull || isHeapFull());
    if (!isRefused) return undefined;
    log.count({ isFull: connections.isFull });
    return new AtlasError('Atlas is overloaded.', {
      code: 'overloaded',
      retryAfterSeconds: 2,
      hint: 'Try again shortly.',
    });
  };
  app.addHook('onRequest', (request, _reply, done) => done(refusal(request)));
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const hasBody = request.method !== 'GET' && request.method !== 'HEAD';
    if (hasBody) connections.read(request.raw.socket, payload);
    done(null, payload);
  });
  // Many requests may have come in before the first of them was complete.
  app.addHook('preValidation', (request, _reply, done) => {
    connections.received(request.raw.socket);
    done(connections.isFull ? refusal(request) : undefined);
  });
  const queue = new RequestQueue(new Arrivals(() => connections.count));
  app.addHook('preHandler', ({ routeOptions, scope }, { raw: response }, done) => {
    const turn = routeOptions.config.essential === true ? undefined : queue.enter();
    if (turn === undefined) {
      done();
      return;
    }
    turn.then(() => {
      // Those of clients that have left meanwhile are not begun.
      if (response.destroyed) scope.abort(clientGone());
      done();
    }, done);
  });
});
