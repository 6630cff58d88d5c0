/** What a web page of another origin can do in a real browser, to a server that asks for no credentials. */
import { cpSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createViteServer } from 'vitest/node';
import { createSimpleDemo, DEMOS } from '../../plugins/demo-data/index.ts';
import { findChromium, INSTALL_CHROMIUM, startBrowser } from '../harness/browser.ts';
import { type BuiltInServer, startBuiltIn } from '../harness/built-in-server.ts';
import { emptyFolder } from '../harness/command.ts';
import { suiteNeeding } from '../harness/require.ts';

/** The script of the foreign page: a chat of the AI SDK. */
const CHAT = `
import { Chat } from '@ai-sdk/react';
import { DefaultChatTransport } from 'ai';
window.ask = async (api, text) => {
  const chat = new Chat({ transport: new DefaultChatTransport({ api }) });
  await chat.sendMessage({ text });
  return { status: chat.status, error: chat.error?.message, message: JSON.stringify(chat.lastMessage) };
};
window.isLoaded = true;
`;

async function startForeignSite(cacheDir: string) {
  const site = await createViteServer({
    configFile: false,
    root: join(import.meta.dirname, '../..'),
    cacheDir,
    appType: 'custom',
    logLevel: 'silent',
    server: { host: '127.0.0.1', port: 0, hmr: false, watch: null },
    optimizeDeps: { include: ['ai', '@ai-sdk/react'], noDiscovery: true },
    plugins: [
      {
        name: 'chat',
        resolveId: (id: string) => (id === '/chat.js' ? id : undefined),
        load: (id: string) => (id === '/chat.js' ? CHAT : undefined),
      },
    ],
  });
  await site.listen();
  const { port } = site.httpServer!.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => site.close() };
}

const ENTITY = 'table: stolen\ndescription: Rows of another file.\ndimensions:\n  - { name: text, type: string }\n';

suiteNeeding(
  'chromium',
  findChromium() !== undefined,
  INSTALL_CHROMIUM,
)('a page of another origin', () => {
  const folder = emptyFolder();
  let server: BuiltInServer;
  let site: Awaited<ReturnType<typeof startForeignSite>>;
  let browser: Browser;
  beforeAll(async () => {
    createSimpleDemo(join(folder.path, 'shop.db'));
    createSimpleDemo(join(folder.path, 'other.db'));
    cpSync(DEMOS.simple.layer, join(folder.path, 'semantic'), { recursive: true });
    server = await startBuiltIn({
      SVC_DATASOURCE_URL: `sqlite:${join(folder.path, 'shop.db')}`,
      SVC_SEMANTIC_DIR: join(folder.path, 'semantic'),
      DATABASE_URL: `sqlite:${join(folder.path, 'atlas.db')}`,
      SVC_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
      // Files may be connected: what keeps them from the page is its origin alone.
      SVC_CONNECTION_FILES_DIR: folder.path,
      SVC_ACTIONS_ENABLED: 'true',
      SVC_SCHEDULER_ENABLED: 'true',
      SVC_MCP_ENABLED: 'true',
      SVC_PROVIDER: 'offline',
    });
    site = await startForeignSite(join(folder.path, 'vite'));
    browser = await startBrowser(['evil.test']);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await site?.close();
    await server?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  /** A page at the address, whose content is the attacker's. */
  async function pageAt(address: string, script = ''): Promise<Page> {
    const page = await browser.newPage();
    const body = `<!doctype html><title>x</title>${script}`;
    await page.route(address, (route) => route.fulfill({ contentType: 'text/html', body }));
    await page.goto(address);
    return page;
  }

  const CALLS = (): readonly (readonly [string, string, unknown?])[] => [
    ['POST', '/api/v1/admin/connections', { id: 'stolen', url: `sqlite:${join(folder.path, 'other.db')}` }],
    ['PUT', '/api/v1/admin/semantic/raw/entities/stolen.yml', { content: ENTITY }],
    ['POST', '/api/v1/scheduled-tasks', { name: 'x', question: 'x', cronExpression: '* * * * *' }],
    ['POST', '/api/v1/admin/ip-allowlist', { cidr: '192.0.2.0/24' }],
    ['DELETE', '/api/v1/admin/connections/default'],
    ['GET', '/api/v1/admin/connections'],
    ['GET', '/api/v1/admin/audit'],
    ['GET', '/api/v1/admin/audit/export'],
    ['GET', '/api/v1/admin/semantic/entities'],
    ['GET', '/api/v1/admin/model-config'],
    ['GET', '/api/v1/conversations'],
    ['GET', '/sse'],
    ['POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }],
  ];

  /** What the page gets to read of each call, with `cors`, as a simple request, and without reading the answer. */
  function attack(page: Page, base: string) {
    return page.evaluate(
      async ([origin, calls]) => {
        const got: string[] = [];
        for (const [method, path, body] of calls) {
          for (const [mode, type] of [
            ['cors', 'application/json'],
            ['cors', 'text/plain'],
            ['no-cors', 'text/plain'],
          ] as const) {
            const init: RequestInit = { method, mode };
            if (body !== undefined)
              Object.assign(init, { body: JSON.stringify(body), headers: { 'content-type': type } });
            const answer = await fetch(`${origin}${path}`, init).then(
              async (response) => (response.type === 'opaque' ? 'unreadable' : String(response.status)),
              () => 'unreadable',
            );
            got.push(`${method} ${path} ${mode} ${type}: ${answer}`);
          }
        }
        return got;
      },
      [base, CALLS()] as const,
    );
  }

  /** What a form of the page can send without script. */
  async function sendForm(page: Page, action: string): Promise<number> {
    const answered = page.waitForResponse((response) => response.url() === action);
    await page.evaluate(`
      const form = document.body.appendChild(document.createElement('form'));
      Object.assign(form, { action: ${JSON.stringify(action)}, method: 'post', enctype: 'text/plain' }).submit();
    `);
    return (await answered).status();
  }

  const read = async (path: string) => (await fetch(new URL(path, server.url))).json();

  async function expectNothingChanged(): Promise<void> {
    const { connections } = (await read('/api/v1/admin/connections')) as { connections: { id: string }[] };
    expect(connections.map(({ id }) => id)).toEqual(['default']);
    expect(JSON.stringify(await read('/api/v1/admin/semantic/entities'))).not.toContain('stolen');
    expect(await read('/api/v1/scheduled-tasks')).toMatchObject({ total: 0 });
    expect(JSON.stringify(await read('/api/v1/admin/ip-allowlist'))).not.toContain('192.0.2');
  }

  it('changes nothing and reads no administration from another port', async () => {
    const page = await pageAt(`${site.url}/`);
    const got = await attack(page, server.url);
    expect(got).toHaveLength(CALLS().length * 3);
    expect(got.filter((line) => !line.endsWith(': unreadable'))).toEqual([]);
    for (const path of ['/api/v1/admin/audit/retention/purge', '/api/v1/admin/connections/default/test']) {
      const other = await pageAt(`${site.url}/`);
      expect([path, await sendForm(other, `${server.url}${path}`)]).toEqual([path, 403]);
      await other.close();
    }
    await expectNothingChanged();
    await page.close();
  });

  it('changes and reads nothing under a name that was made to lead to the server', async () => {
    const rebound = `http://evil.test:${new URL(server.url).port}`;
    const page = await pageAt(`${rebound}/`);
    const got = await attack(page, rebound);
    expect(got.filter((line) => !/: (403|unreadable)$/.test(line))).toEqual([]);
    expect(got.filter((line) => line.endsWith(': 403')).length).toBeGreaterThan(CALLS().length);
    expect(await page.evaluate(async (url) => (await fetch(url)).status, `${rebound}/api/health`)).toBe(403);
    await expectNothingChanged();
    await page.close();
  });

  it('may ask with the chat of the AI SDK', async () => {
    const page = await pageAt(`${site.url}/`, '<script type="module" src="/chat.js"></script>');
    await page.waitForFunction('window.isLoaded === true');
    const asked = await page.evaluate(
      `window.ask(${JSON.stringify(`${server.url}/api/v1/chat?stream=ui`)}, 'Revenue by region in 2025')`,
    );
    expect(asked).toMatchObject({ status: 'ready', error: undefined });
    expect((asked as { message: string }).message).toContain('Europe: 401,073.08 USD');
    await page.close();
  });
});
