import { describe, expect, it } from 'vitest';
import {
  Client,
  type Dialect,
  databases,
  organization,
  PASSWORD,
  startServer,
  USERS,
  userOf,
} from '../../test/harness/managed-server.ts';
import { audit } from '../audit/index.ts';

const db = databases();
const CHANGES = 200;
const ADMINS = 4;

/** Administrators of one organization or of none, each with a session on every server. */
async function administrators(servers: { url: string; database: string }[], inOrganization: boolean) {
  const [first] = servers as [{ url: string; database: string }];
  const boss = await userOf(first, 'admin0@example.com');
  if (inOrganization) await organization(boss, 'create', { name: 'Acme', slug: 'acme' });
  const ids = [(await boss.whoami()).body.actor.id as string];
  for (let number = 1; number < ADMINS; number += 1) {
    const email = `admin${number}@example.com`;
    const client = await userOf(first, email);
    if (inOrganization) {
      const { id } = (await boss.send(`${USERS}/invitations`, { body: { email, role: 'admin' } })).body;
      await organization(client, 'accept-invitation', { invitationId: id });
    }
    const { id } = (await client.whoami()).body.actor;
    if (!inOrganization) await boss.send(`${USERS}/${id}/role`, { method: 'PATCH', body: { role: 'admin' } });
    ids.push(id);
  }
  const clients: Client[] = [];
  for (const [number] of ids.entries()) {
    const server = servers[number % servers.length] ?? first;
    clients.push(
      new Client(server, (await new Client(server).signIn(`admin${number}@example.com`, PASSWORD)).body.token),
    );
  }
  return { ids, clients };
}

describe.each<[Dialect, number, boolean]>([
  ['sqlite', 1, false],
  ['sqlite', 1, true],
  ['postgres', 2, false],
  ['postgres', 2, true],
])('200 changes at once on %s with %d servers, in an organization: %s', (dialect, count, inOrganization) => {
  it('leave an administrator, and one audit entry for each that succeeded', async () => {
    const url = await db.url(dialect);
    await using stack = new AsyncDisposableStack();
    const servers = [];
    for (let number = 0; number < count; number += 1) servers.push(stack.use(await startServer(url, {}, [audit()])));
    const { ids, clients } = await administrators(servers, inOrganization);
    const database = db.connect(url);
    const before = Number(
      (await database('audit_log').where({ surface: 'admin' }).count({ count: '*' }).first())?.count,
    );

    const roles = ['admin', 'analyst', 'viewer'];
    const answers = await Promise.all(
      Array.from({ length: CHANGES }, (_, number) => {
        const client = clients[number % ADMINS] as Client;
        const path = `${USERS}/${ids[(number * 7 + 1) % ADMINS]}`;
        if (number % 3 === 0) return client.send(`${path}/ban`, { body: { expiresIn: 3_600 } });
        if (number % 3 === 1) return client.send(`${path}/unban`, { method: 'POST' });
        return client.send(`${path}/role`, {
          method: 'PATCH',
          body: { role: roles[number % 5 === 0 ? 0 : number % 3] },
        });
      }),
    );
    const statuses = answers.map(({ status }) => status);
    // Who has been demoted is refused by role, who has been banned has no session.
    for (const { status, body } of answers) expect([status, body]).toEqual([expect.toBeOneOf([200, 401, 403]), body]);
    const succeeded = statuses.filter((status) => status === 200).length;
    expect(succeeded).toBeGreaterThan(0);
    const after = Number(
      (await database('audit_log').where({ surface: 'admin' }).count({ count: '*' }).first())?.count,
    );
    expect(after - before).toBe(succeeded);
    const left = await database('auth_user').where({ role: 'admin' }).whereRaw('coalesce(banned, false) = false');
    expect(left.length).toBeGreaterThan(0);
    // What lists go by says the same as what sessions go by.
    const listed = await database('auth_user_directory')
      .where({ role: 'admin' })
      .whereIn(
        'userId',
        left.map(({ id }) => id),
      );
    expect(listed.length).toBe(left.length);
  });
});
