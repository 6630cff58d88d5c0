/**
 * Says where an administrator is one: of the platform, or in an organization that they govern. The role of those whom an
 * organization made ends with their last membership.
 */
import type { Knex } from 'knex';
import type { Role } from '../../../kernel/index.ts';
import { isRole } from '../../auth-kit/index.ts';
import type { SessionCache } from '../better-auth/session-cache.ts';
import { TABLES } from '../migrations.ts';
import type { Store } from '../store.ts';

/** What an administrator is where they are none. */
export const REDUCED_ROLE = 'analyst';

/** Memberships with which an administrator is one in the organization, too. */
export const GOVERNING_ROLES: readonly string[] = ['owner', 'admin'];

/** Roles of users come out of a column that takes any text; what is none of ours has the least right. */
export function roleOf(text: unknown): Role {
  return isRole(text) ? text : 'viewer';
}

/** What the role of a user depends on. */
export interface RoleHolder {
  readonly id: string;
  readonly role?: string | null | undefined;
  readonly adminByOrganization?: boolean | null | undefined;
}

/**
 * The user's role while `orgId` is the active organization. Asks the database about administrators each time: a cached
 * session knows nothing of memberships.
 */
export async function roleWithin(store: Store, orgId: string | null, user: RoleHolder): Promise<Role> {
  const role = roleOf(user.role);
  if (role !== 'admin') return role;
  // Also in the moment before the role is taken from the user.
  if (orgId === null) return user.adminByOrganization === true ? REDUCED_ROLE : role;
  const governs = await store.run((db) =>
    db(TABLES.member).where({ organizationId: orgId, userId: user.id }).whereIn('role', GOVERNING_ROLES).first('id'),
  );
  return governs === undefined ? REDUCED_ROLE : role;
}

/** Whether the platform, not an organization, has made the user administrator. */
export function isPlatformAdministrator(db: Knex, userId: string): Promise<boolean> {
  const made = db(TABLES.user)
    .where({ id: userId, role: 'admin' })
    .where((mark) => mark.whereNull('adminByOrganization').orWhere('adminByOrganization', false));
  return made.first('id').then((row) => row !== undefined);
}

/** Takes the role from those who were made administrator within an organization and belong to none any more. */
export async function endLostPromotions(store: Store, sessionCache: SessionCache, userId?: string): Promise<void> {
  const ended = await store.run((db) => {
    const memberships = db(TABLES.member).whereRaw('?? = ??', [`${TABLES.member}.userId`, `${TABLES.user}.id`]);
    const lost = db(TABLES.user)
      .where({ role: 'admin', adminByOrganization: true })
      .whereNotExists(memberships.select(db.raw('1')));
    if (userId !== undefined) lost.where({ id: userId });
    return lost.update({ role: REDUCED_ROLE, adminByOrganization: false }).returning('id');
  });
  for (const { id } of ended) sessionCache.invalidate(id);
}
