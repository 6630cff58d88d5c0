import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { definePlugin, httpRoutes, Type } from '../../kernel/index.ts';
import { createTestApp, type InjectedRequest } from '../../test/harness/create-test-app.ts';
import { http } from '../http/index.ts';
import { openapi } from '../openapi/index.ts';
import { BuiltFiles } from './built-files.ts';
import { serveConsole } from './routes.ts';

const PAGE = '<!doctype html><title>Atlas</title>';
const SCRIPT = 'export const answer = 42;'.repeat(100);

function builtFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'atlas-console-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), PAGE);
  writeFileSync(join(folder, 'assets/index-Ab_1.js.br'), brotliCompressSync(SCRIPT));
  return folder;
}

const conversations = definePlugin({
  name: 'stored',
  version: '1.0.0',
  type: 'storage',
  description: 'Has conversations.',
  setup(ctx) {
    ctx.tap(httpRoutes, () => [
      {
        method: 'GET' as const,
        path: '/api/v1/conversations',
        summary: 'Conversations',
        area: 'history',
        tag: 'Conversations',
        right: 'public' as const,
        responses: { 200: Type.Array(Type.String()) },
        handle: () => ({ body: [] }),
      },
    ]);
  },
});

/** The console with pages of this test. */
const consoleOf = (folder: string) =>
  definePlugin({
    name: 'web-console',
    version: '1.0.0',
    type: 'interaction',
    description: 'Serves pages.',
    needs: { http },
    setup: (ctx, _options, needs) => serveConsole(ctx, needs.http, BuiltFiles.in([pathToFileURL(join(folder, '/'))])),
  })();

const startConsole = (folder = builtFolder(), more: Parameters<typeof createTestApp>[0]['plugins'] = []) =>
  createTestApp({ plugins: [http({ listen: false }), openapi(), consoleOf(folder), ...more] });

const get = (url: string, headers: Record<string, string> = {}): InjectedRequest => ({ method: 'GET', url, headers });

describe('web console', () => {
  it('serves its document on every page, under a policy that lets nothing foreign in', async () => {
    await using app = await startConsole(builtFolder(), [conversations()]);
    for (const url of ['/', '/c/452e8080-c534-4fec-9830-89a6f29b7f91', '/history']) {
      const { statusCode, headers, body } = await app.inject(get(url));
      expect({ statusCode, body }, url).toEqual({ statusCode: 200, body: PAGE });
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
      });
      const policy = String(headers['content-security-policy']);
      expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
      expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'");
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
    }
  });

  it('a page that nothing serves, or whose data this server has not, is its own with status 404', async () => {
    await using app = await startConsole();
    for (const url of ['/history', '/nothing', '/admin/nothing', '/c/%E0%A4%A', '/c/..%2f..%2fme']) {
      const { statusCode, headers, body } = await app.inject(get(url, { accept: 'text/html,*/*' }));
      expect({ statusCode, body }, url).toEqual({ statusCode: 404, body: PAGE });
      expect(headers['content-security-policy']).toBeDefined();
    }
  });

  it.each([
    ['below /api/', get('/api/nothing', { accept: 'text/html' })],
    ['for a program', get('/nothing', { accept: 'application/json' })],
    ['for another method', { method: 'POST', url: '/nothing', headers: { accept: 'text/html' } } as const],
  ])('what is missing stays an error of the API %s', async (_when, request) => {
    await using app = await startConsole();
    const response = await app.inject(request);
    expect(response.statusCode).toBe(404);
    expect(response.json()).toMatchObject({ error: 'not_found' });
  });

  it('an address that is none stays an error of the API below /api/, and for programs', async () => {
    await using app = await startConsole();
    for (const [url, accept] of [
      ['/api/v1/%E0%A4%A', 'text/html'],
      ['/c/%E0%A4%A', '*/*'],
    ] as const) {
      const response = await app.inject(get(url, { accept }));
      expect([response.statusCode, response.json<{ error: string }>().error], url).toEqual([400, 'invalid_request']);
    }
    const long = await app.inject(get(`/c/${'x'.repeat(5_000)}`, { accept: 'text/html' }));
    expect(long.body).toBe(PAGE);
  });

  it('a browser is told of a method that a page has not', async () => {
    await using app = await startConsole();
    const { statusCode, headers } = await app.inject({ method: 'POST', url: '/', headers: { accept: 'text/html' } });
    expect({ statusCode, allow: headers.allow }).toEqual({ statusCode: 405, allow: 'GET, HEAD, OPTIONS' });
  });

  it('its files never change, and leave compressed for those who take that', async () => {
    await using app = await startConsole();
    const url = '/assets/index-Ab_1.js';
    const { headers, body } = await app.inject(get(url));
    expect(body).toBe(SCRIPT);
    expect(headers).toMatchObject({ 'content-type': 'text/javascript; charset=utf-8', vary: 'Accept-Encoding' });
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    for (const [accepted, encoding, decoded] of [
      ['gzip, deflate, br;q=0.5', 'br', brotliDecompressSync],
      ['GZIP, deflate', 'gzip', gunzipSync],
      ['br;q=0, gzip', 'gzip', gunzipSync],
      ['deflate, br;q=0.0, gzip; q=0', undefined, (bytes: Buffer) => bytes],
      ['brx', undefined, (bytes: Buffer) => bytes],
    ] as const) {
      const answer = await app.inject(get(url, { 'accept-encoding': accepted }));
      expect(answer.headers['content-encoding'], accepted).toBe(encoding);
      const { rawPayload } = answer as unknown as { rawPayload: Buffer };
      expect(decoded(rawPayload).toString(), accepted).toBe(SCRIPT);
    }
  });

  it('who has a page already gets it again only when it changed', async () => {
    await using app = await startConsole();
    const { headers } = await app.inject(get('/'));
    const etag = String(headers.etag);
    for (const known of [etag, `"other", ${etag}`, '*']) {
      const response = await app.inject(get('/', { 'if-none-match': known }));
      expect({ status: response.statusCode, body: response.body }, known).toEqual({ status: 304, body: '' });
    }
    expect((await app.inject(get('/', { 'if-none-match': '"other"' }))).statusCode).toBe(200);
  });

  it.each([
    '/assets/',
    '/assets/index-Ab_1.js.br',
    '/assets/..%2findex.html',
    '/assets/%2e%2e/index.html',
    '/index.html',
  ])('serves nothing that the build did not make: %s', async (url) => {
    await using app = await startConsole();
    expect((await app.inject(get(url))).statusCode).not.toBe(200);
  });

  it('without a build says how to make one', async () => {
    await using app = await startConsole(mkdtempSync(join(tmpdir(), 'atlas-console-')));
    const { statusCode, body } = await app.inject(get('/', { accept: 'text/html' }));
    expect(statusCode).toBe(503);
    expect(body).toContain('npm run build:console');
    expect((await app.inject(get('/nothing', { accept: 'text/html' }))).json()).toMatchObject({ error: 'not_found' });
  });

  it('changes no answer of the API, which describes none of its pages', async () => {
    await using app = await startConsole();
    await using without = await createTestApp({ plugins: [http({ listen: false }), openapi()] });
    const [described, before] = await Promise.all([app, without].map((one) => one.inject(get('/api/v1/openapi.json'))));
    expect(described?.body).toBe(before?.body);
    expect((await without.inject(get('/', { accept: 'text/html' }))).statusCode).toBe(404);
  });
});
