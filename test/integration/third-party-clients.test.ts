/** Programs of others against a server: the authentication library's own client, and Prometheus' checker. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createAuthClient } from 'better-auth/client';
import { organizationClient } from 'better-auth/client/plugins';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimpleDemo } from '../../plugins/demo-data/index.ts';
import { type BuiltInServer, startBuiltIn } from '../harness/built-in-server.ts';
import { emptyFolder } from '../harness/command.ts';
import { suiteNeeding } from '../harness/require.ts';
import { findTool } from '../harness/tools.ts';

const folder = emptyFolder();
let server: BuiltInServer;
beforeAll(async () => {
  const shop = join(folder.path, 'shop.db');
  await createSimpleDemo(shop);
  server = await startBuiltIn({
    SVC_DATASOURCE_URL: `sqlite:${shop}`,
    SVC_SEMANTIC_DIR: './semantic',
    DATABASE_URL: `sqlite:${join(folder.path, 'atlas.db')}`,
    AUTHLIB_SECRET: 'a secret of more than thirty-two characters',
    SVC_METRICS_ENABLED: 'true',
    SVC_METRICS_TOKEN: 'm'.repeat(32),
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** A client of the library whose fetch keeps cookies, as a browser does. */
function browser() {
  const cookies = new Map<string, string>();
  const customFetchImpl: typeof fetch = async (input, init) => {
    const headers = new Headers(init?.headers);
    if (cookies.size > 0) headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    const response = await fetch(input, { ...init, headers });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
  return createAuthClient({
    baseURL: server.url,
    plugins: [organizationClient()],
    fetchOptions: { customFetchImpl },
  });
}

const PASSWORD = 'correct horse battery';

describe("the authentication library's client", () => {
  it('signs up, signs in, reads the session and signs out, with cookies', async () => {
    const client = browser();
    const email = 'ann@example.com';
    const signedUp = await client.signUp.email({ email, password: PASSWORD, name: 'Ann' });
    expect([signedUp.error, signedUp.data?.user.email]).toEqual([null, email]);
    const wrong = await client.signIn.email({ email, password: 'not the password' });
    expect(wrong.error).toMatchObject({ status: 401, message: expect.stringContaining('password is wrong') });
    const signedIn = await client.signIn.email({ email, password: PASSWORD });
    expect([signedIn.error, signedIn.data?.user.name]).toEqual([null, 'Ann']);
    expect((await client.getSession()).data?.user.email).toBe(email);
    expect((await client.listSessions()).data).toHaveLength(1);
    expect((await client.updateUser({ name: 'Anna' })).error).toBeNull();
    expect((await client.getSession()).data?.user.name).toBe('Anna');

    const created = await client.organization.create({ name: 'Acme', slug: 'acme' });
    expect(created.error).toBeNull();
    const organizationId = created.data?.id ?? '';
    expect((await client.organization.setActive({ organizationId })).error).toBeNull();
    expect((await client.getSession()).data?.session.activeOrganizationId).toBe(organizationId);
    expect((await client.organization.list()).data).toMatchObject([{ slug: 'acme' }]);

    expect((await client.signOut()).data).toEqual({ success: true });
    expect((await client.getSession()).data).toBeNull();
  });

  it('works with the token of a session in place of cookies', async () => {
    let token = '';
    const client = createAuthClient({
      baseURL: server.url,
      fetchOptions: {
        auth: { type: 'Bearer', token: () => token },
        onSuccess: ({ response }) => {
          token = response.headers.get('set-auth-token') ?? token;
        },
      },
    });
    await client.signUp.email({ email: 'ben@example.com', password: PASSWORD, name: 'Ben' });
    await client.signIn.email({ email: 'ben@example.com', password: PASSWORD });
    expect((await client.getSession()).data?.user.name).toBe('Ben');
    const asked = await fetch(`${server.url}/api/v1/query`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ question: 'How many orders are there?' }),
    });
    expect(asked.status).toBe(200);
    await client.signOut();
    expect((await client.getSession()).data).toBeNull();
  });
});

const promtool = findTool('promtool');
suiteNeeding(
  'promtool',
  promtool !== undefined,
  'Install promtool, which comes with Prometheus.',
)('promtool', () => {
  it('finds nothing wrong with the metrics', async () => {
    await fetch(`${server.url}/api/v1/query`, { method: 'POST' });
    const response = await fetch(`${server.url}/api/v1/metrics`, {
      headers: { authorization: `Bearer ${'m'.repeat(32)}` },
    });
    const metrics = await response.text();
    expect(metrics).toContain('http_server_request_duration_seconds_bucket');
    const check = spawnSync(promtool ?? '', ['check', 'metrics'], { input: metrics, encoding: 'utf8' });
    expect(check.stdout + check.stderr).toBe('');
    expect(check.status).toBe(0);
  });
});
