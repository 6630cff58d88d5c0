import { describe, expect, it } from 'vitest';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { dialects } from '../../test/harness/internal-databases.ts';
import { databases, startServer, userOf } from '../../test/harness/managed-server.ts';
import { http } from '../http/index.ts';
import { adminUsers } from './index.ts';

const db = databases();
const USERS = '/api/v1/admin/users';

describe.each(dialects)('users on %s', (dialect) => {
  it('are listed, moved, banned, signed out and deleted', async () => {
    await using server = await startServer(await db.url(dialect));
    const boss = await userOf(server, 'boss@example.com');
    const ann = await userOf(server, 'ann@example.com');
    const { id } = (await ann.whoami()).body.actor;

    const page = await boss.send(`${USERS}?limit=1&search=ANN&role=analyst`);
    expect([page.status, page.body]).toEqual([
      200,
      {
        users: [expect.objectContaining({ id, email: 'ann@example.com', role: 'analyst' })],
        total: 1,
        limit: 1,
        offset: 0,
      },
    ]);
    expect((await boss.send(`${USERS}?search=`)).body.total).toBe(2);
    expect((await boss.send(`${USERS}/stats`)).body).toEqual({
      total: 2,
      banned: 0,
      byRole: { admin: 1, analyst: 1, viewer: 0 },
    });
    const patched = await boss.send(`${USERS}/${id}/role`, { method: 'PATCH', body: { role: 'viewer' } });
    expect([patched.status, patched.body.role]).toEqual([200, 'viewer']);
    expect((await ann.whoami()).body.actor.role).toBe('viewer');

    const banned = await boss.send(`${USERS}/${id}/ban`, { body: { reason: 'spam', expiresIn: 3600 } });
    expect([banned.status, banned.body]).toEqual([
      200,
      expect.objectContaining({ banned: true, banReason: 'spam', banExpires: expect.stringMatching(/Z$/) }),
    ]);
    expect((await ann.whoami()).status).toBe(401);
    expect((await ann.signIn('ann@example.com')).status).toBe(403);
    expect((await boss.send(`${USERS}/${id}/unban`, { method: 'POST' })).body).toMatchObject({ banned: false });
    expect((await boss.send(`${USERS}/${id}/ban`, { method: 'POST' })).body).toMatchObject({ banExpires: null });
    await boss.send(`${USERS}/${id}/unban`, { method: 'POST' });

    expect((await ann.signIn('ann@example.com')).status).toBe(200);
    expect((await boss.send(`${USERS}/${id}/revoke`, { method: 'POST' })).body).toEqual({ success: true });
    expect((await ann.whoami()).status).toBe(401);
    expect((await boss.send(`${USERS}/${id}`, { method: 'DELETE' })).body).toEqual({ success: true });
    expect((await boss.send(`${USERS}/${id}`, { method: 'DELETE' })).status).toBe(404);
  });

  it('cannot lock all administrators out', async () => {
    await using server = await startServer(await db.url(dialect));
    const boss = await userOf(server, 'boss@example.com');
    const { id } = (await boss.whoami()).body.actor;
    for (const [path, method, body] of [
      [`${USERS}/${id}/role`, 'PATCH', { role: 'viewer' }],
      [`${USERS}/${id}/ban`, 'POST', {}],
      [`${USERS}/${id}`, 'DELETE', undefined],
    ] as const) {
      const answer = await boss.send(path, { method, body });
      expect([path, answer.status, answer.body.error]).toEqual([path, 403, 'forbidden']);
    }
    for (const [path, method, body, status] of [
      [`${USERS}?limit=0`, 'GET', undefined, 400],
      [`${USERS}?role=root`, 'GET', undefined, 400],
      [`${USERS}/nobody/ban`, 'POST', {}, 404],
      [`${USERS}/${id}/role`, 'PATCH', { role: 'root' }, 422],
      [`${USERS}/${id}/ban`, 'POST', { expiresIn: -1 }, 422],
      [`${USERS}/${id}/role`, 'PATCH', undefined, 400],
    ] as const) {
      expect([path, (await boss.send(path, { method, body })).status]).toEqual([path, status]);
    }
  });
});

it('are not available without managed authentication', async () => {
  await using app = await createTestApp({ plugins: [http({ port: 0 }), adminUsers()] });
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/stats'],
    ['PATCH', '/x/role'],
    ['DELETE', '/x'],
  ] as const) {
    const answer = await app.inject({ method, url: USERS + path });
    expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([404, 'not_available']);
  }
});
