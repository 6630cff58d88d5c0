/** Starts the built-in composition with callers of every kind, for tests of the admin API as a whole. */
import { randomUUID } from 'node:crypto';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { readEnv } from '../../config/env.ts';
import { selfHosted } from '../../config/presets/self-hosted.ts';
import type { Route } from '../../kernel/index.ts';
import { authApiKey } from '../../plugins/auth-api-key/index.ts';
import { createSimpleDemo, DEMOS } from '../../plugins/demo-data/index.ts';
import { http } from '../../plugins/http/index.ts';
import { emptyFolder } from './command.ts';
import { createTestApp, type InjectedRequest, type TestApp } from './create-test-app.ts';
import { type HttpReceiver, startHttpReceiver } from './http-receiver.ts';
import { type OpenAIServer, startOpenAIServer } from './openai-server.ts';

export const MODES = ['none', 'api-key', 'managed'] as const;
export type Mode = (typeof MODES)[number];

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
  readonly text: string;
}

export interface AdminServer extends AsyncDisposable {
  readonly app: TestApp;
  readonly mode: Mode;
  /** A folder of its own: `shop.db` is the datasource, `semantic` the layer. */
  readonly folder: string;
  /** The address of the model, and of the chat platforms. */
  readonly model: OpenAIServer;
  readonly platform: HttpReceiver;
  routes(): readonly Route[];
  /**
   * Credentials by caller; sign-ups add to it. `anonymous` sends none, which in the mode `none` is an administrator;
   * `viewer`, `analyst` and `admin` are those of API keys.
   */
  readonly callers: Map<string, Record<string, string>>;
  send(caller: string, method: InjectedRequest['method'], url: string, sent?: Sent): Promise<Reply>;
  /** Signs a user up and in, who is then a caller; resolves to the user's id. */
  signUp(name: string): Promise<string>;
  signIn(name: string, password?: string): Promise<void>;
}

export interface Sent {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export const PASSWORD = 'correct horse battery';
const KEY_ROLES = ['viewer', 'analyst', 'admin'] as const;
const keyOf = (role: string) => `key-of-the-${role}-${'x'.repeat(20)}`;

/** Answers what the chat platforms answer about a bot whose token is valid. */
const BOT = {
  ok: true,
  id: '1099511627776',
  username: 'atlas-bot',
  bot: true,
  name: 'atlas-bot',
  user: 'atlas-bot',
  user_id: 'U012AB3CD',
  bot_id: 'B012AB3CD',
  team: 'Atlas',
  team_id: 'T012AB3CD',
  verify_key: 'ab'.repeat(32),
  access_token: 'token',
  token_type: 'Bearer',
  expires_in: 3_600,
};

export interface AdminServerOptions {
  readonly mode: Mode;
  /** URL of the internal database; without it there is none. */
  readonly database?: string | undefined;
  readonly env?: Readonly<Record<string, string>>;
}

export async function startAdminServer({ mode, database, env = {} }: AdminServerOptions): Promise<AdminServer> {
  const folder = emptyFolder();
  createSimpleDemo(join(folder.path, 'shop.db'));
  cpSync(DEMOS.simple.layer, join(folder.path, 'semantic'), { recursive: true });
  const model = await startOpenAIServer({ respond: () => ({ text: 'Done.' }) });
  const platform = await startHttpReceiver((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(BOT)),
  );
  const { env: read } = readEnv({
    PORT: '0',
    SVC_SEMANTIC_DIR: join(folder.path, 'semantic'),
    SVC_DATASOURCE_URL: `sqlite:${join(folder.path, 'shop.db')}`,
    SVC_PROVIDER: 'offline',
    SVC_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    SVC_ACTIONS_ENABLED: 'true',
    SVC_SCHEDULER_ENABLED: 'true',
    SVC_ALLOW_PRIVATE_URLS: `${new URL(model.url).host},${platform.host}`,
    SVC_SLACK_API_URL: `${platform.url}/api/`,
    SVC_DISCORD_API_URL: `${platform.url}/api/`,
    SVC_TEAMS_API_URL: `${platform.url}/api/`,
    SVC_CONNECTION_FILES_DIR: folder.path,
    SVC_DEPLOY_MODE: 'hosted',
    SVC_BACKUP_DIR: join(folder.path, 'backups'),
    ...(database !== undefined && { DATABASE_URL: database }),
    ...(mode === 'api-key' && { SVC_API_KEY: keyOf('admin') }),
    ...(mode === 'managed' && { AUTHLIB_SECRET: 's'.repeat(40) }),
    ...env,
  });
  const plugins = selfHosted(read).map((entry) =>
    entry.definition === authApiKey.definition
      ? authApiKey({ keys: KEY_ROLES.map((role) => ({ key: keyOf(role), role })) })
      : entry,
  );
  const app = await createTestApp({ plugins, openGates: false, now: () => Date.now(), timeoutMs: 60_000 });
  const callers = new Map<string, Record<string, string>>([['anonymous', {}]]);
  if (mode === 'api-key') for (const role of KEY_ROLES) callers.set(role, { authorization: `Bearer ${keyOf(role)}` });

  const send: AdminServer['send'] = async (caller, method, url, { body, headers = {} } = {}) => {
    const credentials = callers.get(caller);
    if (credentials === undefined) throw new Error(`There is no caller ${caller}.`);
    const answer = await app.inject({
      method,
      url,
      headers: { ...credentials, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const isJson = String(answer.headers['content-type'] ?? '').startsWith('application/json');
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text: answer.body,
      body: isJson && answer.body !== '' ? answer.json() : undefined,
    };
  };
  const server: AdminServer = {
    app,
    mode,
    folder: folder.path,
    model,
    platform,
    routes: () =>
      app
        .get(http)
        .routes()
        .map(({ value }) => value),
    callers,
    send,
    async signUp(name) {
      const account = { email: `${name}@example.com`, password: PASSWORD, name };
      const { body } = await succeeded(send('anonymous', 'POST', '/api/auth/sign-up/email', { body: account }));
      await server.signIn(name);
      return body.user.id;
    },
    async signIn(name, password = PASSWORD) {
      const account = { email: `${name}@example.com`, password };
      const { body } = await succeeded(send('anonymous', 'POST', '/api/auth/sign-in/email', { body: account }));
      callers.set(name, { authorization: `Bearer ${body.token}` });
    },
    async [Symbol.asyncDispose]() {
      await app.close();
      await platform[Symbol.asyncDispose]();
      await model.close();
      folder[Symbol.dispose]();
    },
  };
  return server;
}

/** The reply, which has to be a success. */
export async function succeeded(reply: Promise<Reply>): Promise<Reply> {
  const { status, text } = await reply;
  if (status >= 300) throw new Error(`The call failed with ${status}: ${text}`);
  return reply;
}

/** Signs up an administrator with an organization of their own; resolves to the organization's id. */
export async function foundOrganization(server: AdminServer, owner: string, slug: string): Promise<string> {
  const id = await server.signUp(owner);
  await succeeded(server.send('boss', 'PATCH', `/api/v1/admin/users/${id}/role`, { body: { role: 'admin' } }));
  const body = { name: slug, slug };
  return (await succeeded(server.send(owner, 'POST', '/api/auth/organization/create', { body }))).body.id;
}

/** Signs up a member of the owner's organization; resolves to the user's id. */
export async function addMember(server: AdminServer, owner: string, name: string, role = 'member'): Promise<string> {
  const id = await server.signUp(name);
  const body = { email: `${name}@example.com`, role };
  const invited = await succeeded(server.send(owner, 'POST', '/api/auth/organization/invite-member', { body }));
  const accepted = { invitationId: invited.body.id };
  await succeeded(server.send(name, 'POST', '/api/auth/organization/accept-invitation', { body: accepted }));
  return id;
}

/** A name that no other call returns. */
export const uniqueName = (prefix: string): string => `${prefix}-${randomUUID().slice(0, 8)}`;
