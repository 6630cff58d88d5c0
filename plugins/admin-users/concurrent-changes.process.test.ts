import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../test/harness/internal-databases.ts';
import {
  Client,
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
const ROLES = ['admin', 'analyst', 'viewer'];

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
  const { members } = inOrganization ? (await boss.send('/api/auth/organization/list-members')).body : { members: [] };
  const memberIds = ids.map((id) => members.find(({ userId }: { userId: string }) => userId === id)?.id as string);
  return { ids, clients, memberIds };
}

/** One of the ways by which administrators change each other, over the endpoints of the library, too. */
function change(client: Client, number: number, { ids, memberIds }: { ids: string[]; memberIds: string[] }) {
  const other = (number * 7 + 1) % ADMINS;
  const path = `${USERS}/${ids[other]}`;
  const memberId = memberIds[other];
  if (memberId !== undefined && number >= CHANGES - 8) {
    if (number % 4 === 0) return client.send(path, { method: 'DELETE' });
    if (number % 4 === 1) return organization(client, 'remove-member', { memberIdOrEmail: memberId });
    if (number % 4 === 2)
      return client.whoami().then(({ body }) => organization(client, 'leave', { organizationId: body.orgId }));
  }
  if (memberId !== undefined && number % 5 === 4) {
    return organization(client, 'update-member-role', { memberId, role: number % 2 === 0 ? 'admin' : 'member' });
  }
  if (number % 3 === 0) return client.send(`${path}/ban`, { body: { expiresIn: 3_600 } });
  if (number % 3 === 1) return client.send(`${path}/unban`, { method: 'POST' });
  return client.send(`${path}/role`, { method: 'PATCH', body: { role: ROLES[number % 5 === 0 ? 0 : number % 3] } });
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
    const { clients, ...known } = await administrators(servers, inOrganization);
    const database = db.connect(url);
    const before = Number(
      (await database('audit_log').where({ surface: 'admin' }).count({ count: '*' }).first())?.count,
    );

    const answers = await Promise.all(
      Array.from({ length: CHANGES }, (_, number) => change(clients[number % ADMINS] as Client, number, known)),
    );
    const statuses = answers.map(({ status }) => status);
    // Who has been demoted is refused by role, who has been banned has no session, who has left is not there.
    const refusals = inOrganization ? [400, 401, 403, 404, 422] : [401, 403];
    for (const { status, body } of answers)
      expect([status, body]).toEqual([expect.toBeOneOf([200, ...refusals]), body]);
    const succeeded = statuses.filter((status) => status === 200).length;
    expect(succeeded).toBeGreaterThan(0);
    const after = Number(
      (await database('audit_log').where({ surface: 'admin' }).count({ count: '*' }).first())?.count,
    );
    expect(after - before).toBe(succeeded);
    // By what lists go by, and by what sessions go by.
    const listed = await database('auth_user_directory')
      .join('auth_user', 'auth_user.id', 'auth_user_directory.userId')
      .where('auth_user_directory.role', 'admin')
      .whereRaw('coalesce(banned, false) = false')
      .where('auth_user_directory.organizationId', inOrganization ? '<>' : '=', '')
      .pluck('auth_user.id');
    expect(listed.length).toBeGreaterThan(0);
    const { email } = await database('auth_user').where({ id: listed[0] }).first('email');
    const server = servers.at(0) as { url: string };
    const token = (await new Client(server).signIn(email)).body.token;
    expect((await new Client(server, token).send(USERS)).status).toBe(200);
  });
});
