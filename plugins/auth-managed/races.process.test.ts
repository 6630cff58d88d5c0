import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { dialects } from '../../test/harness/internal-databases.ts';
import { Client, databases, PASSWORD, startServer, userOf } from '../../test/harness/managed-server.ts';
import { Passwords } from './passwords/password-hashing.ts';

const db = databases();
const USERS = '/api/v1/admin/users';
afterEach(() => void vi.restoreAllMocks());

/** Holds up the next password that is found to be right, until it is let go. */
function holdNextVerification() {
  const verify = Passwords.prototype.verify;
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  vi.spyOn(Passwords.prototype, 'verify').mockImplementationOnce(async function (this: Passwords, ...given) {
    const matches = await verify.apply(this, given);
    reached.resolve();
    await gate.promise;
    return matches;
  });
  return { reached: reached.promise, letGo: () => gate.resolve() };
}

describe.each(dialects)('while a password is looked at on %s', (dialect) => {
  const start = async () => {
    const server = await startServer(await db.url(dialect));
    const boss = await userOf(server, 'boss@example.com');
    const ann = await userOf(server, 'ann@example.com');
    const { id } = (await ann.whoami()).body.actor;
    return { server, boss, ann, id, sessions: () => db.connect(server.database)('auth_session').where({ userId: id }) };
  };

  it('it may be changed, and is refused afterwards', async () => {
    const { server, ann, sessions } = await start();
    await using _server = server;
    const held = holdNextVerification();
    const late = new Client(server);
    const signIn = late.signIn('ann@example.com');
    await held.reached;
    const change = { currentPassword: PASSWORD, newPassword: 'another password' };
    expect((await ann.send('/api/v1/admin/me/password', { body: change })).status).toBe(200);
    held.letGo();
    const refused = await signIn;
    expect([refused.status, refused.body.error, refused.headers.getSetCookie()]).toEqual([401, 'auth_error', []]);
    expect((await ann.whoami()).status).toBe(200);
    expect(await sessions()).toHaveLength(1);
  });

  it('its user may be banned, or deleted', async () => {
    const { server, boss, id, sessions } = await start();
    await using _server = server;
    for (const [path, method] of [
      [`${USERS}/${id}/ban`, 'POST'],
      [`${USERS}/${id}`, 'DELETE'],
    ] as const) {
      const held = holdNextVerification();
      const late = new Client(server);
      const signIn = late.signIn('ann@example.com');
      await held.reached;
      expect((await boss.send(path, { method })).status).toBe(200);
      held.letGo();
      expect([path, (await signIn).status]).toEqual([path, expect.toBeOneOf([401, 403, 409])]);
      expect((await late.whoami()).status).toBe(401);
      expect(await sessions()).toEqual([]);
      await boss.send(`${USERS}/${id}/unban`, { method: 'POST' });
    }
  });
});

it('keeps a bounded number of sessions per user, the newest', async () => {
  await using server = await startServer(await db.url('sqlite'));
  const ann = await userOf(server, 'ann@example.com');
  const { id } = (await ann.whoami()).body.actor;
  const database = db.connect(server.database);
  const at = (ms: number) => new Date(ms).toISOString();
  const rows = Array.from({ length: 5_000 }, (_, index) => ({
    id: randomUUID(),
    token: randomUUID(),
    userId: id,
    createdAt: at(Date.now() - 60_000 - index),
    updatedAt: at(Date.now()),
    expiresAt: at(Date.now() + 3_600_000),
  }));
  await database.batchInsert('auth_session', rows, 100);
  expect((await new Client(server).signIn('ann@example.com')).status).toBe(200);
  expect(await database('auth_session').where({ userId: id })).toHaveLength(5_000);
  expect(await database('auth_session').where({ token: rows.at(-1)?.token })).toEqual([]);
  expect((await ann.whoami()).status).toBe(200);
});
