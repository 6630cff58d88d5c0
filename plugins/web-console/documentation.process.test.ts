/** The documentation site in a real browser, built by VitePress. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApp, definePlugin, httpRoutes } from '../../kernel/index.ts';
import { NAVIGATION } from '../../scripts/docs-site/navigation.ts';
import { siteFaults } from '../../scripts/docs-site/site-faults.ts';
import { findChromium, INSTALL_CHROMIUM, startBrowser } from '../../test/harness/browser.ts';
import { emptyFolder } from '../../test/harness/command.ts';
import { isWithinWindow, NARROW, openConsole } from '../../test/harness/console-page.ts';
import { observed } from '../../test/harness/observed-apps.ts';
import { suiteNeeding } from '../../test/harness/require.ts';
import { authNone } from '../auth-none/index.ts';
import { http } from '../http/index.ts';
import { openapi } from '../openapi/index.ts';
import { BuiltFiles } from './built-files.ts';
import { documentationRoutes } from './documentation.ts';

const ROOT = join(import.meta.dirname, '../..');
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const OTHER_VERSION = 'https://docs.example.com/0.0.9/';
const folder = emptyFolder();
let browser: Browser;

function buildSite(): string {
  const output = join(folder.path, 'docs');
  const args = ['scripts/build-docs.ts', '--out', output, '--version', `0.0.9=${OTHER_VERSION}`];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return output;
}

async function startServer(site: string) {
  const files = BuiltFiles.in([pathToFileURL(join(site, '/'))]);
  const documentation = definePlugin({
    name: 'documentation',
    version: '1.0.0',
    type: 'interaction',
    description: 'Serves the documentation.',
    setup: (ctx) => ctx.tap(httpRoutes, () => documentationRoutes(files)),
  });
  const silent = () => {};
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  return observed(() => createApp({ plugins: [http({ port: 0 }), openapi(), authNone(), documentation()] }, { log }));
}

it('a build is refused for a dead link, another host, and what the policy would not let run', () => {
  using bad = emptyFolder();
  const page = `<script src="https://cdn.example.com/x.js"></script><p style="color:red">
    <a href="/docs/other.html">1</a><a href="#nowhere">2</a><a href="../up.html">3</a><a href="https://example.com">4</a>`;
  writeFileSync(join(bad.path, 'index.html'), page);
  expect(siteFaults(bad.path, '/docs/')).toEqual([
    'index.html: src https://cdn.example.com/x.js is not of this site',
    ...['/docs/other.html', '#nowhere', '../up.html'].map((link) => `index.html: the link ${link} leads nowhere`),
    'index.html: <p style="color:red"> would be refused by the policy of the server',
  ]);
});

suiteNeeding(
  'chromium',
  findChromium() !== undefined,
  INSTALL_CHROMIUM,
)('the documentation as a site', () => {
  let app: Awaited<ReturnType<typeof startServer>>;
  beforeAll(async () => {
    app = await startServer(buildSite());
    browser = await startBrowser([]);
  }, 600_000);
  afterAll(async () => {
    await browser?.close();
    await app?.close();
    folder[Symbol.dispose]();
  });
  /** The page once its scripts have taken it over. */
  const open = async (path: string, options = {}) => {
    const shown = await openConsole(browser, `${app.get(http).url()}${path}`, options);
    await expect.poll(() => shown.page.evaluate("document.querySelector('#app').__vue_app__ !== undefined")).toBe(true);
    return shown;
  };

  it('leads each kind of reader to a first page, and says which version it is of', async () => {
    await using shown = await open('/docs/');
    const { page, complaints } = shown;
    for (const {
      title,
      summary,
      pages: [first = ''],
    } of NAVIGATION) {
      await page.getByRole('article').filter({ hasText: summary }).click();
      const heading = /^# (.*)$/m.exec(readFileSync(join(ROOT, first), 'utf8'))?.[1] ?? '';
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      expect(await page.locator('aside').getByRole('heading', { name: title }).isVisible()).toBe(true);
      await page.goBack();
    }
    await page.getByRole('button', { name: version }).hover();
    expect(await page.getByRole('link', { name: '0.0.9' }).getAttribute('href')).toBe(OTHER_VERSION);
    expect(complaints).toEqual([]);
  });

  it('finds a word of a page without a server, and goes to its place', async () => {
    await using shown = await open('/docs/actions.html');
    const { page, complaints } = shown;
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill('kubernetes');
    await page.getByRole('listbox').getByText('Kubernetes').first().waitFor();
    await page.getByRole('button', { name: /detailed list/i }).click();
    await page.getByRole('listbox').getByText('kubectl').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/docs\/deployment\.html#kubernetes$/);
    expect(complaints).toEqual([]);
  });

  it('is light or dark as the reader chooses, also after a reload', async () => {
    await using shown = await open('/docs/writing-a-datasource.html');
    const { page, complaints } = shown;
    const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const word = () => page.evaluate("getComputedStyle(document.querySelector('.language-sh code span span')).color");
    const light = [await background(), await word()];
    await page.getByRole('switch', { name: 'Switch to dark theme' }).first().click();
    await expect.poll(background).not.toBe(light[0]);
    expect(await word()).not.toBe(light[1]);
    const dark = await background();
    await page.reload();
    expect(await background()).toBe(dark);
    expect(complaints).toEqual([]);
  });

  it.each([
    'README.html',
    'plugins.html',
    'http-api.html',
    'plugins/README.html',
    'plugins/audit/README.html',
    '404.html',
  ])('%s has nothing that its policy refuses, nor of another host, and fits a small window', async (path) => {
    await using shown = await open(`/docs/${path}`, { viewport: NARROW });
    const { page, complaints } = shown;
    expect(await page.getByRole('heading').first().isVisible()).toBe(true);
    expect(await isWithinWindow(page)).toBe(true);
    expect(complaints).toEqual([]);
  });
});
