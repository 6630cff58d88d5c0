/** Creates the Fastify server of its plugins, in the order in which a request meets them; routes come later. */
import { randomUUID } from 'node:crypto';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, { type FastifyHttpOptions, type FastifyInstance } from 'fastify';
import { AtlasError } from '../../../kernel/index.ts';
import { Connections } from '../connections/connections.ts';
import { connectionsWithin } from '../connections/descriptors.ts';
import { RequestBodies } from '../connections/request-bodies.ts';
import type { HttpOptions } from '../options.ts';
import { refusalLog, requestAdmission } from '../request/admission.ts';
import { clientAddress, trustedProxies } from '../request/client-address.ts';
import { crossOrigin, isAnyOrigin, namedOrigins } from '../request/cors.ts';
import { hostNameOf } from '../request/host-names.ts';
import { jsonBody } from '../request/json-body.ts';
import { type KnownRoutesOptions, knownRoutes, routedUrl } from '../request/known-routes.ts';
import { type OriginCheckOptions, originCheck } from '../request/origin-check.ts';
import { type RequestScopeOptions, requestScope } from '../request/request-scope.ts';
import { requestIdOf } from './request-id.ts';

// Not imported: the names that an import takes include those for which Node loads its WebSocket client, 50 ms at a start.
const { createServer: createHttpServer, STATUS_CODES } = process.getBuiltinModule('node:http');

export interface ServerParts
  extends RequestScopeOptions,
    KnownRoutesOptions,
    Pick<OriginCheckOptions, 'isOpen' | 'isLocal'> {
  readonly options: HttpOptions;
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

function unused(): never {
  throw new AtlasError('Routes carry no Fastify schemas.', { reason: 'E_ROUTE_SCHEMA' });
}

/** Also answers what Node would answer by itself, without a request id: an expectation that it does not know. */
function httpServer(handler: RequestListener, { options }: ServerParts, connections: Connections): Server {
  const { requestTimeoutMs: requestTimeout, keepAliveTimeoutMs: keepAliveTimeout } = options;
  const server = createHttpServer(
    {
      requestTimeout,
      keepAliveTimeout,
      // Node takes the time for the whole request into account only when the one for the headers is not longer.
      headersTimeout: requestTimeout,
      connectionsCheckingInterval: Math.min(requestTimeout, 5_000),
      // Refused by `known-routes.ts`, in our own form.
      requireHostHeader: false,
    },
    (request, response) => connections.take(request, response, () => handler(request, response)),
  );
  connections.watch(server);
  return server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

function serverOptions(parts: ServerParts, connections: Connections): FastifyHttpOptions<Server> {
  const { options } = parts;
  return {
    logger: false,
    bodyLimit: options.bodyLimitBytes,
    trustProxy: trustedProxies(options.trustProxy),
    // One server for every address, where Fastify would make more for `localhost`, which would have no bounds.
    serverFactory: (handler) => httpServer(handler, parts, connections),
    genReqId: (request) => requestIdOf(request.headers['x-request-id']),
    rewriteUrl: routedUrl,
    clientErrorHandler: answerBrokenRequest,
    return503OnClosing: false,
    // Refused by `known-routes.ts`, in our own form; the headers of a request are shorter.
    routerOptions: { maxParamLength: 65_536 },
    // Routes carry TypeBox schemas, checked in `validation.ts`: Fastify's own compilers are never loaded.
    schemaController: { compilersFactory: { buildValidator: unused, buildSerializer: unused } },
  };
}

/** The server with all plugins and no route yet. Throws `configuration_error` for options that are malformed. */
export function createServer(parts: ServerParts): FastifyInstance {
  const { ctx, options } = parts;
  const { stallTimeoutMs, maxUnsentBytes, maxReceivedBytes, maxRunning } = options;
  const { maxConnections = connectionsWithin() } = options;
  const refused = refusalLog(ctx.log);
  const connections = new Connections({ maxConnections, stallTimeoutMs, maxUnsentBytes }, refused, ctx.log);
  const origins = namedOrigins(options.corsOrigins);
  const app: FastifyInstance = Fastify(serverOptions(parts, connections));
  app.register(requestScope, parts);
  // Before CORS: the page that is refused may not read why.
  app.register(originCheck, {
    ...parts,
    origins,
    allowedHosts: new Set(options.allowedHosts.map((name) => hostNameOf(name) ?? name)),
  });
  app.register(crossOrigin, { origins: isAnyOrigin(options.corsOrigins) ? undefined : origins });
  app.register(clientAddress, { isBehindProxy: options.trustProxy !== false });
  app.register(knownRoutes, parts);
  app.register(jsonBody, { bodies: new RequestBodies(maxReceivedBytes) });
  app.register(requestAdmission, { connections, maxConnections, maxRunning, refused });
  return app;
}
