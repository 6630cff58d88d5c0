/** Answers what reaches no handler: OPTIONS, an unknown path or method, a malformed address, a server that is not ready. */
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { AtlasError, type Collected, type PluginContext, type Route } from '../../../kernel/index.ts';
import { NOT_SERVING } from '../answer/failure.ts';
import { httpNotFound } from '../hooks.ts';
import { allowedMethods } from './allowed-methods.ts';
import { pathOf } from './request-scope.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answered before the server is ready, and while it stops: probes ask then too. */
    anyTime?: boolean;
  }
}

/** `retiring`: what comes on open connections is served, and each is told to close. */
export type ServerPhase = 'starting' | 'serving' | 'retiring' | 'stopping';

export interface KnownRoutesOptions {
  readonly ctx: PluginContext;
  phase(): ServerPhase;
  routes(): readonly Collected<Route>[];
}

/** Longest part of a path, in characters. */
const MAX_PART_LENGTH = 2_000;
/** `.` and `..` lead elsewhere than the path says; clients resolve them before they send it. */
const DOT_PART = /(?:^|[/\\])\.{1,2}(?:[/\\]|$)/;
/** What the router is given for an address that it cannot read. No address has a space, so it matches no route. */
const MALFORMED = '/ ';

/**
 * The address for the router. One that is malformed is replaced, so that its request meets every plugin before it is
 * refused: its answer then has a request id, a log line and the headers of CORS like any other.
 */
export function routedUrl({ url = '' }: IncomingMessage): string {
  const path = url.split('?', 1)[0] as string;
  if (!path.includes('%') && !path.includes('/.')) return url;
  try {
    return DOT_PART.test(decodeURIComponent(path)) ? MALFORMED : url;
  } catch {
    return MALFORMED;
  }
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

/** A browser shows people what it gets, who cannot read JSON; programs that ask for HTML as well do so below `/api/`. */
const isForPeople = ({ method, headers, originalUrl }: FastifyRequest) =>
  (method === 'GET' || method === 'HEAD') &&
  headers.accept?.includes('text/html') === true &&
  !originalUrl.startsWith('/api/');

/** Answers OPTIONS, which every route may be asked with: a browser does so before other requests. */
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

/** HTTP/1.1 wants exactly one: a proxy in front may have gone by the other one. */
function checkHost({ httpVersion, rawHeaders }: IncomingMessage): void {
  const count = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  if (count === 1 || (count === 0 && httpVersion === '1.0')) return;
  throw new AtlasError(`The request has ${count === 0 ? 'no Host header' : 'more than one Host header'}.`, {
    code: 'invalid_request',
    hint: 'Send exactly one Host header.',
  });
}

/** What is wrong with the address itself. */
function addressFault({ raw, is404, params }: FastifyRequest): AtlasError | undefined {
  if (raw.url === MALFORMED) {
    return new AtlasError('The address of the request is not a valid URL.', { code: 'invalid_request' });
  }
  const parts = is404 ? [] : Object.values(params as Record<string, string>);
  return parts.some((part) => part.length > MAX_PART_LENGTH)
    ? new AtlasError('A part of the path is too long.', { code: 'invalid_request' })
    : undefined;
}

export const knownRoutes = fastifyPlugin<KnownRoutesOptions>(
  async (app, { ctx, phase, routes }) => {
    app.setNotFoundHandler(async (request, reply) => {
      const path = pathOf(request);
      const fault = addressFault(request);
      const isKnown = fault === undefined && allowedMethods(routes(), path).length > 0;
      const page = isKnown ? undefined : await ctx.call(httpNotFound, { path }, request.scope);
      if (page === undefined) throw fault ?? unknownRoute(routes(), request, reply);
      return reply
        .code(page.status ?? 404)
        .headers(page.headers ?? {})
        .send(page.body);
    });
    app.addHook('onRequest', (request, reply, done) => {
      checkHost(request.raw);
      const fault = addressFault(request);
      // People are shown a page, which names nothing of the address.
      if (fault !== undefined && !isForPeople(request)) return done(fault);
      if (request.method === 'OPTIONS') {
        const refusal = answerOptions(routes(), request, reply);
        if (refusal !== undefined) done(refusal);
        return;
      }
      if (request.is404 && !isForPeople(request)) return done(unknownRoute(routes(), request, reply));
      const now = phase();
      if (now === 'retiring') reply.header('connection', 'close');
      if (now === 'serving' || now === 'retiring' || request.routeOptions.config.anyTime === true) return done();
      done(
        new AtlasError(`Atlas is ${now}.`, {
          code: 'unavailable',
          reason: NOT_SERVING,
          retryAfterSeconds: 1,
          hint: 'Try again shortly.',
        }),
      );
    });
  },
  { name: 'known-routes', dependencies: ['request-scope'] },
);
