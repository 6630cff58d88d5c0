/** One route of a plugin on the server: who asks, may they, is it valid, then the plugin's handler. */
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
} from '../../kernel/index.ts';
import { rejectedCredentials } from '../auth-kit/index.ts';
import type { AddressOf } from './address.ts';
import { httpAdmit } from './admit.ts';
import type { Connections } from './connections.ts';
import { isSmall, jsonPieces, PIECE_BYTES } from './json.ts';
import { sendPieces, sendStream } from './stream.ts';
import { routeValidation } from './validation.ts';

/** The bytes of a large answer; `undefined` for one that Fastify writes at once. */
async function largeBody(body: unknown, isText: boolean): Promise<Buffer[] | undefined> {
  if (!isText) return isSmall(body) ? undefined : jsonPieces(body);
  const bytes = Buffer.from(body as string | Uint8Array);
  return bytes.length > PIECE_BYTES ? [bytes] : undefined;
}

/** Resolves when the answer has been handed over. Does not keep it while it is sent: clients may take their time. */
async function send(
  reply: FastifyReply,
  answer: RouteReply,
  connections: Connections,
  log: () => Logger,
): Promise<FastifyReply> {
  if (answer.sendUntil !== undefined) connections.sendUntil(reply.request.raw.socket, answer.sendUntil);
  if (answer.stream !== undefined) return sendStream(reply, answer, connections, log());
  const { body, headers } = answer;
  reply.code(answer.status ?? 200);
  if (headers !== undefined) reply.headers(headers);
  if (body === undefined) return reply.send();
  const isText = (typeof body === 'string' || body instanceof Uint8Array) && reply.hasHeader('content-type');
  const large = await largeBody(body, isText);
  if (large === undefined && (isText || (typeof body === 'object' && body !== null))) return reply.send(body);
  if (!isText) reply.type('application/json; charset=utf-8');
  return large === undefined ? reply.send(JSON.stringify(body)) : sendPieces(reply, large, connections);
}

/** Those that carry credentials: with two of them it would be unclear who asks. */
const SINGLE_HEADERS = ['Authorization', 'X-API-Key'];

/** Who asks, or nobody where the route needs no identity. Throws `auth_error` for whoever nobody recognises. */
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

/** Of two such headers Node keeps the first, or joins them with a comma. */
function hasTwo(request: FastifyRequest, header: string): boolean {
  const name = header.toLowerCase();
  const { rawHeaders } = request.raw;
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === name) count += 1;
  return count > 1;
}

/** Who asks, may the request come in at all, and may they do this: in that order, and a failed sign-in counts too. */
function admission(ctx: PluginContext, route: Route, addressOf: AddressOf) {
  const access = { right: route.right, operation: `${route.method} ${route.path}` };
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { scope } = request;
    // Once, before the body: a socket that has closed meanwhile no longer knows its peer.
    const ip = addressOf(request.raw);
    request.address = ip;
    const admit = () => ctx.call(httpAdmit, { route, ip }, scope);
    if (route.right === 'public') {
      await admit();
      route.ready?.();
      return;
    }
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
    await ctx.call(authAuthorize, access, scope);
    route.ready?.();
  };
}

/** Adds the route to a plugin's own, encapsulated part of the server. */
export function mountRoute(
  part: FastifyInstance,
  route: Route,
  ctx: PluginContext,
  addressOf: AddressOf,
  connections: Connections,
): void {
  const validate = routeValidation(route);
  part.route({
    method: route.method,
    url: route.path,
    bodyLimit: Math.min(route.bodyLimitBytes ?? Infinity, part.initialConfig.bodyLimit as number),
    config: {
      essential: route.essential === true,
      // Who asks cannot be told before the plugins that know it are ready.
      anyTime: route.essential === true && route.right === 'public',
      rawBody: route.rawBody === true,
    },
    onRequest: admission(ctx, route, addressOf),
    handler: async (request, reply) => {
      const { params, query, body } = validate(request as Parameters<typeof validate>[0]);
      const { rawBody, headers, address: ip, scope } = request;
      const answer = await route.handle({ params, query, body, rawBody, headers, ip }, scope);
      return send(reply, answer, connections, () => ctx.logOf(scope));
    },
  });
}
