/** Keeps which role members of a SCIM group have in the organization, and gives it to them and takes it away. */
import type { Knex } from 'knex';
import { AtlasError, type Scope } from '../../kernel/index.ts';
import type { Audit } from '../audit/index.ts';
import type { AuthManaged } from '../auth-managed/index.ts';
import { administersPlatform, organizationsOf, userById } from './membership.ts';
import { GIVEN_ROLES, GROUP_ROLES, SCIM_TABLES } from './migrations.ts';

export interface GroupRole {
  /** Display name, in any case, or external id of the group. */
  readonly group: string;
  readonly role: string;
}

export class GroupRoles {
  readonly #auth: AuthManaged;
  readonly #audit: Pick<Audit, 'change'> | undefined;

  constructor(auth: AuthManaged, audit: Pick<Audit, 'change'> | undefined) {
    this.#auth = auth;
    this.#audit = audit;
  }

  /** By group. */
  list(organizationId: string): Promise<GroupRole[]> {
    return this.#auth.host.run(async (db) =>
      db(GROUP_ROLES).where({ organizationId }).orderBy('groupName').select({ group: 'groupName', role: 'role' }),
    );
  }

  /**
   * Replaces all of them, and the roles of members with them. Throws `validation_error` for a group named twice,
   * `not_found` for a role that does not exist, and `forbidden` where the last administrator would be none any more.
   */
  async replace(organizationId: string, wanted: readonly GroupRole[], scope: Scope): Promise<GroupRole[]> {
    const { host, roles } = this.#auth;
    const names = wanted.map(({ group }) => group.trim().toLowerCase());
    const twice = names.findIndex((name, index) => names.indexOf(name) !== index);
    if (twice >= 0) {
      const details = [{ path: `groupRoles.${twice}.group`, message: 'is named twice' }];
      throw new AtlasError('Each group has one role.', { code: 'validation_error', details });
    }
    await host.transaction(async () => {
      await host.run((db) => lockMembers(db, organizationId));
      await host.lockAdministrators();
      const before = { groupRoles: await this.list(organizationId) };
      const rows: object[] = [];
      for (const { group, role } of wanted) {
        rows.push({ organizationId, groupName: group.trim(), role: (await roles.find(scope, role)).id });
      }
      await host.run(async (db) => {
        await db(GROUP_ROLES).where({ organizationId }).delete();
        if (rows.length > 0) await db(GROUP_ROLES).insert(rows);
      });
      const after = { groupRoles: await this.list(organizationId) };
      const ids = await host.run((db) => this.#applyAll(db, scope));
      const target = { type: 'organization', id: organizationId };
      await host.run(async (db) =>
        this.#audit?.change(
          { action: 'scim.group_roles_changed', target, before, after },
          scope,
          db as Knex.Transaction,
        ),
      );
      for (const id of ids) host.invalidate(id);
    });
    return this.list(organizationId);
  }

  /** Gives a member the role of their groups; once they are in no such group, the one that they had before. */
  apply(scope: Scope, userId: string): Promise<void> {
    return this.#auth.host.run(async (db) => {
      const orgId = scope.orgId ?? '';
      const wanted = await this.#wanted(db, scope, userId);
      const given = await givenRoles(db, orgId, userId);
      await this.#settle(db, scope, userId, wanted.get(userId), given.get(userId));
    });
  }

  /** Resolves to the users whose role was looked after. Promotions come first, so that there is always an administrator. */
  async #applyAll(db: Knex, scope: Scope): Promise<string[]> {
    const wanted = await this.#wanted(db, scope);
    const given = await givenRoles(db, scope.orgId ?? '');
    const ids = [...new Set([...wanted.keys(), ...given.keys()])];
    const isPromotion = (id: string) => Number(wanted.get(id) === 'admin');
    ids.sort((a, b) => isPromotion(b) - isPromotion(a));
    for (const id of ids) await this.#settle(db, scope, id, wanted.get(id), given.get(id));
    return ids;
  }

  async #settle(
    db: Knex,
    scope: Scope,
    userId: string,
    wanted: string | undefined,
    given: Given | undefined,
  ): Promise<void> {
    if (wanted === given?.role) return;
    const organizationId = scope.orgId ?? '';
    const user = await userById(db, userId);
    const isMember = (await organizationsOf(db, userId)).includes(organizationId);
    if (user === undefined || administersPlatform(user)) return;
    // Who was administrator by hand does not become one again by leaving a group.
    const before = given?.before ?? (user.role === 'viewer' ? 'viewer' : 'analyst');
    const isGiven = isMember && (await this.#auth.users.provisionRole(scope, userId, wanted ?? before));
    await db(GIVEN_ROLES).where({ organizationId, userId }).delete();
    if (isGiven && wanted !== undefined) await db(GIVEN_ROLES).insert({ organizationId, userId, role: wanted, before });
  }

  /** The roles of members by their groups: of several the one with the most rights. */
  async #wanted(db: Knex, scope: Scope, userId?: string): Promise<Map<string, string>> {
    const { scimGroup, scimGroupMember, scimUser } = SCIM_TABLES;
    const wanted = new Map<string, string>();
    const query = db(GROUP_ROLES)
      .join(scimGroup, `${scimGroup}.provisioningDomainId`, `${GROUP_ROLES}.organizationId`)
      .join(scimGroupMember, `${scimGroupMember}.groupId`, `${scimGroup}.id`)
      .join(scimUser, `${scimUser}.id`, `${scimGroupMember}.scimUserId`)
      .where({ [`${GROUP_ROLES}.organizationId`]: scope.orgId, [`${scimUser}.active`]: true })
      .whereRaw('(lower(??) = lower(??) or ?? = ??)', [
        `${scimGroup}.displayName`,
        `${GROUP_ROLES}.groupName`,
        `${scimGroup}.externalId`,
        `${GROUP_ROLES}.groupName`,
      ]);
    if (userId !== undefined) query.where(`${scimUser}.userId`, userId);
    const held: { userId: string; role: string }[] = await query.distinct(`${scimUser}.userId`, `${GROUP_ROLES}.role`);
    if (held.length === 0) return wanted;
    // Built-in ones first, the administrator's before all; a role that has been deleted grants nothing.
    const { roles } = await this.#auth.roles.list(scope, { limit: 1_000, offset: 0 });
    const ranked = roles.toSorted((a, b) => b.rights.length - a.rights.length).map(({ id }) => id);
    for (const one of held) {
      const [known, rank] = [wanted.get(one.userId), ranked.indexOf(one.role)];
      if (rank >= 0 && (known === undefined || rank < ranked.indexOf(known))) wanted.set(one.userId, one.role);
    }
    return wanted;
  }
}

/** In the order in which requests of SCIM lock them, before they lock administrators. */
async function lockMembers(db: Knex, organizationId: string): Promise<void> {
  const { scimSubject, scimUser } = SCIM_TABLES;
  const provisioned = db(scimUser).where({ provisioningDomainId: organizationId }).select('userId');
  await db(scimSubject).whereIn('userId', provisioned).orderBy('userId').forUpdate().select('id');
}

interface Given {
  readonly role: string;
  readonly before: string;
}

async function givenRoles(db: Knex, organizationId: string, userId?: string): Promise<Map<string, Given>> {
  const rows = await db(GIVEN_ROLES).where({ organizationId, ...(userId !== undefined && { userId }) });
  return new Map(rows.map(({ userId: id, role, before }) => [id, { role, before }]));
}
