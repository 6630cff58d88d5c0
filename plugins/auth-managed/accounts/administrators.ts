/** Tells administrators of the platform from those of organizations, whose role ends with their last membership. */
import type { Knex } from 'knex';
import type { SessionCache } from '../better-auth/session-cache.ts';
import { TABLES } from '../migrations.ts';
import type { Store } from '../store.ts';
import { REDUCED_ROLE } from './standing.ts';

/** Whether the platform, not an organization, has made the user administrator. */
export function isPlatformAdministrator(db: Knex, userId: string): Promise<boolean> {
  const made = db(TABLES.user)
    .where({ id: userId, role: 'admin' })
    .where((mark) => mark.whereNull('adminByOrganization').orWhere('adminByOrganization', false));
  return made.first('id').then((row) => row !== undefined);
}

/** Takes the role from those who were made administrator within an organization and belong to none any more. */
export async function endLostPromotions(store: Store, sessionCache: SessionCache, userId?: string): Promise<void> {
  await store.transaction(async () => {
    const ended = await store.run((db) => {
      const memberships = db(TABLES.member).whereRaw('?? = ??', [`${TABLES.member}.userId`, `${TABLES.user}.id`]);
      const lost = db(TABLES.user)
        .where({ role: 'admin', adminByOrganization: true })
        .whereNotExists(memberships.select(db.raw('1')));
      if (userId !== undefined) lost.where({ id: userId });
      return lost.update({ role: REDUCED_ROLE, adminByOrganization: false }).returning('id');
    });
    for (const { id } of ended) sessionCache.invalidate(id);
  });
}
