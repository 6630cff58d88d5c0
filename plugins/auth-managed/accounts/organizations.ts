/** Says who belongs to an organization, and takes sessions out of those that their users have left. */
import type { SessionCache } from '../better-auth/session-cache.ts';
import { TABLES } from '../migrations.ts';
import type { Store } from '../store.ts';
import { endLostPromotions } from './administrators.ts';

export class Organizations {
  readonly #store: Store;
  readonly #sessionCache: SessionCache;

  constructor(store: Store, sessionCache: SessionCache) {
    this.#store = store;
    this.#sessionCache = sessionCache;
  }

  async isOwner(userId: string, organizationId: string): Promise<boolean> {
    const owner = { userId, organizationId, role: 'owner' };
    return (await this.#store.run((db) => db(TABLES.member).where(owner).first('id'))) !== undefined;
  }

  /**
   * Takes sessions out of organizations to which their users do not belong any more, and into the longest-standing one
   * to which they do: only a user without any organization has a session without one. Before that it takes the role
   * from administrators who were made so within an organization and have none left. Of one user, or of all.
   */
  async settleMembers(userId?: string): Promise<void> {
    await endLostPromotions(this.#store, this.#sessionCache, userId);
    await this.#store.transaction(async () => {
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
    });
  }
}
