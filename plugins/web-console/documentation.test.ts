import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { definePlugin, httpRoutes } from '../../kernel/index.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { http } from '../http/index.ts';
import { openapi } from '../openapi/index.ts';
import { BuiltFiles } from './built-files.ts';
import { documentationRoutes } from './documentation.ts';
import { PAGE_HEADERS } from './security-headers.ts';

const PAGE = '<!doctype html><title>Actions | Atlas</title>'.repeat(50);

function folderOf(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'atlas-docs-'));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

const documentationOf = (folder: string) =>
  definePlugin({
    name: 'documentation',
    version: '1.0.0',
    type: 'interaction',
    description: 'Serves the documentation.',
    setup(ctx) {
      const files = BuiltFiles.in([pathToFileURL(join(folder, '/'))]);
      ctx.tap(httpRoutes, () => documentationRoutes(files));
    },
  })();

const start = (folder: string) =>
  createTestApp({ plugins: [http({ listen: false }), openapi(), documentationOf(folder)] });
let app: Awaited<ReturnType<typeof start>>;
beforeAll(async () => {
  const site = folderOf({
    'site/index.html': '<title>Atlas</title>',
    'site/404.html': '<title>404 | Atlas</title>',
    'site/actions.html.br': brotliCompressSync(PAGE),
    'site/plugins/audit/README.html': '<title>audit | Atlas</title>',
    'site/assets/app.Ab1.js': 'export {};',
    'secret.html': 'a secret',
  });
  app = await start(join(site, 'site'));
});
afterAll(() => app[Symbol.asyncDispose]());
const get = (url: string, headers: Record<string, string> = {}) => app.inject({ method: 'GET', url, headers });

it('serves its pages without credentials, under the policy of the console with the HTML of its templates', async () => {
  expect(await get('/docs')).toMatchObject({ statusCode: 308, headers: { location: '/docs/' } });
  for (const [url, body] of [
    ['/docs/', '<title>Atlas</title>'],
    ['/docs/actions.html', PAGE],
    ['/docs/plugins/audit/README.html?q=1', '<title>audit | Atlas</title>'],
  ] as const) {
    const response = await get(url);
    expect({ status: response.statusCode, body: response.body }, url).toEqual({ status: 200, body });
    expect(response.headers).toMatchObject({
      ...PAGE_HEADERS,
      'content-security-policy': PAGE_HEADERS['content-security-policy'].replace(/'none'$/, 'vue'),
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
    });
  }
  expect(PAGE_HEADERS['content-security-policy']).toMatch(/trusted-types 'none'$/);
});

it('what has a hash in its name is kept by browsers, pages are asked for again; both leave compressed', async () => {
  const script = await get('/docs/assets/app.Ab1.js');
  expect(script.headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
  });
  const page = await get('/docs/actions.html', { 'accept-encoding': 'br' });
  expect(page.headers['content-encoding']).toBe('br');
  const { rawPayload } = page as unknown as { rawPayload: Buffer };
  expect(brotliDecompressSync(rawPayload).toString()).toBe(PAGE);
  const again = await get('/docs/actions.html', { 'if-none-match': String(page.headers.etag) });
  expect([again.statusCode, again.body]).toEqual([304, '']);
});

it.each([
  '/docs/nothing.html',
  '/docs/actions.html.br',
  '/docs/assets',
  '/docs/assets/',
  '/docs/plugins/audit/',
  '/docs/..%2fsecret.html',
  '/docs/plugins/..%2f..%2fsecret.html',
  '/docs/%2e%2e/secret.html',
  '/docs/..%5csecret.html',
  '/docs//secret.html',
  '/docs/%2fetc%2fpasswd',
  '/docs/actions.html%00',
  '/docs/__proto__',
  '/docs/a/b/c/d.html',
])('serves nothing that the build did not make: %s', async (url) => {
  const { statusCode, body } = await get(url, { accept: 'text/html' });
  expect([400, 404]).toContain(statusCode);
  expect(body).not.toMatch(/secret<|a secret|root:/);
});

it('a missing page is that of the site, and another method is refused', async () => {
  const missing = await get('/docs/nothing.html');
  expect([missing.statusCode, missing.body]).toEqual([404, '<title>404 | Atlas</title>']);
  expect(missing.headers['content-security-policy']).toBeDefined();
  const posted = await app.inject({ method: 'POST', url: '/docs/actions.html' });
  expect([posted.statusCode, posted.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
});

it('is no part of the interface description', async () => {
  expect(Object.keys((await get('/api/v1/openapi.json')).json<{ paths: object }>().paths)).toEqual([
    '/api/v1/openapi.json',
  ]);
});

it('without a build says how to make one', async () => {
  await using unbuilt = await start(folderOf({}));
  const { statusCode, body } = await unbuilt.inject({ method: 'GET', url: '/docs/' });
  expect(statusCode).toBe(503);
  expect(JSON.parse(body).message).toMatch(/^The documentation has not been built\. Run npm run build:docs/);
});
