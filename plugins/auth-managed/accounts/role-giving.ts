/** Writes the role of a user: a built-in one to the account, a custom one to the membership of the organization. */
import type { Role } from '../../../kernel/index.ts';
import { TABLES } from '../migrations.ts';
import type { Store } from '../store.ts';
import { isPlatformAdministrator } from './administrators.ts';
import { refused } from './governance.ts';
import type { FoundRole } from './roles.ts';
import { GOVERNING_ROLES, REDUCED_ROLE } from './standing.ts';

/** `orgId`: where it is given; `null`: the user belongs to no organization. Throws `forbidden` for the last owner. */
export async function giveRole(store: Store, orgId: string | null, userId: string, role: FoundRole): Promise<void> {
  if (role.rights !== undefined) return giveMembership(store, orgId ?? '', userId, role.id);
  await store.run(async (db) => {
    const adminByOrganization = role.id === 'admin' && orgId !== null && !(await isPlatformAdministrator(db, userId));
    const updatedAt = store.date();
    await db(TABLES.user).where({ id: userId }).update({ role: role.id, adminByOrganization, updatedAt });
  });
  if (orgId !== null) await matchMembership(store, orgId, userId, role.role);
}

/** The membership alone changes; who was made administrator by this organization only is none any more. */
export async function giveMembership(
  store: Store,
  organizationId: string,
  userId: string,
  role: string,
): Promise<void> {
  await store.run(async (db) => {
    const owners = await db(TABLES.member).where({ organizationId, role: 'owner' }).pluck('userId');
    if (owners.length === 1 && owners[0] === userId) {
      throw refused('The last owner of an organization stays its owner.', 'Make another member its owner first.');
    }
    await db(TABLES.member).where({ organizationId, userId }).update({ role });
    const governed = db(TABLES.member).where({ userId }).whereIn('role', GOVERNING_ROLES);
    await db(TABLES.user)
      .where({ id: userId, role: 'admin', adminByOrganization: true })
      .whereNotExists(governed)
      .update({ role: REDUCED_ROLE, adminByOrganization: false });
  });
}

/** An administrator has to govern the organization to be one in it; an owner stays owner, a custom role ends. */
async function matchMembership(store: Store, organizationId: string, userId: string, role: Role): Promise<void> {
  await store.run((db) => {
    const membership = db(TABLES.member).where({ organizationId, userId });
    if (role === 'admin') return membership.whereNotIn('role', GOVERNING_ROLES).update({ role: 'admin' });
    return membership.whereNotIn('role', ['owner', 'analyst', 'viewer', 'member']).update({ role: 'member' });
  });
}
