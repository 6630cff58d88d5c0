/** Decides what a user may do in an organization: by their own role, by a custom role, and by how they belong to it. */
import type { Knex } from 'knex';
import type { Actor, Right, Role } from '../../../kernel/index.ts';
import { grantableRights, hasRight, isRole } from '../../auth-kit/index.ts';
import { ORGANIZATION_ROLES } from '../better-auth/organization-endpoints.ts';
import { TABLES } from '../migrations.ts';

/** What an administrator is where they are none. */
export const REDUCED_ROLE = 'analyst';

/** Memberships with which an administrator is one in the organization, too. */
export const GOVERNING_ROLES: readonly string[] = ['owner', 'admin'];

/** What a user may do in one organization, or without one. */
export type Standing = Pick<Actor, 'role' | 'rights'>;

/** What the standing of a user depends on. */
export interface RoleHolder {
  readonly id: string;
  readonly role?: string | null | undefined;
  readonly adminByOrganization?: unknown;
}

/** Roles of users come out of a column that takes any text; what is none of ours has the least right. */
export function roleOf(text: unknown): Role {
  return isRole(text) ? text : 'viewer';
}

/**
 * What the user may do while `orgId` is the active organization. Asks the database each time: a cached session knows
 * nothing of memberships and custom roles.
 */
export async function standingOf(db: Knex, orgId: string | null, user: RoleHolder): Promise<Standing> {
  return (await memberStanding(db, orgId, user)) ?? reducedStanding(user);
}

function reducedStanding({ role: text }: RoleHolder): Standing {
  const role = roleOf(text);
  return { role: role === 'admin' ? REDUCED_ROLE : role };
}

/** The same, and `undefined` for an organization to which the user does not belong. */
export async function memberStanding(db: Knex, orgId: string | null, user: RoleHolder): Promise<Standing | undefined> {
  const role = roleOf(user.role);
  const reduced = reducedStanding(user);
  // Also in the moment before the role is taken from the user.
  if (orgId === null) return user.adminByOrganization ? reduced : { role };
  const { member, role: custom } = TABLES;
  const held = await db(member)
    .leftJoin(custom, (join) =>
      join.on(`${custom}.organizationId`, `${member}.organizationId`).on(`${custom}.id`, `${member}.role`),
    )
    .where({ [`${member}.organizationId`]: orgId, [`${member}.userId`]: user.id })
    .first(`${member}.role`, `${custom}.baseRole`, `${custom}.rights`);
  if (held === undefined) return undefined;
  if (held.rights != null) return { role: roleOf(held.baseRole), rights: JSON.parse(held.rights) as Right[] };
  // A custom role that is gone grants nothing.
  if (!(ORGANIZATION_ROLES as readonly string[]).includes(held.role)) return { role: 'viewer', rights: [] };
  return GOVERNING_ROLES.includes(held.role) ? { role } : reduced;
}

/** Whether `standing` has every right that `other` has, so that its holder may give it and take it away. */
export function covers(standing: Standing, other: Standing): boolean {
  return [...grantableRights, 'admin' as const].every((right) => !hasRight(other, right) || hasRight(standing, right));
}
