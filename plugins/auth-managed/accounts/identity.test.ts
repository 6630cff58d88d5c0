import { describe, expect, it } from 'vitest';
import { dialects } from '../../../test/harness/internal-databases.ts';
import {
  databases,
  idOf,
  invite,
  organization,
  setRole,
  startServer,
  USERS,
  userOf,
} from '../../../test/harness/managed-server.ts';
import { authLookup } from '../../auth-kit/index.ts';

const db = databases();

describe.each(dialects)('the present identity of a user on %s', (dialect) => {
  it('is that of a session, and follows role, ban, membership and deletion', async () => {
    await using server = await startServer(await db.url(dialect));
    const lookUp = (actorId: string, orgId: string | null = null) =>
      server.callKey(authLookup, 'managed', { actorId, orgId }, server.scope());
    const boss = await userOf(server, 'boss@example.com');
    const ann = await userOf(server, 'ann@example.com');
    const id = await idOf(ann);

    const { actor } = (await ann.whoami()).body;
    const { sid: _, ...claims } = actor.claims;
    expect(await lookUp(id)).toEqual({ state: 'present', identity: { actor: { ...actor, claims }, orgId: null } });
    await setRole(boss, id, 'viewer');
    expect(await lookUp(id)).toMatchObject({ identity: { actor: { role: 'viewer', claims: { role: 'viewer' } } } });

    await boss.send(`${USERS}/${id}/ban`, { body: { reason: 'secret' } });
    expect(await lookUp(id)).toEqual({ state: 'refused', reason: 'The user is banned.' });
    await boss.send(`${USERS}/${id}/unban`, { method: 'POST' });
    expect(await lookUp(id)).toMatchObject({ state: 'present' });
    await boss.send(`${USERS}/${id}`, { method: 'DELETE' });
    expect(await lookUp(id)).toEqual({ state: 'refused', reason: 'The user does not exist any more.' });
    expect(await lookUp('nobody')).toMatchObject({ state: 'refused' });
  });

  it('is one within an organization only for its members, with the role that they have there', async () => {
    await using server = await startServer(await db.url(dialect));
    const lookUp = (actorId: string, orgId: string | null) =>
      server.callKey(authLookup, 'managed', { actorId, orgId }, server.scope());
    const boss = await userOf(server, 'boss@example.com');
    const ann = await userOf(server, 'ann@example.com');
    const id = await idOf(ann);
    const { body } = await organization(boss, 'create', { name: 'Acme', slug: 'acme' });

    expect(await lookUp(id, body.id)).toMatchObject({ state: 'refused' });
    await invite(boss, ann, 'ann@example.com');
    expect(await lookUp(id, body.id)).toMatchObject({
      identity: { actor: { role: 'analyst', claims: { org_id: body.id } }, orgId: body.id },
    });
    expect(await lookUp(id, null)).toMatchObject({ state: 'refused' });
    expect(await lookUp(await idOf(boss), body.id)).toMatchObject({ identity: { actor: { role: 'admin' } } });
    await organization(boss, 'remove-member', { memberIdOrEmail: 'ann@example.com' });
    expect(await lookUp(id, body.id)).toEqual({
      state: 'refused',
      reason: 'The user does not belong to the organization any more.',
    });
  });
});
