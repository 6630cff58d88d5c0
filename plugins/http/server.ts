/** The Fastify server with everything that every request meets, in order; routes come later, see `mount.ts`. */
import { randomUUID } from 'node:crypto';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import Fastify, {
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { AtlasError, type Collected, type PluginContext, type Route, type Scope } from '../../kernel/index.ts';
import { allowedMethods } from './allowed-methods.ts';
import { addJsonParser, checkBodyEncoding } from './body.ts';
import { Connections } from './connections.ts';
import { type Cors, corsFor } from './cors.ts';
import { connectionsWithin } from './descriptors.ts';
import { CLIENT_GONE, failureOf, logFailure, NOT_SERVING } from './failure.ts';
import type { HttpOptions } from './options.ts';
import { Pressure } from './pressure.ts';
import { Refusals } from './refusals.ts';
import { requestBegun, requestEnded } from './request-events.ts';
import { requestIdOf } from './request-id.ts';
import { Turns } from './turns.ts';

declare module 'fastify' {
  interface FastifyRequest {
    scope: Scope;
    /** The client's, as `AddressOf` reads it. */
    address: string;
    rawBody: Buffer | undefined;
  }
  interface FastifyContextConfig {
    essential?: boolean;
    /** Answered before the server is ready, and while it stops: probes ask then too. */
    anyTime?: boolean;
    rawBody?: boolean;
  }
}

export type ServerPhase = 'starting' | 'serving' | 'stopping';

export interface ServerParts {
  readonly ctx: PluginContext;
  readonly options: HttpOptions;
  phase(): ServerPhase;
  routes(): readonly Collected<Route>[];
  /** A request has begun. `refuse` answers it with an error, unless an answer has begun. */
  entered(scope: Scope, refuse: (error: AtlasError) => void): void;
  /** Its response is complete, or its client is gone. */
  left(scope: Scope): void;
}

/** Requests so broken that no request object exists: answered on the socket in the same form as any error. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  // Node keeps the response that the socket carries here. Into one that has begun no other can be written.
  const { _httpMessage: begun } = socket as Socket & { _httpMessage?: ServerResponse };
  if (error.code === 'ECONNRESET' || !socket.writable || begun?.headersSent === true) {
    socket.destroy();
    return;
  }
  const [status, message] =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? [408, 'The request did not arrive completely in time.']
      : error.code === 'HPE_HEADER_OVERFLOW'
        ? [431, 'The headers of the request are too large.']
        : [400, 'This is not a valid HTTP request.'];
  const requestId = randomUUID();
  const body = JSON.stringify({ error: 'invalid_request', message, requestId });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nx-request-id: ${requestId}\r\nConnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}

/** Without the query, which may carry what does not belong in a log. */
function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? '';
}

function answerError(ctx: PluginContext, error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const failure = failureOf(error, request.id, request.routeOptions?.bodyLimit);
  logFailure(error, failure, request.scope, ctx);
  // Fastify closes the connection after a body that it refuses. Read to its end instead: a client that is still
  // sending would otherwise meet a reset and never see the answer.
  reply.removeHeader('connection');
  reply.code(failure.status).headers(failure.headers).send(failure.body);
}

/** 405 with `Allow` where the path is known with other methods, else 404. */
function unknownRoute(routes: readonly Collected<Route>[], request: FastifyRequest, reply: FastifyReply): AtlasError {
  const path = pathOf(request);
  const allowed = allowedMethods(routes, path);
  const what = `${request.method} ${path.slice(0, 200)}`;
  if (allowed.length === 0) {
    return new AtlasError(`There is nothing at ${what}.`, {
      code: 'not_found',
      hint: 'GET /api/v1/openapi.json lists every route.',
    });
  }
  reply.header('allow', allowed.join(', '));
  const served = allowed.filter((method) => method !== 'HEAD' && method !== 'OPTIONS');
  return new AtlasError(`${what} is not served.`, { code: 'method_not_allowed', hint: `Use ${served.join(' or ')}.` });
}

/** What to answer to OPTIONS, which every route may be asked with: a browser does so before other requests. */
function answerOptions(
  routes: readonly Collected<Route>[],
  request: FastifyRequest,
  reply: FastifyReply,
): AtlasError | undefined {
  const allowed = allowedMethods(routes, pathOf(request));
  // A preflight that fails would hide from the page why its request does.
  const isPreflight = request.headers['access-control-request-method'] !== undefined;
  if (allowed.length === 0 && !isPreflight) return unknownRoute(routes, request, reply);
  if (allowed.length > 0) reply.header('allow', allowed.join(', '));
  reply.code(204).send();
}

/** Ends the scope's work when the client leaves before the answer is complete. */
function followResponse({ ctx, entered, left }: ServerParts, request: FastifyRequest, reply: FastifyReply): void {
  const { scope } = request;
  const { method } = request;
  const startedAt = performance.now();
  entered(scope, (error) => {
    if (!reply.sent && !reply.raw.headersSent) answerError(ctx, error, request, reply);
  });
  if (ctx.hasListeners(requestBegun)) ctx.emit(requestBegun, { scope, method, headers: request.headers });
  reply.raw.once('close', () => {
    const complete = reply.raw.writableFinished;
    if (!complete) scope.abort(new AtlasError('The client has left.', { reason: CLIENT_GONE }));
    left(scope);
    const status = complete ? reply.statusCode : 499;
    const durationMs = performance.now() - startedAt;
    if (ctx.hasListeners(requestEnded)) {
      const route = request.is404 ? undefined : request.routeOptions.url;
      ctx.emit(requestEnded, { scope, method, route, status, durationMs });
    }
    ctx.logOf(scope).debug({ method, path: pathOf(request), status, durationMs }, 'A request ended.');
  });
}

function unused(): never {
  throw new AtlasError('Routes carry no Fastify schemas.', { reason: 'E_ROUTE_SCHEMA' });
}

/** Also answers what Node would answer by itself, without a request id: an expectation that it does not know. */
function httpServer(handler: RequestListener, options: HttpOptions, connections: Connections): Server {
  const { requestTimeoutMs: requestTimeout, keepAliveTimeoutMs: keepAliveTimeout } = options;
  const server = createHttpServer(
    {
      requestTimeout,
      keepAliveTimeout,
      // Node takes the time for the whole request into account only when the one for the headers is not longer.
      headersTimeout: requestTimeout,
      connectionsCheckingInterval: Math.min(requestTimeout, 5_000),
      // Refused by `checkHost`, in our own form.
      requireHostHeader: false,
    },
    (request, response) => connections.take(request, response, () => handler(request, response)),
  );
  connections.watch(server);
  return server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

function serverOptions(
  { ctx, options }: ServerParts,
  cors: Cors,
  connections: Connections,
): FastifyHttpOptions<Server> {
  return {
    logger: false,
    bodyLimit: options.bodyLimitBytes,
    // One server for every address, where Fastify would make more for `localhost` that nobody bounds.
    serverFactory: (handler) => httpServer(handler, options, connections),
    genReqId: (request) => requestIdOf(request.headers['x-request-id']),
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (error, broken, answer) => {
      const [request, reply] = [broken as FastifyRequest, answer as unknown as FastifyReply];
      request.scope = ctx.scope({ requestId: request.id });
      reply.headers({ 'x-request-id': request.id, ...cors(request.method, request.headers) });
      answerError(ctx, error, request, reply);
    },
    return503OnClosing: false,
    // Longer ones are a schema's business: a parameter that is too long is 400, not an unknown route.
    routerOptions: { maxParamLength: 2_000 },
    // Routes carry TypeBox schemas, checked in `validation.ts`: Fastify's own compilers are never loaded.
    schemaController: { compilersFactory: { buildValidator: unused, buildSerializer: unused } },
  };
}

/** HTTP/1.1 wants exactly one: a proxy in front may have gone by the other one. */
function checkHost({ httpVersion, rawHeaders }: IncomingMessage): void {
  const count = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  if (count === 1 || (count === 0 && httpVersion === '1.0')) return;
  throw new AtlasError(`The request has ${count === 0 ? 'no Host header' : 'more than one Host header'}.`, {
    code: 'invalid_request',
    hint: 'Send exactly one Host header.',
  });
}

/** Refuses what is not essential while the process can take no more work, and starts the rest one by one. */
function addShedding(
  app: FastifyInstance,
  connections: Connections,
  refusals: Refusals,
  maxEventLoopDelayMs: number,
): void {
  const pressure = new Pressure(maxEventLoopDelayMs);
  app.addHook('onListen', async () => pressure.start());
  app.addHook('onClose', async () => pressure.stop());
  const shed = ({ routeOptions }: FastifyRequest): AtlasError | undefined => {
    const isRefused = routeOptions.config.essential !== true && (connections.isFull || pressure.isHigh);
    if (!isRefused) return undefined;
    refusals.count({ isFull: connections.isFull });
    return new AtlasError('Atlas is overloaded.', {
      code: 'overloaded',
      retryAfterSeconds: 2,
      hint: 'Try again shortly.',
    });
  };
  app.addHook('onRequest', (request, _reply, done) => done(shed(request)));
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const hasBody = request.method !== 'GET' && request.method !== 'HEAD';
    if (hasBody) payload.on('data', (part: Buffer) => connections.receive(request.raw.socket, part.length));
    done(null, payload);
  });
  const turns = new Turns();
  app.addHook('preHandler', ({ routeOptions }, _reply, done) => {
    const turn = routeOptions.config.essential === true ? undefined : turns.next();
    if (turn === undefined) done();
    else turn.then(() => done(), done);
  });
  // Many requests may have come in before the first of them was complete.
  app.addHook('preValidation', (request, _reply, done) => {
    connections.received(request.raw.socket);
    done(connections.isFull ? shed(request) : undefined);
  });
}

/** The server with all hooks and no route yet. */
export function createServer(parts: ServerParts): { app: FastifyInstance; connections: Connections } {
  const { ctx, options, phase, routes } = parts;
  const cors = corsFor(options.corsOrigins);
  const { stallTimeoutMs, maxUnsentBytes, maxReceivedBytes, maxConnections = connectionsWithin() } = options;
  const limits = { maxConnections, stallTimeoutMs, maxUnsentBytes, maxReceivedBytes };
  const refusals = new Refusals(ctx.log);
  const connections = new Connections(limits, refusals, ctx.log);
  const app: FastifyInstance = Fastify(serverOptions(parts, cors, connections));

  app.decorateRequest('scope');
  app.decorateRequest('address', '');
  app.decorateRequest('rawBody');
  addJsonParser(app, (request) => request.routeOptions.config.rawBody === true);
  app.setErrorHandler((error, request, reply) => answerError(ctx, error, request, reply));

  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    request.scope = ctx.scope({ requestId: request.id });
    followResponse(parts, request, reply);
    reply.headers(cors(request.method, request.headers));
    checkHost(request.raw);
    done();
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (request.method === 'OPTIONS') {
      const refusal = answerOptions(routes(), request, reply);
      if (refusal !== undefined) done(refusal);
      return;
    }
    if (request.is404) return done(unknownRoute(routes(), request, reply));
    const now = phase();
    const isAnyTime = request.routeOptions.config.anyTime === true;
    if (now !== 'serving' && !isAnyTime) {
      return done(
        new AtlasError(`Atlas is ${now}.`, {
          code: 'unavailable',
          reason: NOT_SERVING,
          retryAfterSeconds: 1,
          hint: 'Try again shortly.',
        }),
      );
    }
    checkBodyEncoding(request);
    done();
  });
  addShedding(app, connections, refusals, options.maxEventLoopDelayMs);
  return { app, connections };
}
