/**
 * Checks who may do what: every route of the built-in composition, for every role, in every authentication mode. The
 * routes come from the server itself, so that a new one is checked too; who may call them stands in a table here.
 */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { afterAll, describe, expect, it } from 'vitest';
import { readEnv } from '../../config/env.ts';
import { selfHosted } from '../../config/presets/self-hosted.ts';
import type { Route } from '../../kernel/index.ts';
import { authApiKey } from '../../plugins/auth-api-key/index.ts';
import { http } from '../../plugins/http/index.ts';
import { internalDb } from '../../plugins/internal-db/index.ts';
import { emptyFolder } from '../harness/command.ts';
import { createTestApp, type TestApp } from '../harness/create-test-app.ts';

const CALLERS = ['nobody', 'viewer', 'analyst', 'admin'] as const;
type Caller = (typeof CALLERS)[number];

const EVERYONE: readonly Caller[] = CALLERS;
const SIGNED_IN: readonly Caller[] = ['viewer', 'analyst', 'admin'];
const APPROVERS: readonly Caller[] = ['analyst', 'admin'];
const ADMINS: readonly Caller[] = ['admin'];

/**
 * Who may call what: what the product promises, written by hand and never taken from the routes. The first row that fits
 * counts; a route that no row fits fails the test.
 */
const ALLOWED: readonly (readonly [route: RegExp, callers: readonly Caller[]])[] = [
  [/^GET \/api\/health(\/(live|ready))?$/, EVERYONE],
  [/^GET \/api\/v1\/openapi\.json$/, EVERYONE],
  // The authentication library itself looks after sessions of people here.
  [/^(GET|POST) \/api\/auth\/(ok|error|get-session|sign-(in|up|out)(\/\w+)?|callback\/:id)$/, EVERYONE],
  // Pages that links in mails lead to, and what is done there: the token of the link is the proof.
  [/^GET \/api\/auth\/organization\/accept-invitation$/, EVERYONE],
  [/^(GET|POST) \/api\/auth\/(request-password-reset|reset-password|confirm-email)$/, EVERYONE],
  // Identity providers and their browsers come without a session; provisioning brings a token of its own.
  [/^\w+ \/api\/auth\/(scim\/v2|sso\/(callback|saml2))\//, EVERYONE],
  [/^(GET|POST) \/api\/auth\//, SIGNED_IN],
  [/^\w+ \/api\/(v1\/)?chat(\/|$)/, SIGNED_IN],
  [/^POST \/api\/v1\/query$/, SIGNED_IN],
  [/^GET \/api\/v1\/me$/, SIGNED_IN],
  [/^POST \/api\/v1\/sql$/, APPROVERS],
  [/^\w+ \/api\/v1\/conversations(\/|$)/, SIGNED_IN],
  [/^\w+ \/api\/v1\/shares(\/|$)/, SIGNED_IN],
  [/^GET \/api\/v1\/usage$/, SIGNED_IN],
  [/^GET \/api\/v1\/prompts$/, SIGNED_IN],
  [/^GET \/api\/v1\/actions(\/:id)?$/, SIGNED_IN],
  [/^POST \/api\/v1\/actions\/:id\/(approve|deny)$/, APPROVERS],
  [/^\w+ \/api\/v1\/scheduled-tasks(\/|$)/, SIGNED_IN],
  [/^\w+ \/api\/v1\/admin\/me\//, SIGNED_IN],
  [/^\w+ \/api\/v1\/admin\//, ADMINS],
];

interface Mode extends AsyncDisposable {
  readonly app: TestApp;
  /** Headers of a caller; 'nobody' has none. */
  readonly headers: Readonly<Record<Exclude<Caller, 'nobody'>, Record<string, string>>>;
  /** New headers, after a call that ended the caller's session. */
  renew?(role: Exclude<Caller, 'nobody'>): Promise<Record<string, string>>;
}

const folder = emptyFolder();
afterAll(() => folder[Symbol.dispose]());

let databases = 0;

function preset(env: Readonly<Record<string, string>>) {
  databases += 1;
  const DATABASE_URL = `sqlite:${join(folder.path, `${databases}.db`)}`;
  const SVC_SEMANTIC_DIR = join(import.meta.dirname, '../../semantic');
  return selfHosted(readEnv({ PORT: '0', SVC_SEMANTIC_DIR, DATABASE_URL, SVC_PROVIDER: 'offline', ...env }).env);
}

const start = (plugins: ReturnType<typeof preset>) => createTestApp({ plugins, openGates: false, now: new Date() });

async function apiKey(): Promise<Mode> {
  const key = (role: string) => `key-of-the-${role}-${'x'.repeat(20)}`;
  const roles = ['viewer', 'analyst', 'admin'] as const;
  const plugins = preset({ SVC_API_KEY: 'unused-unused-unused' }).map((entry) =>
    entry.definition === authApiKey.definition
      ? authApiKey({ keys: roles.map((role) => ({ key: key(role), role })) })
      : entry,
  );
  const app = await start(plugins);
  return {
    app,
    headers: {
      viewer: { authorization: `Bearer ${key('viewer')}` },
      analyst: { 'x-api-key': key('analyst') },
      admin: { authorization: `bearer ${key('admin')}` },
    },
    [Symbol.asyncDispose]: () => app.close(),
  };
}

async function byot(): Promise<Mode> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = { ...(publicKey as KeyObject).export({ format: 'jwk' }), kid: 'one', alg: 'ES256' };
  const issuer = createServer((_, response) => response.end(JSON.stringify({ keys: [jwk] })));
  await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`;
  const token = (role: string) =>
    new SignJWT({ role })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setSubject(`the ${role}`)
      .setIssuer(url)
      .setExpirationTime('5m')
      .sign(privateKey);
  const bearer = async (role: string) => ({ authorization: `Bearer ${await token(role)}` });
  const app = await start(preset({ SVC_AUTH_JWKS_URL: `${url}/keys`, SVC_AUTH_ISSUER: url }));
  return {
    app,
    headers: { viewer: await bearer('viewer'), analyst: await bearer('analyst'), admin: await bearer('admin') },
    async [Symbol.asyncDispose]() {
      await app.close();
      issuer.close();
    },
  };
}

async function managed(): Promise<Mode> {
  const app = await start(preset({ AUTHLIB_SECRET: 's'.repeat(40) }));
  const post = (url: string, payload: object) => app.inject({ method: 'POST', url: `/api/auth${url}`, payload });
  const account = (role: string) => ({ email: `${role}@example.com`, password: 'correct horse battery' });
  const signIn = async (role: string) => {
    const { headers } = await post('/sign-in/email', account(role));
    return { authorization: `Bearer ${String(headers['set-auth-token'])}` };
  };
  const signUp = async (role: string) => {
    await post('/sign-up/email', { ...account(role), name: role });
    await app.get(internalDb).run((db) =>
      db('auth_user')
        .where({ email: account(role).email })
        .update({ role }),
    );
    return signIn(role);
  };
  return {
    app,
    headers: { admin: await signUp('admin'), analyst: await signUp('analyst'), viewer: await signUp('viewer') },
    renew: signIn,
    [Symbol.asyncDispose]: () => app.close(),
  };
}

/** Calls that may end the session they are made with. */
const ENDS_SESSION = /sign-out|revoke/;

const nameOf = ({ method, path }: Route) => `${method} ${path}`;

/** Without a body and with unknown ids: what is let in fails later, for another reason. */
async function isLetIn(app: TestApp, { method, path }: Route, headers: Record<string, string>): Promise<boolean> {
  const url = path.replaceAll(/:(\w+)/g, '00000000-0000-4000-8000-000000000000').replace('*', 'x');
  const { statusCode, body } = await app.inject({ method, url, headers });
  return ![401, 403].includes(statusCode) || JSON.parse(body).error !== 'auth_error';
}

describe.each([
  ['api-key', apiKey],
  ['byot', byot],
  ['managed', managed],
] as const)('in the mode %s', (_, open) => {
  it('every route admits exactly the callers with its right', async () => {
    await using mode = await open();
    const routes = mode.app
      .get(http)
      .routes()
      .map(({ value }) => value)
      .filter(({ page }) => page !== true);
    expect(routes.length).toBeGreaterThan(12);
    const current = { ...mode.headers };
    const wrong: string[] = [];
    for (const route of routes) {
      const callers = ALLOWED.find(([pattern]) => pattern.test(nameOf(route)))?.[1];
      if (callers === undefined) wrong.push(`${nameOf(route)} is in no row of the table`);
      for (const caller of CALLERS) {
        const headers = caller === 'nobody' ? {} : current[caller];
        const isAllowed = callers?.includes(caller) ?? false;
        if ((await isLetIn(mode.app, route, headers)) !== isAllowed) {
          wrong.push(`${nameOf(route)}: ${caller} is ${isAllowed ? 'refused' : 'let in'}`);
        }
        if (caller !== 'nobody' && ENDS_SESSION.test(route.path) && mode.renew !== undefined) {
          current[caller] = await mode.renew(caller);
        }
      }
    }
    expect(wrong).toEqual([]);
  });
});

it('a user who has to change the password first may do nothing else', async () => {
  const env = { AUTHLIB_SECRET: 's'.repeat(40), SVC_ADMIN_EMAIL: 'boss@example.com', SVC_METRICS_ENABLED: 'true' };
  await using app = await start(preset(env));
  const signIn = await app.inject({
    method: 'POST',
    url: '/api/auth/sign-in/email',
    payload: { email: 'boss@example.com', password: 'atlas-dev-admin' },
  });
  const cookies = ([signIn.headers['set-cookie'] ?? []].flat() as string[]).map((cookie) => cookie.split(';', 1)[0]);
  const ways = [{ authorization: `Bearer ${signIn.json<{ token: string }>().token}` }, { cookie: cookies.join('; ') }];
  for (const { value: route } of app.get(http).routes()) {
    const allowed = route.right === 'public' || /^\/api\/v1\/admin\/me\/password/.test(route.path);
    // Sign-out would end the session.
    for (const headers of route.path === '/api/auth/sign-out' ? [] : ways) {
      const url = route.path.replaceAll(/:(\w+)/g, 'x').replace('*', 'x');
      const { statusCode, body } = await app.inject({ method: route.method, url, headers });
      const refused = statusCode === 403 && JSON.parse(body).error === 'forbidden';
      expect([nameOf(route), refused]).toEqual([nameOf(route), !allowed]);
    }
  }
});

it('in the mode none, everyone may do everything', async () => {
  await using app = await start(preset({}));
  for (const { value: route } of app.get(http).routes()) {
    expect([nameOf(route), await isLetIn(app, route, {})]).toEqual([nameOf(route), true]);
  }
});
