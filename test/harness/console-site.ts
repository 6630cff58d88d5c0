/** Starts the built-in server with its web console and two organizations, and opens its pages as their people. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { createSimpleDemo, DEMOS } from '../../plugins/demo-data/index.ts';
import { startBrowser } from './browser.ts';
import { type BuiltInServer, startBuiltIn } from './built-in-server.ts';
import { emptyFolder } from './command.ts';
import { buildConsole, type ConsolePage, type OpenOptions, openConsole } from './console-page.ts';
import { type Client, organization, setRole, userOf } from './managed-server.ts';

export interface ConsoleSite extends AsyncDisposable {
  readonly url: string;
  readonly folder: string;
  /** An administrator of the platform, who belongs to no organization. */
  readonly root: Client;
  /** Administrators of an organization each, and a member of the first who may only ask. */
  readonly boss: Client;
  readonly other: Client;
  readonly viewer: Client;
  visit(path: string, client: Client, options?: OpenOptions): Promise<ConsolePage>;
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
    SVC_LEARN_CASES_DIR: join(folder.path, 'cases'),
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
    root,
    boss,
    other,
    viewer,
    visit: (path, { cookies }, options) => openConsole(browser, server.url + path, { cookies, ...options }),
    async [Symbol.asyncDispose]() {
      await browser.close();
      await server[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}
