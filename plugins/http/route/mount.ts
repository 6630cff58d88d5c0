/** Mounts one route of a plugin: authentication, authorization and validation, then the plugin's handler. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  AtlasError,
  authAuthorize,
  authResolve,
  type Identity,
  type Logger,
  type PluginContext,
  type Route,
  type RouteReply,
} from '../../../kernel/index.ts';
import { rejectedCredentials } from '../../auth-kit/index.ts';
import { clientGone } from '../answer/failure.ts';
import { isSmall } from '../answer/json.ts';
import { sendLarge, sendStream } from '../answer/stream.ts';
import { httpAdmit } from '../hooks.ts';
import { routeValidation } from './validation.ts';

/** For a large answer whose route names no time: its values are in memory until its client has taken it. */
const SEND_WITHIN_MS = 120_000;

/** Cuts the answer off at this time of `performance.now()` if its client has not taken all of it by then. */
function cutOff({ raw: response }: FastifyReply, at: number): void {
  const timer = setTimeout(() => response.destroy(), Math.max(0, at - performance.now())).unref();
  response.once('close', () => clearTimeout(timer));
}

/** Resolves when a large answer has been sent, or its client has left. */
async function send(reply: FastifyReply, answer: RouteReply, log: () => Logger): Promise<FastifyReply> {
  if (answer.sendUntil !== undefined) cutOff(reply, answer.sendUntil);
  const { stream, body, headers } = answer;
  if (stream !== undefined && reply.request.method === 'HEAD') {
    // Nothing of the stream is made, which may have no end; what the handler has begun for it ends.
    await stream[Symbol.asyncIterator]().return?.();
    reply.request.scope.abort(clientGone());
    return reply
      .code(answer.status ?? 200)
      .headers(headers ?? {})
      .send();
  }
  if (stream !== undefined) return sendStream(reply, { ...answer, stream }, log());
  reply.code(answer.status ?? 200);
  if (headers !== undefined) reply.headers(headers);
  if (body === undefined) return reply.send();
  const isText = (typeof body === 'string' || body instanceof Uint8Array) && reply.hasHeader('content-type');
  if (isText) return reply.send(body);
  reply.type('application/json; charset=utf-8');
  if (isSmall(body)) return reply.send(JSON.stringify(body));
  if (answer.sendUntil === undefined) cutOff(reply, performance.now() + SEND_WITHIN_MS);
  return sendLarge(reply, body, log());
}

/** Headers that carry credentials: with two of them it would be unclear which one counts. */
const SINGLE_HEADERS = ['Authorization', 'X-API-Key'];

/** Authenticates the request. Throws `auth_error` when no plugin recognises its credentials. */
async function identify(ctx: PluginContext, route: Route, request: FastifyRequest): Promise<Identity> {
  for (const name of SINGLE_HEADERS) {
    if (hasTwo(request, name)) throw rejectedCredentials(`The request carries several ${name} headers.`, 'Send one.');
  }
  const { method, headers, scope, address } = request;
  const credentials = { method, route: route.path, headers, ip: address };
  const identity = await ctx.call(authResolve, credentials, scope);
  if (identity !== undefined) return identity;
  if (headers.authorization !== undefined) {
    throw rejectedCredentials('The credentials are not valid.', 'Check the key or token in the Authorization header.');
  }
  throw new AtlasError('Authentication is required.', {
    code: 'auth_error',
    hint: 'Send your credentials, such as Authorization: Bearer followed by your key.',
  });
}

/** Whether the header was sent twice: Node keeps the first, or joins them with a comma. */
function hasTwo(request: FastifyRequest, header: string): boolean {
  const name = header.toLowerCase();
  const { rawHeaders } = request.raw;
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === name) count += 1;
  return count > 1;
}

/** Authenticates, admits, authorizes, in that order; a failed authentication counts for admission too. */
function admission(ctx: PluginContext, route: Route) {
  const { right, organizationData } = route;
  const access = { right, organizationData, operation: `${route.method} ${route.path}` };
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { scope, address: ip } = request;
    const admit = () => ctx.call(httpAdmit, { route, ip }, scope);
    const { headers, params } = request as FastifyRequest<{ Params: Record<string, string> }>;
    if (route.right === 'public') {
      await admit();
      route.ready?.({ headers, params }, scope);
      return;
    }
    // Made for one user. A route may say otherwise.
    reply.header('cache-control', 'no-store');
    let identity: Identity;
    try {
      identity = await identify(ctx, route, request);
    } catch (error) {
      await admit();
      throw error;
    }
    scope.identify(identity.actor, identity.orgId);
    if (identity.headers !== undefined) reply.headers(identity.headers);
    await admit();
    await ctx.call(authAuthorize, { ...access, ip }, scope);
    route.ready?.({ headers, params }, scope);
  };
}

/** Adds the route to a part of the server that is begun after its hooks. */
export function mountRoute(part: FastifyInstance, route: Route, ctx: PluginContext): void {
  const validate = routeValidation(route);
  part.route({
    method: route.method,
    url: route.path,
    bodyLimit: Math.min(route.bodyLimitBytes ?? Infinity, part.initialConfig.bodyLimit as number),
    config: {
      essential: route.essential === true,
      origins: route.origins,
      // Authentication works once its plugins are ready.
      anyTime: route.essential === true && route.right === 'public',
      rawBody: route.rawBody,
    },
    onRequest: admission(ctx, route),
    handler: async (request, reply) => {
      const input = validate(request as Parameters<typeof validate>[0]);
      const { rawBody, headers, address: ip, scope } = request;
      const answer = await route.handle(Object.assign(input, { rawBody, headers, ip }), scope);
      // A stream is made as its client takes it; any other answer is no more work.
      if (answer.stream === undefined) request.leave?.();
      try {
        return await send(reply, answer, () => ctx.logOf(scope));
      } finally {
        answer.done?.();
      }
    },
  });
}
