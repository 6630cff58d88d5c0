/** Opens pages of the web console in a real browser, and collects whatever there is to complain about. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

export const WIDE = { width: 1_280, height: 800 };
export const NARROW = { width: 360, height: 740 };

/** Builds the console unless it has been built from these sources. */
export function buildConsole(): void {
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'scripts/build-console.ts'), '--if-changed'], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
}

export interface ConsolePage extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Broken policies, failures of scripts, messages of libraries, dialogs, requests to other hosts, calls outside the interface. */
  readonly complaints: string[];
}

export interface OpenOptions extends BrowserContextOptions {
  /** Opens another tab of an open browser. */
  readonly shared?: BrowserContext;
  /** The cookies of somebody who has signed in. */
  readonly cookies?: ReadonlyMap<string, string>;
}

/** Answers of the server with an error status are shown on the page. */
const EXPECTED = /^Failed to load resource/;

/** Whether the description of a server's interface has a call; a page that is served alone has none. */
async function describedCalls(origin: string): Promise<(method: string, path: string) => boolean> {
  const response = await fetch(`${origin}/api/v1/openapi.json`);
  if (response.headers.get('content-type')?.startsWith('application/json') !== true) return () => false;
  const { paths } = (await response.json()) as { paths: Readonly<Record<string, object>> };
  const forms = Object.entries(paths).map(([path, methods]) => ({
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
    methods: new Set(Object.keys(methods)),
  }));
  return (method, path) =>
    forms.some(({ pattern, methods }) => pattern.test(path) && methods.has(method.toLowerCase()));
}

/** Collects what a page has to complain about. */
export async function watchPage(page: Page, origin: string): Promise<string[]> {
  const complaints: string[] = [];
  const isDescribed = await describedCalls(origin);
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (message) => {
    if (!EXPECTED.test(message.text())) complaints.push(message.text());
  });
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (/^(?:data|blob):/.test(request.url())) return;
    const { origin: to, pathname } = new URL(request.url());
    if (to !== origin) complaints.push(`request to ${request.url()}`);
    else if (pathname.startsWith('/api/') && !isDescribed(request.method(), pathname)) {
      complaints.push(`a call that is not described: ${request.method()} ${pathname}`);
    }
  });
  await page.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
    console.error('policy: ' + event.effectiveDirective + ' ' + event.blockedURI + ' ' + event.sample));`);
  return complaints;
}

export async function openConsole(
  browser: Browser,
  url: string,
  { shared, cookies = new Map(), ...options }: OpenOptions = {},
): Promise<ConsolePage> {
  const { origin } = new URL(url);
  const context = shared ?? (await browser.newContext({ viewport: WIDE, locale: 'en-US', ...options }));
  context.setDefaultTimeout(30_000);
  await context.addCookies([...cookies].map(([name, value]) => ({ name, value, url: origin })));
  const page = await context.newPage();
  const complaints = await watchPage(page, origin);
  await page.goto(url);
  return { page, context, complaints, [Symbol.asyncDispose]: () => context.close() };
}

/** What axe finds wrong on the page as it is now, one line for each element. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  if ((await page.evaluate('globalThis.axe === undefined')) === true) await page.evaluate(axe.source);
  return page.evaluate(`axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => id + ' ' + target.join(' ') + ' ' + failureSummary)))`);
}

/** Whether the page is no wider than the window. */
export async function isWithinWindow(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth <= innerWidth');
}
