import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { dialects } from '../../test/harness/internal-databases.ts';
import { Client, databases, PASSWORD, SECRET, startServer, userOf } from '../../test/harness/managed-server.ts';
import { startPostgres } from '../../test/harness/postgres.ts';
import { adminMe } from '../admin-me/index.ts';
import { authApiKey } from '../auth-api-key/index.ts';
import { authRoles } from '../auth-roles/index.ts';
import { http } from '../http/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { authManaged } from './index.ts';

const db = databases();
const PASSWORD_PATH = '/api/v1/admin/me/password';

describe.each(dialects)('requests on %s', (dialect) => {
  it('reach the library with what the route declares, and nothing else', async () => {
    await using server = await startServer(await db.url(dialect));
    const boss = await userOf(server, 'boss@example.com');
    await boss.send('/api/auth/organization/create', { body: { name: 'Acme', slug: 'acme' } });
    const members = '/api/auth/organization/list-members';
    const all = await boss.send(members);
    expect(all.body.total).toBe(1);
    for (const query of [
      'sortBy=password',
      'sortBy=role;--',
      'filterField=password&filterValue=x',
      'filterField=role&filterOperator=ne&filterValue=owner',
    ]) {
      expect([query, await boss.send(`${members}?${query}`)]).toMatchObject([query, { status: 200, body: all.body }]);
    }
    expect((await boss.send(`${members}?limit=1&offset=1`)).body.members).toEqual([]);
    expect((await boss.send(`${members}?limit=x`)).status).toBe(400);
  });

  it('are refused with a null character', async () => {
    await using server = await startServer(await db.url(dialect));
    const boss = await userOf(server, 'boss@example.com');
    const id = (await boss.whoami()).body.actor.id;
    for (const [path, body, field] of [
      ['/api/auth/update-user', { name: '\0' }, 'name'],
      ['/api/auth/revoke-session', { token: 'a\0' }, 'token'],
      ['/api/auth/organization/accept-invitation', { invitationId: 'a\0' }, 'invitationId'],
      ['/api/auth/organization/create', { name: 'a\0', slug: 'nul' }, 'name'],
      [`/api/v1/admin/users/${id}/ban`, { reason: 'a\0b' }, 'reason'],
      ['/api/auth/sign-up/email', { email: 'x@example.com', password: PASSWORD, name: 'a\0b' }, 'name'],
    ] as const) {
      const refused = { status: 422, body: { error: 'validation_error', details: [{ path: field }] } };
      expect([path, await boss.send(path, { body })]).toMatchObject([path, refused]);
    }
  });

  it('accept passwords of 8 to 128 characters, in any encoding', async () => {
    await using server = await startServer(await db.url(dialect));
    const composed = 'é'.normalize('NFC');
    const apart = 'é'.normalize('NFD');
    const client = new Client(server);
    for (const [password, status] of [
      ['😀'.repeat(4), 422],
      ['😀'.repeat(7), 422],
      ['😀'.repeat(8), 200],
      ['😀'.repeat(128), 200],
      ['😀'.repeat(129), 422],
      [apart.repeat(7), 422],
      [apart.repeat(128), 200],
      [composed.repeat(129), 422],
      ['x'.repeat(50_000), 422],
      ['x'.repeat(100_000), 413],
    ] as const) {
      const answer = await client.signUp(`u${password.length}${[...password].length}@example.com`, password);
      expect([password.slice(0, 9), password.length, answer.status]).toEqual([
        password.slice(0, 9),
        password.length,
        status,
      ]);
      if (status === 422) expect(answer.body.message).toMatch(/password must be 8 to 128 characters long\.$/);
    }
    const ann = await userOf(server, 'ann@example.com', composed.repeat(128));
    expect((await ann.signIn('ann@example.com', apart.repeat(128))).status).toBe(200);
    const change = (currentPassword: string, newPassword: string) =>
      ann.send(PASSWORD_PATH, { body: { currentPassword, newPassword } });
    expect((await change(apart.repeat(128), '😀'.repeat(7))).status).toBe(422);
    expect((await change(apart.repeat(128), '😀'.repeat(128))).status).toBe(200);
    expect((await ann.signIn('ann@example.com', '😀'.repeat(128))).status).toBe(200);
  });

  it('accept readable names, and picture URLs that cannot run code', async () => {
    await using server = await startServer(await db.url(dialect));
    const boss = await userOf(server, 'boss@example.com');
    const update = '/api/auth/update-user';
    const create = '/api/auth/organization/create';
    const account = { email: 'new@example.com', password: PASSWORD, name: 'New' };
    for (const [path, body, field] of [
      [update, { name: '  ' }, 'name'],
      [update, { image: 'javascript:alert(1)' }, 'image'],
      [update, { image: 'data:text/html,x' }, 'image'],
      [update, { image: '//example.com/a.png' }, 'image'],
      [create, { name: '\t', slug: 'blank' }, 'name'],
      [create, { name: 'Acme', slug: 'acme', logo: 'javascript:alert(1)' }, 'logo'],
      ['/api/auth/sign-up/email', { ...account, name: ' ' }, 'name'],
      ['/api/auth/sign-up/email', { ...account, image: 'javascript:alert(1)' }, 'image'],
    ] as const) {
      const refused = { status: 422, body: { error: 'validation_error', details: [{ path: field }] } };
      expect([path, body, await boss.send(path, { body })]).toMatchObject([path, body, refused]);
    }
    expect((await boss.send(update, { body: { name: 'Ann B.', image: 'HTTPS://example.com/a.png' } })).status).toBe(
      200,
    );
    expect((await boss.send(update, { body: { image: null } })).status).toBe(200);
  });

  it('are refused for a user who was deleted on another server', async () => {
    const url = await db.url(dialect);
    await using here = await startServer(url);
    await using there = await startServer(url);
    const boss = await userOf(here, 'boss@example.com');
    const ann = await userOf(there, 'ann@example.com');
    const { id } = (await ann.whoami()).body.actor;
    expect((await boss.send(`/api/v1/admin/users/${id}`, { method: 'DELETE' })).status).toBe(200);
    // The cache in the cookie still answers there.
    expect((await ann.whoami()).status).toBe(200);
    const gone = { status: 401, body: { error: 'auth_error', message: expect.stringContaining('Sign in again.') } };
    const change = { currentPassword: PASSWORD, newPassword: 'another password' };
    expect(await ann.send('/api/auth/update-user', { body: { name: 'Ann' } })).toMatchObject(gone);
    expect(await ann.send(PASSWORD_PATH, { body: change })).toMatchObject(gone);
    expect(await ann.send(`${PASSWORD_PATH}-status`)).toMatchObject(gone);
  });

  it('say why an organization keeps its owner', async () => {
    await using server = await startServer(await db.url(dialect));
    const boss = await userOf(server, 'boss@example.com');
    const { id, members } = (await boss.send('/api/auth/organization/create', { body: { name: 'Acme', slug: 'acme' } }))
      .body;
    const memberId = members[0].id;
    for (const [path, body] of [
      ['leave', { organizationId: id }],
      ['remove-member', { memberIdOrEmail: 'boss@example.com' }],
      ['update-member-role', { memberId, role: 'viewer' }],
    ] as const) {
      expect([path, await boss.send(`/api/auth/organization/${path}`, { body })]).toMatchObject([
        path,
        {
          status: 403,
          body: { error: 'forbidden', message: expect.stringMatching(/^The only owner of an organization/) },
        },
      ]);
    }
  });

  it('sign out with an object or no body, and never with an empty origin', async () => {
    await using server = await startServer(await db.url(dialect));
    const ann = await userOf(server, 'ann@example.com');
    const signOut = '/api/auth/sign-out';
    expect(await ann.send(signOut, { body: [] })).toMatchObject({
      status: 422,
      body: { message: 'The request body must be a JSON object.' },
    });
    for (const path of ['/api/v1/change', signOut]) {
      const foreign = await ann.send(path, { method: 'POST', headers: { origin: '' } });
      expect([path, foreign]).toMatchObject([path, { status: 403, body: { error: 'forbidden' } }]);
    }
    expect((await ann.whoami()).status).toBe(200);
    expect((await ann.send(signOut, { method: 'POST' })).status).toBe(200);
    expect((await ann.whoami()).status).toBe(401);
  });
});

it('reports a session as ended only if it is', async () => {
  const postgres = await startPostgres();
  await using server = await startServer(postgres.url);
  const ann = await userOf(server, 'ann@example.com');
  const { token } = (await ann.signIn('ann@example.com')).body;
  // Without the signed cache the database has to be asked.
  ann.cookies.delete('authlib.session_data');
  await postgres.stop();
  const asked: [string, object | undefined][] = [
    ['/api/v1/whoami', undefined],
    ['/api/auth/get-session', undefined],
    ['/api/auth/list-sessions', undefined],
    ['/api/auth/sign-out', {}],
    ['/api/auth/revoke-other-sessions', {}],
    [PASSWORD_PATH, { currentPassword: PASSWORD, newPassword: 'another password' }],
    ['/api/auth/sign-in/email', { email: 'ann@example.com', password: PASSWORD }],
    ['/api/auth/sign-up/email', { email: 'new@example.com', password: PASSWORD, name: 'New' }],
  ];
  for (const client of [ann, new Client(server, token)]) {
    for (const [path, body] of asked) {
      const answer = await client.send(path, { body });
      expect([path, answer]).toMatchObject([path, { status: 503, body: { error: 'unavailable' } }]);
      expect([path, answer.headers.get('retry-after')]).not.toContain(null);
      expect([path, answer.headers.getSetCookie()]).toEqual([path, []]);
    }
  }
}, 60_000);

it('keeps users signed in while the database hangs', async () => {
  await using postgres = await startPostgres();
  await using server = await startServer(postgres.url);
  const ann = await userOf(server, 'ann@example.com');
  const { token } = (await ann.signIn('ann@example.com')).body;
  postgres.freeze();
  try {
    const script = new Client(server, token);
    const answers = await Promise.all([
      script.whoami(),
      script.send('/api/auth/get-session'),
      script.send('/api/auth/sign-out', { body: {} }),
      new Client(server).signIn('ann@example.com'),
      new Client(server).signUp('new@example.com'),
    ]);
    for (const { status, body, headers } of answers) {
      expect([status, body.error]).toEqual([503, 'unavailable']);
      expect([headers.get('retry-after'), headers.getSetCookie()]).toEqual([expect.stringMatching(/^\d+$/), []]);
    }
  } finally {
    postgres.thaw();
  }
  await expect.poll(async () => (await new Client(server, token).whoami()).status, { timeout: 20_000 }).toBe(200);
}, 60_000);

it('acts as the authenticated user: an API key beside a cookie is not a session', async () => {
  const file = join(tmpdir(), `auth-edges-${process.pid}.db`);
  const key = 'k'.repeat(32);
  await using server = await createTestApp({
    plugins: [
      http({ port: 0 }),
      internalDb({ url: `sqlite:${file}` }),
      authRoles(),
      authManaged({ secret: SECRET, adminEmail: 'boss@example.com' }),
      authApiKey({ keys: [{ name: 'ci', key, role: 'admin' }] }),
      adminMe(),
    ],
    openGates: false,
  });
  const boss = new Client({ url: server.get(http).url() });
  // The development account, whose password has to be changed first.
  expect((await boss.signIn('boss@example.com', 'atlas-dev-admin')).status).toBe(200);
  const refused = { status: 403, body: { error: 'forbidden' } };
  const create = { body: { name: 'Acme', slug: 'acme' } };
  expect(await boss.send('/api/auth/organization/create', create)).toMatchObject(refused);
  const beside = { headers: { 'x-api-key': key } };
  for (const [path, sent] of [
    ['/api/auth/organization/create', { ...create, ...beside }],
    ['/api/auth/update-user', { body: { name: 'x' }, ...beside }],
    ['/api/auth/list-sessions', beside],
  ] as const) {
    expect([path, await boss.send(path, sent)]).toMatchObject([path, refused]);
  }
  const machine = new Client({ url: server.get(http).url() });
  expect(await machine.send('/api/auth/organization/create', { ...create, ...beside })).toMatchObject({
    status: 403,
    body: { error: 'forbidden', message: expect.stringContaining('not a session') },
  });
  for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
});

it('takes the public URL of the server for the address of the API', async () => {
  const server = { publicUrl: 'https://example.com/atlas/' };
  await using app = await startServer(await db.url('sqlite'), {}, [], server);
  expect(app.get(http).link('/api/health')).toBe('https://example.com/atlas/api/health');
  await userOf(app, 'ann@example.com');
  const signIn = (origin: string) => new Client(app).signIn('ann@example.com', undefined, { origin });
  const answer = await signIn('https://example.com');
  expect([answer.status, answer.headers.get('set-cookie')]).toEqual([200, expect.stringContaining('Secure')]);
  expect((await signIn('https://example.org')).status).toBe(403);
});
