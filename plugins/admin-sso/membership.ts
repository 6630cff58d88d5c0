/** Decides which users an organization's identity provider may stand for, and makes them members. */
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { AUTH_TABLES, type LibraryHost } from '../auth-managed/index.ts';

export interface KnownUser {
  readonly id: string;
  readonly email: string;
  readonly role: string | null;
  readonly banned: unknown;
  readonly banReason: string | null;
  readonly adminByOrganization: unknown;
}

const USER_COLUMNS = ['id', 'email', 'role', 'banned', 'banReason', 'adminByOrganization'] as const;

export function userById(db: Knex, id: string): Promise<KnownUser | undefined> {
  return db(AUTH_TABLES.user)
    .where({ id })
    .first<KnownUser | undefined>(...USER_COLUMNS)
    .then((row) => row);
}

export function userByEmail(db: Knex, email: string): Promise<KnownUser | undefined> {
  return db(AUTH_TABLES.user)
    .where({ email })
    .first<KnownUser | undefined>(...USER_COLUMNS)
    .then((row) => row);
}

/** Whether the platform, not an organization, has made the user administrator. */
export const administersPlatform = ({ role, adminByOrganization }: KnownUser) =>
  role === 'admin' && !adminByOrganization;

export async function organizationsOf(db: Knex, userId: string): Promise<string[]> {
  const rows: { organizationId: string }[] = await db(AUTH_TABLES.member).where({ userId }).select('organizationId');
  return rows.map(({ organizationId }) => organizationId);
}

/**
 * Why the organization's identity provider must not stand for the user, whatever address it names; `undefined`: it may.
 * Its operators could otherwise act in other organizations, or on the platform.
 */
export async function refusalOf(db: Knex, user: KnownUser, orgId: string): Promise<string | undefined> {
  if (administersPlatform(user)) return 'This account administers the platform, and signs in with its password.';
  const organizations = await organizationsOf(db, user.id);
  if (organizations.every((organization) => organization === orgId)) return undefined;
  return 'This account belongs to another organization, and signs in with its password.';
}

/** Makes the user a member where they are none; true when that was so. */
export async function join(db: Knex, userId: string, organizationId: string): Promise<boolean> {
  const row = { id: randomUUID(), organizationId, userId, role: 'member', createdAt: new Date().toISOString() };
  const added = await db(AUTH_TABLES.member)
    .insert(row)
    .onConflict(['organizationId', 'userId'])
    .ignore()
    .returning('id');
  return added.length > 0;
}

/**
 * Takes the account over for the one whom the domain's holder vouches for: whoever signed up with the address before has
 * not shown that it is theirs.
 */
export async function takeOver(host: LibraryHost, userId: string): Promise<void> {
  await host.run((db) => db(AUTH_TABLES.account).where({ userId }).delete());
  await host.endSessions(userId);
}
