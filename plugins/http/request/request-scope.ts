/** Gives every request its id and its scope, and ends the scope's work when the client leaves. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { type AtlasError, type PluginContext, type Scope, scopeValue } from '../../../kernel/index.ts';
import { answerError, clientGone } from '../answer/failure.ts';
import type { OutlastingWork } from '../api.ts';
import { requestBegun, requestEnded } from '../events.ts';

declare module 'fastify' {
  interface FastifyRequest {
    scope: Scope;
  }
}

/** Of requests that may go on without their client. */
export const outlasting = scopeValue<OutlastingWork>();

export interface RequestScopeOptions {
  readonly ctx: PluginContext;
  /** A request has begun. `refuse` answers it with an error, unless an answer has begun. */
  entered(scope: Scope, refuse: (error: AtlasError) => void): void;
  /** Its response is complete, or its client is gone and nothing of it goes on. */
  left(scope: Scope): void;
}

/** Without the query, which may carry what does not belong in a log. */
export function pathOf(request: FastifyRequest): string {
  return request.originalUrl.split('?', 1)[0] ?? '';
}

function follow({ ctx, entered, left }: RequestScopeOptions, request: FastifyRequest, reply: FastifyReply): void {
  const { scope, method } = request;
  const startedAt = performance.now();
  entered(scope, (error) => {
    if (!reply.sent && !reply.raw.headersSent) answerError(ctx, error, request, reply);
  });
  if (ctx.hasListeners(requestBegun)) ctx.emit(requestBegun, { scope, method, headers: request.headers });
  const end = (status: number) => {
    left(scope);
    request.leave?.();
    const durationMs = performance.now() - startedAt;
    if (ctx.hasListeners(requestEnded)) {
      const route = request.is404 ? undefined : request.routeOptions.url;
      ctx.emit(requestEnded, { scope, method, route, status, durationMs });
    }
    ctx.logOf(scope).debug({ method, path: pathOf(request), status, durationMs }, 'A request ended.');
  };
  reply.raw.once('close', () => {
    const isComplete = reply.raw.writableFinished;
    const status = isComplete ? reply.statusCode : 499;
    const work = outlasting.get(scope);
    const goesOn = work?.closed(isComplete) === true;
    if (!isComplete && !goesOn) scope.abort(clientGone());
    if (work === undefined) end(status);
    else void work.ended.then(() => end(status));
  });
}

export const requestScope = fastifyPlugin<RequestScopeOptions>(
  async (app, options) => {
    const { ctx } = options;
    app.decorateRequest('scope');
    app.setErrorHandler((error, request, reply) => answerError(ctx, error, request, reply));
    app.addHook('onRequest', (request, reply, done) => {
      reply.header('x-request-id', request.id);
      request.scope = ctx.scope({ requestId: request.id });
      follow(options, request, reply);
      done();
    });
  },
  { name: 'request-scope' },
);
