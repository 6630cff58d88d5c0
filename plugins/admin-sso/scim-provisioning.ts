/** Applies to users and memberships what an organization's identity provider says by SCIM. */
import type { SCIMIdentityResolution, SCIMOptions } from '@better-auth/scim';
import { APIError } from 'better-auth/api';
import type { Knex } from 'knex';
import { AtlasError, type Scope } from '../../kernel/index.ts';
import type { Audit } from '../audit/index.ts';
import { AUTH_TABLES, type AuthManaged } from '../auth-managed/index.ts';
import { domainOfEmail } from './domain.ts';
import type { GroupRoles } from './group-roles.ts';
import {
  administersPlatform,
  join,
  type KnownUser,
  organizationsOf,
  refusalOf,
  userByEmail,
  userById,
} from './membership.ts';
import type { FoundConnection } from './scim-connections.ts';

/** One request of an identity provider. */
export interface ScimCall {
  readonly connection: FoundConnection;
  readonly scope: Scope;
  /** Whether it has given a user another address. */
  isReaddressed: boolean;
}

export interface ProvisioningInit {
  readonly auth: AuthManaged;
  readonly groupRoles: GroupRoles;
  readonly audit: Pick<Audit, 'change'> | undefined;
  /** The request that is being answered. */
  current(): ScimCall;
}

/** Stands as the reason of a ban that ends when the identity provider activates the user again. */
const DEPROVISIONED = 'Deactivated by the identity provider (SCIM).';

const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** In the form of RFC 7644. */
function scimError(status: 'BAD_REQUEST' | 'CONFLICT', detail: string, scimType?: string): APIError {
  const error = new APIError(status, {
    schemas: [ERROR_SCHEMA],
    status: status === 'CONFLICT' ? '409' : '400',
    detail,
    ...(scimType !== undefined && { scimType }),
  });
  error.message = detail;
  return error;
}

/** Throws unless the address is at the domain that the organization holds. */
export function checkAddress(email: string, { domain }: FoundConnection): void {
  if (domain !== null && domainOfEmail(email) === domain) return;
  throw scimError(
    'BAD_REQUEST',
    `Users must have e-mail addresses at ${domain ?? 'a verified domain'}.`,
    'invalidValue',
  );
}

export function provisioning({
  auth,
  groupRoles,
  audit,
  current,
}: ProvisioningInit): Pick<SCIMOptions, 'identity' | 'projection'> {
  const { host, users } = auth;
  const note = async (db: Knex, action: string, user: KnownUser) => {
    const target = { type: 'user', id: user.id, label: user.email };
    // Within the call into the library, `db` is its transaction.
    await audit?.change({ action, target }, current().scope, db as Knex.Transaction);
  };

  async function resolveUser(email: string): Promise<SCIMIdentityResolution> {
    const { connection } = current();
    checkAddress(email, connection);
    const user = await host.run((db) => userByEmail(db, email.toLowerCase()));
    if (user === undefined) return { action: 'create' };
    const refusal = await host.run((db) => refusalOf(db, user, connection.organizationId));
    if (refusal !== undefined) throw scimError('CONFLICT', refusal, 'uniqueness');
    return { action: 'link', userId: user.id, profile: 'manage' };
  }

  async function activate(db: Knex, user: KnownUser, orgId: string): Promise<void> {
    const isNew = await join(db, user.id, orgId);
    const isBack = Boolean(user.banned) && user.banReason === DEPROVISIONED;
    if (isBack) {
      const lifted = { banned: false, banReason: null, banExpires: null };
      await db(AUTH_TABLES.user).where({ id: user.id }).update(lifted);
    }
    if (isNew || isBack) await note(db, 'user.provisioned', user);
  }

  /** Who belongs elsewhere too leaves the organization; everybody else cannot sign in any more. */
  async function deactivate(db: Knex, user: KnownUser, orgId: string): Promise<void> {
    const organizations = await organizationsOf(db, user.id);
    if (user.banned || !organizations.includes(orgId)) return;
    await users.mustNotBeLastAdministrator(current().scope, user.id);
    if (organizations.length > 1)
      await db(AUTH_TABLES.member).where({ userId: user.id, organizationId: orgId }).delete();
    else {
      const ban = { banned: true, banReason: DEPROVISIONED, banExpires: null };
      await db(AUTH_TABLES.user).where({ id: user.id }).update(ban);
    }
    await note(db, 'user.deprovisioned', user);
  }

  return {
    identity: { resolveUser: ({ resource }) => resolveUser(resource.primaryEmail) },
    projection: {
      async reconcileUser({ userId, provisioningDomainId, active }) {
        const known = await host.run((db) => userById(db, userId));
        if (known === undefined) return;
        if (current().isReaddressed) {
          // Who reads the mails to an account's address sets its password. This takes the new address back.
          const refusal = await host.run((db) => refusalOf(db, known, provisioningDomainId));
          if (refusal !== undefined) throw scimError('CONFLICT', refusal, 'mutability');
        }
        // Whom the platform has made administrator since then is not this organization's to ban or sign out.
        if (administersPlatform(known)) return;
        const settle = async () => {
          // Administrators may be leaving, or be demoted by hand, at the same moment.
          await host.lockAdministrators();
          host.invalidate(userId);
          await host.run(async (db) => {
            const user = await userById(db, userId);
            if (user === undefined) return;
            if (active) await activate(db, user, provisioningDomainId);
            await groupRoles.apply(current().scope, userId);
            if (!active) await deactivate(db, user, provisioningDomainId);
          });
        };
        await host.transaction(settle).catch((error: unknown) => {
          // Such as of the last administrator.
          if (error instanceof AtlasError && error.code === 'forbidden') throw scimError('CONFLICT', error.message);
          throw error;
        });
        if (!active) await host.endSessions(userId);
        await host.settle(userId);
      },
    },
  };
}
