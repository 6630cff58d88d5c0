import type { Knex } from 'knex';
import { describe, expect, it } from 'vitest';
import { type Dialect, dialects } from '../../../test/harness/internal-databases.ts';
import { databases, startServer } from '../../../test/harness/managed-server.ts';
import { standingOf } from './standing.ts';

const db = databases();
const NOW = '2026-01-15T12:00:00.000Z';
const ROLES = ['admin', 'analyst', 'viewer', 'emperor', null];
const MEMBERSHIPS = ['owner', 'admin', 'analyst', 'viewer', 'member', 'custom', 'gone', undefined];

/** Every user as lists show them, and as a session of theirs would be. */
async function bothViews(database: Knex): Promise<[listed: unknown[], standing: unknown[]]> {
  const listed = await database('auth_user_directory').orderBy('userId').select('userId', 'organizationId', 'baseRole');
  const standing = [];
  for (const user of await database('auth_user').orderBy('id')) {
    const member = await database('auth_member').where({ userId: user.id }).first();
    const { role } = await standingOf(database, member?.organizationId ?? null, user);
    standing.push({ userId: user.id, organizationId: member?.organizationId ?? '', baseRole: role });
  }
  return [listed, standing];
}

async function mustAgree(database: Knex, dialect: Dialect): Promise<void> {
  const [listed, standing] = await bothViews(database);
  expect(listed).toEqual(standing);
  if (dialect === 'sqlite') return;
  const columns = ['organizationId', 'role', 'baseRole'];
  const kept = await database('auth_user_count').groupBy(columns).orderBy(columns).select(columns).sum({ n: 'count' });
  const counted = await database('auth_user_directory')
    .groupBy(columns)
    .orderBy(columns)
    .select(columns)
    .count({ n: '*' });
  expect(kept.filter(({ n }) => Number(n) !== 0).map((row) => ({ ...row, n: Number(row.n) }))).toEqual(
    counted.map((row) => ({ ...row, n: Number(row.n) })),
  );
}

describe.each(dialects)('the directory of users on %s', (dialect) => {
  it('says of every user what their sessions go by, whatever changes', async () => {
    await using server = await startServer(await db.url(dialect));
    const database = db.connect(server.database);
    // A connection of knex's own does not check references by itself.
    if (dialect === 'sqlite') await database.raw('pragma foreign_keys = on');
    await database('auth_organization').insert({ id: 'acme', name: 'Acme', slug: 'acme', createdAt: NOW });
    const custom = { id: 'custom', organizationId: 'acme', name: 'Custom', nameKey: 'custom', rights: '["query"]' };
    await database('auth_role').insert({ ...custom, baseRole: 'viewer', createdAt: NOW, updatedAt: NOW });
    for (const [first, role] of ROLES.entries()) {
      for (const [second, membership] of MEMBERSHIPS.entries()) {
        const id = `u${first}${second}`;
        const email = `${id}@example.com`;
        await database('auth_user').insert({
          id,
          name: id,
          email,
          emailVerified: false,
          role,
          createdAt: NOW,
          updatedAt: NOW,
        });
        if (membership === undefined) continue;
        const member = { id: `m${id}`, organizationId: 'acme', userId: id, role: membership, createdAt: NOW };
        await database('auth_member').insert(member);
      }
    }
    await mustAgree(database, dialect);
    await database('auth_role').where({ id: 'custom' }).update({ baseRole: 'analyst', rights: '["approve"]' });
    await database('auth_user').where({ role: 'viewer' }).update({ role: 'admin' });
    await database('auth_member').where({ role: 'owner' }).update({ role: 'custom' });
    await mustAgree(database, dialect);
    await database('auth_role').delete();
    await database('auth_user').where('id', 'like', 'u0%').delete();
    await mustAgree(database, dialect);
    await database('auth_organization').delete();
    await mustAgree(database, dialect);
    expect(Number((await database('auth_user_directory').count({ n: '*' }).first())?.n)).toBe(32);
  });
});
