/** Tells administrators of the platform from those made within an organization, whose role ends with their last membership. */
import type { Knex } from 'knex';
import type { Freshness } from './freshness.ts';
import { TABLES } from './migrations.ts';
import type { Store } from './store.ts';

/** What an administrator made within an organization is without one. */
export const ROLE_WITHOUT_ORGANIZATION = 'analyst';

/** Whether the platform, not an organization, has made the user administrator. */
export function isPlatformAdministrator(db: Knex, userId: string): Promise<boolean> {
  const made = db(TABLES.user)
    .where({ id: userId, role: 'admin' })
    .where((mark) => mark.whereNull('adminByOrganization').orWhere('adminByOrganization', false));
  return made.first('id').then((row) => row !== undefined);
}

/** Takes the role from those who were made administrator within an organization and belong to none any more. */
export async function endLostPromotions(store: Store, freshness: Freshness, userId?: string): Promise<void> {
  const ended = await store.run((db) => {
    const memberships = db(TABLES.member).whereRaw('?? = ??', [`${TABLES.member}.userId`, `${TABLES.user}.id`]);
    const lost = db(TABLES.user)
      .where({ role: 'admin', adminByOrganization: true })
      .whereNotExists(memberships.select(db.raw('1')));
    if (userId !== undefined) lost.where({ id: userId });
    return lost.update({ role: ROLE_WITHOUT_ORGANIZATION, adminByOrganization: false }).returning('id');
  });
  for (const { id } of ended) freshness.changed(id);
}
