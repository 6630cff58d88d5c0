/** Opens pages of the web console in a real browser, and collects whatever there is to complain about. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** Builds the console unless it has been built from these sources. */
export function buildConsole(): void {
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'scripts/build-console.ts'), '--if-changed'], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
}

export interface ConsolePage extends AsyncDisposable {
  readonly page: Page;
  /** Broken policies, failures of scripts, warnings of libraries, requests to other hosts. */
  readonly complaints: string[];
}

/** Answers of the server with an error status are shown on the page. */
const EXPECTED = /^Failed to load resource/;

export async function openConsole(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<ConsolePage> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 800 }, locale: 'en-US', ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (message) => {
    if (!EXPECTED.test(message.text())) complaints.push(message.text());
  });
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!/^(?:data|blob):/.test(request.url()) && new URL(request.url()).origin !== new URL(url).origin) {
      complaints.push(`request to ${request.url()}`);
    }
  });
  await page.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
    console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI));`);
  await page.goto(url);
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
}

/** What axe finds wrong on the page as it is now, one line for each element. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(`axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => id + ' ' + target.join(' ') + ' ' + failureSummary)))`);
}

/** Whether the page is no wider than the window. */
export async function isWithinWindow(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth <= innerWidth');
}
