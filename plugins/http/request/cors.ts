/** Lets pages of other origins call Atlas from a browser, and says what they may send and read. */
import fastifyCors from '@fastify/cors';
import fastifyPlugin from 'fastify-plugin';
import { AtlasError } from '../../../kernel/index.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const SENDABLE = ['Authorization', 'X-API-Key', 'Content-Type', 'x-request-id'];
const READABLE = ['Retry-After', 'x-conversation-id', 'x-request-id', 'ETag'];
/** How long a browser may keep the answer to a preflight. */
const MAX_AGE_SECONDS = 600;

/** As a browser writes it: no path, no default port, lower case. Schemes of apps stay as they are. */
function originOf(text: string): string {
  if (!URL.canParse(text)) {
    throw new AtlasError(`"${text}" in corsOrigins is not an origin.`, {
      code: 'configuration_error',
      reason: 'E_HTTP_CORS_ORIGIN',
      hint: 'Write it like https://app.example.com, without a path.',
    });
  }
  const { origin } = new URL(text);
  return origin === 'null' ? text.replace(/\/$/, '') : origin;
}

/** Whether every page may call, without credentials. */
export const isAnyOrigin = (origins: readonly string[]): boolean => origins.length === 0 || origins.includes('*');

/** The origins that are named, as browsers write them. Throws `configuration_error` for what is no origin. */
export function namedOrigins(origins: readonly string[]): ReadonlySet<string> {
  return new Set(origins.filter((origin) => origin !== '*').map(originOf));
}

/** The headers that a page may send: those that Atlas reads, and what it asks for beside. */
export function sendableHeaders(asked: string | undefined): string {
  const names = (asked ?? '').split(',').map((name) => name.trim());
  const known = SENDABLE.map((name) => name.toLowerCase());
  const others = names.filter((name) => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && !known.includes(name.toLowerCase()));
  return [...SENDABLE, ...others].join(', ');
}

export interface CrossOriginOptions {
  /** `undefined`: every page may call, without credentials. */
  readonly origins: ReadonlySet<string> | undefined;
}

export const crossOrigin = fastifyPlugin<CrossOriginOptions>(
  async (app, { origins }) => {
    await app.register(fastifyCors, {
      // The plugin then adds no header that lets in a page which is not allowed.
      origin:
        origins === undefined ? '*' : (origin, decide) => decide(null, origin !== undefined && origins.has(origin)),
      credentials: origins !== undefined,
      methods: METHODS,
      exposedHeaders: READABLE,
      maxAge: MAX_AGE_SECONDS,
      // The answer to OPTIONS is the router's, with `Allow`.
      preflightContinue: true,
      strictPreflight: false,
    });
    app.addHook('onRequest', (request, reply, done) => {
      if (reply.hasHeader('access-control-allow-methods')) {
        reply.header(
          'access-control-allow-headers',
          sendableHeaders(request.headers['access-control-request-headers']),
        );
      }
      done();
    });
  },
  { name: 'cross-origin', dependencies: ['origin-check'] },
);
