import { describe, expect, it } from 'vitest';
import { dialects } from '../../test/harness/internal-databases.ts';
import { Client, databases, PASSWORD, startServer } from '../../test/harness/managed-server.ts';
import { DEVELOPMENT_PASSWORD } from './bootstrap.ts';

const db = databases();

describe.each(dialects)('the first administrator on %s', (dialect) => {
  it('is the first user to sign up, also when many sign up at once on two servers', async () => {
    const url = await db.url(dialect);
    await using first = await startServer(url);
    await using second = await startServer(url);
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        new Client(index % 2 === 0 ? first : second).signUp(`user${index}@example.com`),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    const roles = await db.connect(url)('auth_user').select('role');
    expect(roles.filter(({ role }) => role === 'admin')).toHaveLength(1);
    expect(roles.filter(({ role }) => role === 'analyst')).toHaveLength(5);
    expect((await new Client(first).signUp('later@example.com')).body.user.role).toBe('analyst');
  });

  it('is the user who signs up with the address of the administrator', async () => {
    await using server = await startServer(await db.url(dialect), { adminEmail: 'Boss@Example.com', production: true });
    const client = new Client(server);
    expect(
      server.lines.filter(({ level, message }) => level === 'warn' && message.includes('SVC_ADMIN_EMAIL')),
    ).toHaveLength(1);
    expect(JSON.stringify(server.lines)).not.toContain(DEVELOPMENT_PASSWORD);
    expect((await client.signUp('ann@example.com')).body.user.role).toBe('analyst');
    expect((await client.signUp('bOSS@example.COM')).body.user.role).toBe('admin');
  });

  it('is created for development, once, and has to change the password', async () => {
    const url = await db.url(dialect);
    const options = { adminEmail: 'boss@example.com' };
    const servers = await Promise.all([startServer(url, options), startServer(url, options)]);
    const [server] = servers;
    const told = servers.flatMap(({ lines }) => lines).filter(({ message }) => message.includes(DEVELOPMENT_PASSWORD));
    expect(told).toHaveLength(1);
    expect(await db.connect(url)('auth_user').select('email', 'role')).toEqual([
      { email: 'boss@example.com', role: 'admin' },
    ]);

    const boss = new Client(server);
    const other = new Client(server);
    expect((await boss.signIn('boss@example.com', DEVELOPMENT_PASSWORD)).status).toBe(200);
    await other.signIn('boss@example.com', DEVELOPMENT_PASSWORD);
    expect((await boss.send('/api/v1/admin/me/password-status')).body).toEqual({ passwordChangeRequired: true });
    for (const path of [
      '/api/v1/whoami',
      '/api/v1/admin/only',
      '/api/auth/list-sessions',
      '/api/auth/organization/list',
    ]) {
      const answer = await boss.send(path);
      expect(answer, path).toMatchObject({ status: 403, body: { error: 'forbidden' } });
      expect(answer.body.message).toContain('/api/v1/admin/me/password');
    }
    expect((await boss.send('/api/auth/update-user', { body: { name: 'Me' } })).status).toBe(403);
    expect((await boss.send('/api/auth/get-session')).body.user.passwordChangeRequired).toBe(true);
    expect((await other.send('/api/auth/sign-out', { method: 'POST' })).status).toBe(200);
    const change = (newPassword: string) =>
      boss.send('/api/v1/admin/me/password', { body: { currentPassword: DEVELOPMENT_PASSWORD, newPassword } });
    expect((await change(DEVELOPMENT_PASSWORD)).status).toBe(422);
    expect((await change(PASSWORD)).status).toBe(200);
    expect((await boss.whoami()).body.actor.role).toBe('admin');
    expect((await boss.whoami()).body.actor.claims).not.toHaveProperty('password_change_required');
    expect((await boss.send('/api/v1/admin/me/password-status')).body).toEqual({ passwordChangeRequired: false });
    for (const each of servers) await each.close();

    await using again = await startServer(url, options);
    expect(JSON.stringify(again.lines)).not.toContain(DEVELOPMENT_PASSWORD);
    expect((await new Client(again).signIn('boss@example.com', DEVELOPMENT_PASSWORD)).status).toBe(401);
  });
});

/** What the start says to the operator, at the level of warnings. */
const warnings = (server: { lines: readonly { level: string; message: string }[] }) =>
  server.lines.flatMap(({ level, message }) => (level === 'warn' ? [message] : [])).join('\n');

it.each<[string, Parameters<typeof startServer>[1], object?]>([
  ['every address', {}, { host: '0.0.0.0' }],
  ['loopback for a public address', { url: 'https://atlas.example.com' }],
  ['loopback in production', { production: true }],
])('is not created with a public password on a server that listens on %s', async (_where, options, host) => {
  const url = await db.url('sqlite');
  const adminEmail = 'boss@example.com';
  const open = () => startServer(url, { adminEmail, ...options }, [], host ?? {});
  {
    await using server = await open();
    expect(warnings(server)).toContain('The first to sign up with boss@example.com');
    expect(await db.connect(url)('auth_user').select('id')).toEqual([]);
  }
  // Nor one that a start for development has left behind.
  await (await startServer(url, { adminEmail })).close();
  expect(await db.connect(url)('auth_user').select('email')).toEqual([{ email: adminEmail }]);
  await using server = await open();
  expect(warnings(server)).toContain('Deleted the development account');
  const client = new Client(server);
  expect((await client.signIn(adminEmail, DEVELOPMENT_PASSWORD)).status).toBe(401);
  await client.signUp(adminEmail);
  expect((await client.signIn(adminEmail)).status).toBe(200);
  expect((await client.whoami()).body.actor.role).toBe('admin');
});

it('keeps a development account whose password was changed', async () => {
  const url = await db.url('sqlite');
  const adminEmail = 'boss@example.com';
  const first = await startServer(url, { adminEmail });
  const boss = new Client(first);
  await boss.signIn(adminEmail, DEVELOPMENT_PASSWORD);
  const change = { currentPassword: DEVELOPMENT_PASSWORD, newPassword: PASSWORD };
  expect((await boss.send('/api/v1/admin/me/password', { body: change })).status).toBe(200);
  expect((await new Client(first).signUp(adminEmail, 'a quite different one')).status).toBe(200);
  await first.close();
  await using server = await startServer(url, { adminEmail, production: true });
  expect(warnings(server)).toBe('');
  expect((await new Client(server).signIn(adminEmail)).status).toBe(200);
});

it('gives the development account to the user who signs up with its address', async () => {
  const url = await db.url('sqlite');
  await using server = await startServer(url, { adminEmail: 'boss@example.com' });
  const developer = new Client(server);
  await developer.signIn('boss@example.com', DEVELOPMENT_PASSWORD);
  const owner = new Client(server);
  expect((await owner.signUp('Boss@example.com')).body.user.role).toBe('admin');
  expect((await owner.signIn('boss@example.com')).status).toBe(200);
  expect((await owner.whoami()).body.actor).toMatchObject({ role: 'admin', label: 'boss@example.com' });
  expect((await developer.signIn('boss@example.com', DEVELOPMENT_PASSWORD)).status).toBe(401);
  // From now on it is an account like any other, and cannot be taken over.
  await new Client(server).signUp('boss@example.com', 'a quite different one');
  const refused = await developer.signIn('boss@example.com', 'a quite different one');
  expect(refused.status).toBe(401);
  expect(refused.body.message).toContain('the address had an account already');
  expect((await owner.signIn('boss@example.com')).status).toBe(200);
});

it('is not created when there is a user already', async () => {
  const url = await db.url('sqlite');
  const first = await startServer(url);
  await new Client(first).signUp('ann@example.com');
  await first.close();
  await using second = await startServer(url, { adminEmail: 'boss@example.com' });
  expect(await db.connect(url)('auth_user').select('email')).toEqual([{ email: 'ann@example.com' }]);
  expect(JSON.stringify(second.lines)).not.toContain(DEVELOPMENT_PASSWORD);
});

it('refuses sign-up when it is disabled, without revealing accounts', async () => {
  await using server = await startServer(await db.url('sqlite'), { adminEmail: 'boss@example.com', signUp: false });
  const client = new Client(server);
  const refused = await client.signUp('ann@example.com');
  expect(refused).toMatchObject({ status: 403, body: { error: 'forbidden' } });
  const taken = await client.signUp('boss@example.com');
  expect({ ...taken.body, requestId: '' }).toEqual({ ...refused.body, requestId: '' });
});

it('is signed in by the sign-up when that is enabled', async () => {
  await using server = await startServer(await db.url('sqlite'), { signInAfterSignUp: true });
  const client = new Client(server);
  expect((await client.signUp('ann@example.com')).body.token).toMatch(/^\w{32}$/);
  expect((await client.whoami()).status).toBe(200);
  expect((await client.signUp('ann@example.com')).status).toBe(409);
});

it.each([
  [{ secret: 'too short' }, /secret/],
  [{ google: { clientId: 'a', clientSecret: 'b' } }, /AUTHLIB_URL/],
  [{ trustedOrigins: ['https://*.example.com'] }, /trustedOrigins/],
])('does not start with %j', async (options, problem) => {
  await expect(startServer(await db.url('sqlite'), options)).rejects.toThrow(problem);
});
