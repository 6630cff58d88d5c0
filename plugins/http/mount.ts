/** One route of a plugin on the server: who asks, may they, is it valid, then the plugin's handler. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  AtlasError,
  authAuthorize,
  authResolve,
  type PluginContext,
  type Route,
  type RouteReply,
} from '../../kernel/index.ts';
import { sendStream } from './stream.ts';
import { routeValidation } from './validation.ts';

/** The client's address, plain IPv4 where it came as IPv6. `X-Real-IP` counts only behind a trusted proxy. */
function addressOf(request: FastifyRequest, trustProxy: boolean): string {
  const { headers } = request;
  const real = headers['x-real-ip'];
  const trusted = trustProxy && headers['x-forwarded-for'] === undefined && typeof real === 'string';
  const address = trusted ? real.trim() : request.ip;
  return address.startsWith('::ffff:') ? address.slice(7) : address;
}

async function send(reply: FastifyReply, answer: RouteReply, request: FastifyRequest): Promise<FastifyReply> {
  if (answer.stream !== undefined) {
    await sendStream(reply, answer, request.scope);
    return reply;
  }
  const { body, headers } = answer;
  reply.code(answer.status ?? 200);
  if (headers !== undefined) reply.headers(headers);
  if (body === undefined) return reply.send();
  const asIs = (typeof body === 'string' || body instanceof Uint8Array) && reply.hasHeader('content-type');
  if (asIs || (typeof body === 'object' && body !== null)) return reply.send(body);
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(body));
}

/** Refuses with `auth_error` whoever nobody recognises, and whoever a plugin does not let through. */
function admission(ctx: PluginContext, route: Route, trustProxy: boolean) {
  const access = { right: route.right, operation: `${route.method} ${route.path}` };
  return async (request: FastifyRequest): Promise<void> => {
    const { scope } = request;
    const credentials = { headers: request.headers, ip: addressOf(request, trustProxy) };
    const identity = await ctx.call(authResolve, credentials, scope);
    if (identity === undefined) {
      throw new AtlasError('Authentication is required.', {
        code: 'auth_error',
        hint: 'Send your credentials, such as Authorization: Bearer followed by your key.',
      });
    }
    scope.identify(identity.actor, identity.orgId);
    await ctx.call(authAuthorize, access, scope);
  };
}

/** Adds the route to a plugin's own, encapsulated part of the server. */
export function mountRoute(part: FastifyInstance, route: Route, ctx: PluginContext, trustProxy: boolean): void {
  const validate = routeValidation(route);
  part.route({
    method: route.method,
    url: route.path,
    config: { essential: route.essential === true, rawBody: route.rawBody === true },
    ...(route.right === 'public' ? {} : { onRequest: admission(ctx, route, trustProxy) }),
    handler: async (request, reply) => {
      const { params, query, body } = validate(request as Parameters<typeof validate>[0]);
      const { rawBody, headers } = request;
      const ip = addressOf(request, trustProxy);
      return send(reply, await route.handle({ params, query, body, rawBody, headers, ip }, request.scope), request);
    },
  });
}
