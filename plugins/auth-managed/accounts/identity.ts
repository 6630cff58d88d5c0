/** Builds the identity of a user: of a session, or looked up for a user who is not there. */
import type { Identity } from '../../../kernel/index.ts';
import { type AbsentActor, type PresentIdentity, present, refused } from '../../auth-kit/index.ts';
import { TABLES } from '../migrations.ts';
import { MANAGED_MODE } from '../mode.ts';
import type { Store } from '../store.ts';
import { type Standing, standingOf } from './standing.ts';

/**
 * A ban without an end, or one that has not ended yet. By the system's clock, as everything about the rows that the
 * authentication library writes and judges too: it knows no other.
 */
export function isBanned(user: { banned?: unknown; banExpires?: unknown }): boolean {
  if (user.banned !== true) return false;
  return user.banExpires == null || new Date(user.banExpires as string).getTime() > Date.now();
}

interface KnownUser {
  readonly id: string;
  readonly email: string;
  readonly emailVerified?: boolean;
  readonly passwordChangeRequired?: boolean | null | undefined;
}

/** `sessionId` is missing where the user is not there. */
export function identityOf(user: KnownUser, standing: Standing, orgId: string | null, sessionId?: string): Identity {
  return {
    actor: {
      id: user.id,
      label: user.email,
      ...standing,
      mode: MANAGED_MODE.name,
      claims: {
        sub: user.id,
        ...(sessionId !== undefined && { sid: sessionId }),
        role: standing.role,
        ...(orgId !== null && { org_id: orgId }),
        // Any address can be signed up with, so an address alone must not open rows.
        ...(user.emailVerified && { email: user.email }),
        ...(user.passwordChangeRequired === true && { password_change_required: true }),
      },
    },
    orgId,
  };
}

/** What a session of the user in that organization would be today. */
export async function presentIdentity(store: Store, { actorId, orgId }: AbsentActor): Promise<PresentIdentity> {
  const row = await store.run((db) =>
    db(TABLES.user)
      .where({ id: actorId ?? '' })
      .first(),
  );
  if (row === undefined) return refused('The user does not exist any more.');
  const flag = (name: string) => Boolean(row[name]);
  if (isBanned({ banned: flag('banned'), banExpires: row.banExpires })) return refused('The user is banned.');
  const memberships: { organizationId: string }[] = await store.run((db) =>
    db(TABLES.member).where({ userId: row.id }).select('organizationId'),
  );
  if (orgId !== null && !memberships.some(({ organizationId }) => organizationId === orgId)) {
    return refused('The user does not belong to the organization any more.');
  }
  if (orgId === null && memberships.length > 0) return refused('The user belongs to an organization by now.');
  const user = {
    id: row.id as string,
    email: row.email as string,
    role: row.role as string | null,
    adminByOrganization: flag('adminByOrganization'),
    emailVerified: flag('emailVerified'),
    passwordChangeRequired: flag('passwordChangeRequired'),
  };
  return present(identityOf(user, await store.run((db) => standingOf(db, orgId, user)), orgId));
}
