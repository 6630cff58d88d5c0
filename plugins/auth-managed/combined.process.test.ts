import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, it } from 'vitest';
import { emptyFolder } from '../../test/harness/command.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { Client, PASSWORD, SECRET, startServer, userOf } from '../../test/harness/managed-server.ts';
import { startPostgres } from '../../test/harness/postgres.ts';
import { adminMe } from '../admin-me/index.ts';
import { authApiKey } from '../auth-api-key/index.ts';
import { authNone } from '../auth-none/index.ts';
import { authRoles } from '../auth-roles/index.ts';
import { http } from '../http/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { openapi } from '../openapi/index.ts';
import { authManaged } from './index.ts';

const KEY = 'k'.repeat(32);

it('leaves API keys to another plugin', async () => {
  using folder = emptyFolder();
  await using server = await createTestApp({
    plugins: [
      http({ port: 0 }),
      internalDb({ url: `sqlite:${folder.path}/atlas.db` }),
      authRoles(),
      authManaged({ secret: SECRET }),
      // As long as a session's token, and made of the same letters.
      authApiKey({ keys: [{ name: 'ci', key: KEY, role: 'admin' }] }),
      adminMe(),
    ],
    openGates: false,
  });
  const url = server.get(http).url();
  const browser = await userOf({ url }, 'ann@example.com');
  const machine = new Client({ url }, KEY);
  expect((await browser.send('/api/v1/admin/me/password-status')).status).toBe(200);
  expect(await machine.send('/api/v1/admin/me/password-status')).toMatchObject({
    status: 404,
    body: { error: 'not_available' },
  });
  expect((await machine.send('/api/auth/list-sessions')).status).toBe(403);
  expect((await new Client({ url }, 'j'.repeat(32)).send('/api/v1/admin/me/password-status')).status).toBe(401);
});

it('offers no password change without accounts', async () => {
  await using server = await createTestApp({
    plugins: [http({ port: 0 }), authNone(), adminMe()],
    openGates: false,
  });
  const client = new Client({ url: server.get(http).url() });
  const unavailable = { status: 404, body: { error: 'not_available' } };
  expect(await client.send('/api/v1/admin/me/password-status')).toMatchObject(unavailable);
  expect(await client.send('/api/v1/admin/me/password', { body: {} })).toMatchObject(unavailable);
});

it('does not start without the internal database', async () => {
  const starting = createTestApp({ plugins: [internalDb(), authRoles(), authManaged({ secret: SECRET })] });
  await expect(starting).rejects.toThrow(/internal database.*DATABASE_URL/s);
});

it('reports when the database is unavailable', async () => {
  await using postgres = await startPostgres();
  await using server = await startServer(postgres.url);
  const browser = await userOf(server, 'ann@example.com');
  const { token } = (await browser.signIn('ann@example.com')).body;
  await postgres.stop();
  const gone = { status: 503, body: { error: 'unavailable', requestId: expect.any(String) } };
  const script = new Client(server, token);
  expect(await script.whoami()).toMatchObject(gone);
  expect(await browser.signIn('ann@example.com', PASSWORD)).toMatchObject(gone);
  expect(await browser.signUp('bob@example.com')).toMatchObject(gone);
  expect(await script.send('/api/auth/get-session')).toMatchObject(gone);
  // The cache in the cookie answers for a while.
  expect((await browser.whoami()).status).toBe(200);
}, 60_000);

it('redirects to a social provider, and accepts a callback only with the state that it issued', async () => {
  using folder = emptyFolder();
  await using server = await startServer(`sqlite:${folder.path}/atlas.db`, {
    url: 'https://api.example.com',
    google: { clientId: 'the-client', clientSecret: 'the-secret' },
  });
  const client = new Client(server);
  const begun = await client.send('/api/auth/sign-in/social', { body: { provider: 'google', callbackURL: '/home' } });
  expect(begun.status).toBe(200);
  const target = new URL(begun.body.url);
  expect(target.origin).toBe('https://accounts.google.com');
  expect(target.searchParams.get('client_id')).toBe('the-client');
  expect(target.searchParams.get('redirect_uri')).toBe('https://api.example.com/api/auth/callback/google');
  expect(await client.send('/api/auth/sign-in/social', { body: { provider: 'github' } })).toMatchObject({
    status: 404,
  });
  const evil = { provider: 'google', callbackURL: 'https://evil.example' };
  expect(await client.send('/api/auth/sign-in/social', { body: evil })).toMatchObject({ status: 403 });
  const forged = await client.send('/api/auth/callback/google?code=x&state=made-up');
  expect(forged.status).toBe(302);
  expect(forged.headers.get('location')).toMatch(/^https:\/\/api\.example\.com\/api\/auth\/error\?/);
  expect(client.cookies.has('authlib.session_token')).toBe(false);
  expect((await client.send('/api/auth/error?error=state_mismatch')).headers.get('content-type')).toContain(
    'text/html',
  );
});

it('describes every route well enough for OpenAPI', async () => {
  using folder = emptyFolder();
  await using server = await createTestApp({
    plugins: [
      http({ port: 0 }),
      openapi(),
      internalDb({ url: `sqlite:${folder.path}/atlas.db` }),
      authRoles(),
      authManaged({ secret: SECRET, url: 'https://api.example.com', github: { clientId: 'a', clientSecret: 'b' } }),
      adminMe(),
    ],
    openGates: false,
  });
  const document = (await server.inject({ method: 'GET', url: '/api/v1/openapi.json' })).json<{ paths: object }>();
  const validated = await new Validator().validate(document);
  expect(validated.errors ?? []).toEqual([]);
  expect(Object.keys(document.paths)).toContain('/api/auth/organization/accept-invitation');
});
