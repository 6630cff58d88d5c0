/** Organizations as other plugins see them: who belongs, with which role, and invitations. */
import { AtlasError } from '../../../kernel/index.ts';
import { ORGANIZATION_ROLES } from '../better-auth/organization-endpoints.ts';
import type { SessionCache } from '../better-auth/session-cache.ts';
import { TABLES } from '../migrations.ts';
import type { Store } from '../store.ts';
import { endLostPromotions } from './administrators.ts';

export interface RoleMember {
  readonly userId: string;
  readonly role: string;
  /** ISO 8601. */
  readonly createdAt: string;
}

function notFound(what: string): AtlasError {
  return new AtlasError(`There is no such ${what} in this organization.`, { code: 'not_found' });
}

export class Organizations {
  readonly #store: Store;
  readonly #sessionCache: SessionCache;

  constructor(store: Store, sessionCache: SessionCache) {
    this.#store = store;
    this.#sessionCache = sessionCache;
  }

  /** Every role that a member may have. */
  get roles(): readonly string[] {
    return ORGANIZATION_ROLES;
  }

  /** Members of the organization, or those with one role, the longest-standing first. */
  async members(orgId: string, role?: string): Promise<RoleMember[]> {
    const rows = await this.#store.run((db) => {
      const query = db(TABLES.member).where({ organizationId: orgId }).orderBy('createdAt').orderBy('id');
      if (role !== undefined) query.where({ role });
      return query.select('userId', 'role', 'createdAt');
    });
    return rows.map(({ userId, role: held, createdAt }) => ({
      userId,
      role: held,
      createdAt: new Date(createdAt).toISOString(),
    }));
  }

  /** Throws `not_found` for a role that does not exist and for a user who is no member, `forbidden` for the last owner. */
  async setMemberRole(orgId: string, userId: string, role: string): Promise<{ userId: string; role: string }> {
    if (!(ORGANIZATION_ROLES as readonly string[]).includes(role)) throw notFound('role');
    await this.#store.transaction(async () => {
      // Two owners who step down at once would each see the other.
      const owners = await this.#store.run((db) =>
        db(TABLES.member).where({ organizationId: orgId, role: 'owner' }).orderBy('id').forUpdate().select('userId'),
      );
      if (role !== 'owner' && owners.length === 1 && owners[0]?.userId === userId) {
        throw new AtlasError('The last owner of an organization stays its owner.', {
          code: 'forbidden',
          hint: 'Make another member its owner first.',
        });
      }
      const changed = await this.#store.run((db) =>
        db(TABLES.member).where({ organizationId: orgId, userId }).update({ role }),
      );
      if (changed === 0) throw notFound('member');
    });
    this.#sessionCache.invalidate(userId);
    return { userId, role };
  }

  /** Throws `not_found` unless there is such a pending invitation of the organization. */
  async revokeInvitation(orgId: string, invitationId: string): Promise<void> {
    const changed = await this.#store.run((db) =>
      db(TABLES.invitation)
        .where({ id: invitationId, organizationId: orgId, status: 'pending' })
        .update({ status: 'canceled' }),
    );
    if (changed === 0) throw notFound('pending invitation');
  }

  async isOwner(userId: string, organizationId: string): Promise<boolean> {
    const owner = { userId, organizationId, role: 'owner' };
    return (await this.#store.run((db) => db(TABLES.member).where(owner).first('id'))) !== undefined;
  }

  /** Throws `forbidden` unless the user belongs to the organization that `id` or else `slug` names. */
  async mustBelong(userId: string, { id, slug }: { id: string | undefined; slug: string | undefined }): Promise<void> {
    if (id === undefined && slug === undefined) {
      throw new AtlasError('Say which organization: organizationId or organizationSlug.', {
        code: 'validation_error',
        details: [{ path: 'organizationId', message: 'is required' }],
      });
    }
    const member = await this.#store.run((db) => {
      const query = db(TABLES.member)
        .join(TABLES.organization, `${TABLES.organization}.id`, `${TABLES.member}.organizationId`)
        .where(`${TABLES.member}.userId`, userId);
      if (id === undefined) query.where(`${TABLES.organization}.slug`, slug);
      else query.where(`${TABLES.organization}.id`, id);
      return query.first(`${TABLES.member}.id`);
    });
    if (member === undefined) throw new AtlasError('You do not belong to this organization.', { code: 'forbidden' });
  }

  /**
   * Takes sessions out of organizations to which their users do not belong any more, and into the longest-standing one
   * to which they do: only a user without any organization has a session without one. Before that it takes the role
   * from administrators who were made so within an organization and have none left. Of one user, or of all.
   */
  async settleMembers(userId?: string): Promise<void> {
    await endLostPromotions(this.#store, this.#sessionCache, userId);
    const moved = await this.#store.run((db) => {
      const memberships = () =>
        db(TABLES.member).whereRaw('?? = ??', [`${TABLES.member}.userId`, `${TABLES.session}.userId`]);
      const active = memberships().whereRaw('?? = ??', [
        `${TABLES.member}.organizationId`,
        `${TABLES.session}.activeOrganizationId`,
      ]);
      const unsettled = db(TABLES.session).where((either) =>
        either
          .where((left) => left.whereNotNull('activeOrganizationId').whereNotExists(active.select(db.raw('1'))))
          .orWhere((none) => none.whereNull('activeOrganizationId').whereExists(memberships().select(db.raw('1')))),
      );
      if (userId !== undefined) unsettled.where({ userId });
      return unsettled
        .update({
          activeOrganizationId: memberships().orderBy('createdAt').orderBy('id').limit(1).select('organizationId'),
        })
        .returning('userId');
    });
    for (const row of moved) this.#sessionCache.invalidate(row.userId);
  }
}
