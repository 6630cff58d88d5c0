/**
 * Checks every answer of every app that a test starts against the OpenAPI document of that app. A test fails that made a
 * request whose answer is not described. Vitest loads this file before each test file.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { afterAll, afterEach } from 'vitest';
import type { App } from '../../kernel/index.ts';
import type { Check, Exchange } from './described-answers.ts';
import { startedApp } from './observed-apps.ts';

/** Larger bodies are left out: tests measure what the server does with them. */
const MAX_BODY_LENGTH = 262_144;

/** Routes of test plugins are not described on purpose. */
const FIRST_PARTY = new Set(readdirSync(join(import.meta.dirname, '../../plugins')));

/** What was found since the last test. */
let found: string[] = [];

/** Hands over what was found, which then fails no test. */
export function takeFaults(): string[] {
  const faults = found;
  found = [];
  return faults;
}

async function documentOf(app: App): Promise<object> {
  // Loaded for tests with a web server only.
  const { http, httpSecurity } = await import('../../plugins/http/index.ts');
  const { openapiDocument } = await import('../../plugins/openapi/index.ts');
  const { routes, errorCodes } = app.get(http);
  const security = await app.call(httpSecurity, undefined, app.scope());
  const own = routes().filter(({ plugin }) => FIRST_PARTY.has(plugin));
  return openapiDocument(own, { title: 'Test', version: '1.0.0', plugins: {}, security, errorCodes });
}

const documentPath = (path: string) => path.replace(/:([A-Za-z0-9_]+)/g, '{$1}');

async function checkFor(app: App): Promise<Check> {
  const { describedBy } = await import('./described-answers.ts');
  const { http } = await import('../../plugins/http/index.ts');
  const pages = app
    .get(http)
    .routes()
    .filter(({ value }) => value.page === true);
  const paths = new Set(pages.map(({ value }) => documentPath(value.path)));
  const check = describedBy(await documentOf(app));
  // Pages and their files are no part of the interface.
  return (exchange) => (paths.has(exchange.path ?? '') ? [] : check(exchange));
}

/** As they were sent; those of an answer in pieces never were the reply's. */
function headersOf({ raw }: FastifyReply): Record<string, string> {
  const lines = (raw as { _header?: string | null })._header?.split('\r\n').slice(1) ?? [];
  return Object.fromEntries(
    lines.map((line) => [line.split(':', 1)[0]?.toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
}

/** Texts as passwords are counted: it does not matter how a keyboard composes characters. */
function composed(body: unknown): unknown {
  if (body === undefined || Buffer.isBuffer(body)) return body;
  return JSON.parse(JSON.stringify(body), (_, value) => (typeof value === 'string' ? value.normalize('NFKC') : value));
}

function exchangeOf(request: FastifyRequest, reply: FastifyReply, payload: unknown): Exchange {
  const { url = '' } = request.routeOptions;
  const body = typeof payload === 'string' ? payload : payload === undefined || payload === null ? '' : undefined;
  return {
    method: request.method,
    path: request.is404 ? undefined : documentPath(url),
    request: {
      params: request.params as Record<string, string>,
      query: request.query as Record<string, unknown>,
      body: typeof request.body === 'function' ? undefined : composed(request.body),
    },
    status: reply.statusCode,
    headers: { ...reply.getHeaders(), ...headersOf(reply) },
    body: body !== undefined && body.length > MAX_BODY_LENGTH ? undefined : body,
  };
}

function watch(server: FastifyInstance, started: { readonly app: App | undefined }): void {
  let ready: Promise<Check> | undefined;
  const checked = new WeakSet<FastifyRequest>();
  const check = async (request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<void> => {
    const { app } = started;
    if (app === undefined || checked.has(request)) return;
    checked.add(request);
    const exchange = exchangeOf(request, reply, payload);
    try {
      ready ??= checkFor(app);
      const faults = (await ready)(exchange);
      const where = `${request.method} ${request.originalUrl.slice(0, 200)} ${exchange.status}`;
      found.push(...faults.map((fault) => `${where}: ${fault}`));
    } catch (error) {
      found.push(`The answer to ${request.method} ${request.originalUrl} could not be checked: ${String(error)}`);
    }
  };
  server.addHook('onSend', async (request, reply, payload) => {
    await check(request, reply, payload);
    return payload;
  });
  // An answer that is sent in pieces passes no `onSend`.
  server.addHook('onResponse', (request, reply) => check(request, reply, Symbol('not seen')));
}

function failWithFaults(): void {
  const faults = takeFaults();
  if (faults.length > 0) throw new Error(`Answers do not match their description:\n${faults.join('\n')}`);
}

const INITIALIZATION = 'fastify.initialization';
function watchNew(message: unknown): void {
  const started = startedApp();
  if (started !== undefined) watch((message as { fastify: FastifyInstance }).fastify, started);
}

subscribe(INITIALIZATION, watchNew);
afterEach(failWithFaults);
afterAll(() => {
  // The next file may run in this process, and loads this one again.
  unsubscribe(INITIALIZATION, watchNew);
  failWithFaults();
});
