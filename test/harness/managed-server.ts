/** A server with managed authentication on a real database, and browsers and API clients that call it. */
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { afterAll } from 'vitest';
import { definePlugin, httpRoutes, type PluginEntry, type Route } from '../../kernel/index.ts';
import { adminMe } from '../../plugins/admin-me/index.ts';
import { adminRoles } from '../../plugins/admin-roles/index.ts';
import { adminUsers } from '../../plugins/admin-users/index.ts';
import { authManaged } from '../../plugins/auth-managed/index.ts';
import { authRoles } from '../../plugins/auth-roles/index.ts';
import { http } from '../../plugins/http/index.ts';
import { internalDb } from '../../plugins/internal-db/index.ts';
import { createTestApp, type TestApp } from './create-test-app.ts';
import { connectTo, type Dialect } from './internal-databases.ts';
import { createPostgresDatabase } from './postgres-database.ts';

export const SECRET = 'a secret of more than thirty-two characters';
export const PASSWORD = 'correct horse battery';

/** What the tests call with an identity: who is it, change something, something for administrators. */
const probe = definePlugin({
  name: 'probe',
  version: '1.0.0',
  type: 'core',
  description: 'Says who asks.',
  setup(ctx) {
    const route = (method: Route['method'], path: string, right: Route['right']): Route => ({
      method,
      path,
      summary: path,
      tag: 'Probe',
      right,
      responses: { 200: Type.Unknown() },
      handle: (_request, { actor, orgId }) => ({ body: { actor, orgId } }),
    });
    ctx.tap(httpRoutes, () => [
      route('GET', '/api/v1/whoami', 'query'),
      route('POST', '/api/v1/change', 'query'),
      route('DELETE', '/api/v1/change', 'query'),
      route('GET', '/api/v1/admin/only', 'admin'),
    ]);
  },
});

type ManagedOptions = Partial<Parameters<typeof authManaged>[0]>;

export async function startServer(
  url: string,
  options: ManagedOptions = {},
  more: PluginEntry[] = [],
  server: Parameters<typeof http>[0] = {},
  now?: () => number,
): Promise<TestApp & { url: string; database: string }> {
  const app = await createTestApp({
    plugins: [
      http({ port: 0, ...server }),
      internalDb({ url, deriveFrom: SECRET }),
      authRoles(),
      authManaged({ secret: SECRET, ...options }),
      adminMe(),
      adminUsers(),
      adminRoles(),
      probe(),
      ...more,
    ],
    openGates: false,
    timeoutMs: 60_000,
    ...(now !== undefined && { now }),
  });
  return Object.assign(app, { url: app.get(http).url(), database: url });
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

export interface Sent {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** Keeps cookies like a browser; sends what it is told like a script. */
export class Client {
  readonly cookies = new Map<string, string>();
  readonly #url: string;
  token: string | undefined;

  constructor(server: { url: string }, token?: string) {
    this.#url = server.url;
    this.token = token;
  }

  async send(path: string, { method, body, headers = {} }: Sent = {}): Promise<Answer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(this.#url + path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      redirect: 'manual',
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(cookie !== '' && { cookie }),
        ...(this.token !== undefined && { authorization: `Bearer ${this.token}` }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0/i.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    const text = await response.text();
    const json = response.headers.get('content-type')?.includes('json') === true;
    return { status: response.status, headers: response.headers, body: json && text !== '' ? JSON.parse(text) : text };
  }

  signUp(email: string, password = PASSWORD, more: object = {}): Promise<Answer> {
    return this.send('/api/auth/sign-up/email', { body: { email, password, name: 'Somebody', ...more } });
  }

  signIn(email: string, password = PASSWORD, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('/api/auth/sign-in/email', { body: { email, password }, headers });
  }

  whoami(): Promise<Answer> {
    return this.send('/api/v1/whoami');
  }
}

/** Signs up and in; the client then has the session's cookie. */
export async function userOf(server: { url: string }, email: string, password = PASSWORD): Promise<Client> {
  const client = new Client(server);
  await client.signUp(email, password);
  const { status, body } = await client.signIn(email, password);
  if (status !== 200) throw new Error(`Sign-in failed: ${JSON.stringify(body)}`);
  return client;
}

/** Databases of both kinds for a test file: `url` makes an empty one, `connect` looks into it. */
export function databases() {
  const files: string[] = [];
  const open: Knex[] = [];
  afterAll(async () => {
    for (const instance of open) await instance.destroy();
    for (const file of files) for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
  });
  const connect = (url: string): Knex => {
    const instance = connectTo(url);
    open.push(instance);
    return instance;
  };
  return {
    connect,
    async url(dialect: Dialect): Promise<string> {
      if (dialect === 'postgres') return createPostgresDatabase();
      const file = join(tmpdir(), `auth_${randomUUID()}.db`);
      files.push(file);
      return `sqlite:${file}`;
    },
  };
}

/** Routes of users, for administrators. */
export const USERS = '/api/v1/admin/users';

export const idOf = async (client: Client): Promise<string> => (await client.whoami()).body.actor.id;

export const setRole = (by: Client, id: string, role: string): Promise<Answer> =>
  by.send(`${USERS}/${id}/role`, { method: 'PATCH', body: { role } });

/** Calls an endpoint of organizations. */
export const organization = (client: Client, path: string, body: object): Promise<Answer> =>
  client.send(`/api/auth/organization/${path}`, { body });

/** Invites a user to the active organization, who accepts. */
export async function invite(by: Client, who: Client, email: string, role = 'member'): Promise<void> {
  const { body } = await organization(by, 'invite-member', { email, role });
  const { status } = await organization(who, 'accept-invitation', { invitationId: body.id });
  if (status !== 200) throw new Error(`The invitation was not accepted: ${status}`);
}
