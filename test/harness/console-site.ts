/** Starts the built-in server with its web console and two organizations, and opens its pages in a real browser. */
import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { createSimpleDemo, DEMOS } from '../../plugins/demo-data/index.ts';
import { startBrowser } from './browser.ts';
import { type BuiltInServer, startBuiltIn } from './built-in-server.ts';
import { emptyFolder } from './command.ts';
import { type Client, organization, setRole, userOf } from './managed-server.ts';

const ROOT = join(import.meta.dirname, '../..');

export const WIDE = { width: 1_280, height: 800 };
export const NARROW = { width: 360, height: 740 };

export interface Visit extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Broken policies, errors of scripts, requests to other hosts. */
  readonly complaints: string[];
  /** What axe objects to on the page as it is. */
  axe(): Promise<string[]>;
}

export interface ConsoleSite extends AsyncDisposable {
  readonly url: string;
  readonly folder: string;
  /** Administrators of an organization each, and a member of the first who may only ask. */
  readonly boss: Client;
  readonly other: Client;
  readonly viewer: Client;
  visit(path: string, client: Client, viewport?: { width: number; height: number }): Promise<Visit>;
}

/** As for the package: the test runner has set another environment, with which React brings its checks. */
function buildConsole(): void {
  const env = { ...process.env, NODE_ENV: 'production' };
  execFileSync(process.execPath, ['scripts/build-console.ts', '--if-changed'], { cwd: ROOT, env, stdio: 'ignore' });
}

async function axeFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate('axe.run(document, {resultTypes: ["violations"]}).then((r) => r.violations)');
  return (found as { id: string; nodes: { html: string; failureSummary: string }[] }[]).flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}

async function openPage(browser: Browser, url: string, client: Client, viewport = WIDE): Promise<Visit> {
  const { origin } = new URL(url);
  const context = await browser.newContext({ viewport });
  const cookies = [...client.cookies].map(([name, value]) => ({ name, value, url: origin }));
  await context.addCookies(cookies);
  context.setDefaultTimeout(15_000);
  const complaints: string[] = [];
  await context.exposeFunction('complain', (text: string) => complaints.push(text));
  await context.addInitScript(
    `addEventListener('securitypolicyviolation', (event) => complain(event.effectiveDirective + ' ' + event.blockedURI))`,
  );
  const page = await context.newPage();
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('request', (request) => {
    const asked = new URL(request.url());
    const isInside = asked.protocol === 'blob:' || asked.protocol === 'data:';
    if (!isInside && asked.origin !== origin) complaints.push(asked.href);
  });
  page.on('dialog', (dialog) => {
    complaints.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(url);
  return { page, context, complaints, axe: () => axeFindings(page), [Symbol.asyncDispose]: () => context.close() };
}

/** An administrator with an organization of their own. */
async function founderOf(server: BuiltInServer, root: Client, email: string, slug: string): Promise<Client> {
  const founder = await userOf(server, email);
  await setRole(root, await idOfUser(root, email), 'admin');
  await organization(founder, 'create', { name: slug, slug });
  return founder;
}

async function idOfUser(root: Client, email: string): Promise<string> {
  const { body } = await root.send(`/api/v1/admin/users?search=${encodeURIComponent(email)}`);
  return body.users[0].id;
}

export async function startConsoleSite(env: Readonly<Record<string, string>> = {}): Promise<ConsoleSite> {
  buildConsole();
  const folder = emptyFolder();
  createSimpleDemo(join(folder.path, 'shop.db'));
  cpSync(DEMOS.simple.layer, join(folder.path, 'semantic'), { recursive: true });
  const server = await startBuiltIn({
    SVC_SEMANTIC_DIR: join(folder.path, 'semantic'),
    SVC_DATASOURCE_URL: `sqlite:${join(folder.path, 'shop.db')}`,
    SVC_CONNECTION_FILES_DIR: folder.path,
    DATABASE_URL: `sqlite:${join(folder.path, 'atlas.db')}`,
    AUTHLIB_SECRET: 's'.repeat(40),
    SVC_PROVIDER: 'offline',
    SVC_ACTIONS_ENABLED: 'true',
    SVC_SCHEDULER_ENABLED: 'true',
    ...env,
  });
  const browser = await startBrowser([]);
  const root = await userOf(server, 'root@example.com');
  const boss = await founderOf(server, root, 'boss@example.com', 'acme');
  const other = await founderOf(server, root, 'other@example.com', 'foreign');
  const viewer = await userOf(server, 'viewer@example.com');
  const invited = await boss.send('/api/v1/admin/users/invitations', {
    body: { email: 'viewer@example.com', role: 'viewer' },
  });
  await organization(viewer, 'accept-invitation', { invitationId: invited.body.id });
  return {
    url: server.url,
    folder: folder.path,
    boss,
    other,
    viewer,
    visit: (path, client, viewport) => openPage(browser, server.url + path, client, viewport),
    async [Symbol.asyncDispose]() {
      await browser.close();
      await server[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}
