/**
 * Refuses what web pages of other origins may not call. Where requests need no credentials, everybody who reaches the
 * server is an administrator, and a browser on this machine reaches it for every page that it shows.
 */
import type { FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { AtlasError, type Collected, type Route } from '../../../kernel/index.ts';
import { routesAt } from './allowed-methods.ts';
import { hostNameOf, isLoopback, isOriginOf } from './host-names.ts';
import { pathOf } from './request-scope.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    origins?: Route['origins'];
  }
}

export interface OriginCheckOptions {
  /** Those that the configuration names. */
  readonly origins: ReadonlySet<string>;
  /** Names of the server besides loopback names, in lower case. */
  readonly allowedHosts: ReadonlySet<string>;
  routes(): readonly Collected<Route>[];
  /** Whether requests need no credentials. */
  isOpen(): boolean;
  /** Whether only this machine reaches the server. */
  isLocal(): boolean;
}

const MAX_SHOWN = 200;

const forbidden = (message: string, hint: string) =>
  new AtlasError(message, { code: 'forbidden', reason: 'E_HTTP_ORIGIN', hint });

/** `Host`, what a trusted proxy was asked for, and the host of a request whose target is a whole URL. */
function hostsOf({ headers, host, originalUrl }: FastifyRequest): string[] {
  const forwarded = headers['x-forwarded-host'] === undefined ? undefined : host;
  const target = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(originalUrl)?.[1];
  return [headers.host, forwarded, target].filter((name) => name !== undefined);
}

/** A name of somebody else may have been made to lead to this server (DNS rebinding): its pages are then of our origin. */
function checkHosts(hosts: readonly string[], allowed: ReadonlySet<string>): void {
  const foreign = hosts.find((host) => {
    const name = hostNameOf(host);
    return name === undefined || !(isLoopback(name) || allowed.has(name));
  });
  if (foreign === undefined) return;
  throw forbidden(
    `This server is not known by the host name "${foreign.slice(0, MAX_SHOWN)}".`,
    'Use localhost, or have the operator add the name to SVC_ALLOWED_HOSTS.',
  );
}

/** Browsers send `Origin` with every request that may change something, else at least `Sec-Fetch-Site`. */
function checkOrigin({ headers }: FastifyRequest, hosts: readonly string[], named: ReadonlySet<string>): void {
  const { origin, 'sec-fetch-site': site } = headers;
  const isOwn =
    origin === undefined
      ? site === undefined || site === 'same-origin' || site === 'none'
      : named.has(origin) || hosts.some((host) => isOriginOf(origin, host));
  if (isOwn) return;
  throw forbidden(
    `Web pages of ${origin === undefined ? 'other sites' : `the origin "${origin.slice(0, MAX_SHOWN)}"`} may not call this.`,
    'Have the operator name the origin in SVC_CORS_ORIGIN.',
  );
}

export const originCheck = fastifyPlugin<OriginCheckOptions>(
  async (app, options) => {
    const { origins, allowedHosts, routes, isOpen, isLocal } = options;
    /** The rule of the route that is asked for; with a preflight, of the one that is asked about. */
    const ruleOf = (request: FastifyRequest): Route['origins'] => {
      if (request.method !== 'OPTIONS') return request.is404 ? 'any' : request.routeOptions.config.origins;
      const asked = request.headers['access-control-request-method'];
      if (asked === undefined) return 'any';
      const method = asked === 'HEAD' ? 'GET' : asked;
      const found = routesAt(routes(), pathOf(request)).filter((route) => route.method === method);
      return (found.find((route) => route.origins !== 'any') ?? found[0])?.origins;
    };
    app.addHook('onRequest', (request, _reply, done) => {
      const rule = ruleOf(request);
      const isOwn = rule === 'own';
      if (!isOwn && !isOpen()) return done();
      const hosts = hostsOf(request);
      if (isOwn || isLocal() || allowedHosts.size > 0) checkHosts(hosts, allowedHosts);
      if (rule !== 'any') checkOrigin(request, hosts, origins);
      done();
    });
  },
  { name: 'origin-check', dependencies: ['request-scope'] },
);
