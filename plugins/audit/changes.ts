/** Reads what administrators have changed. */
import { readPage, type SortedPage, shownBy } from '../admin-kit/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import type { ChangeRow } from './change.ts';
import { type ChangeFilter, firstMoment, lastMoment } from './filter.ts';
import { AUDIT_TABLE } from './migrations.ts';
import { CHANGE_ORDERS } from './orders.ts';
import { AdminChange } from './schemas.ts';

const shownChange = shownBy(AdminChange);

/** By default newest first. */
export async function listChanges(db: InternalDb, filter: ChangeFilter, page: SortedPage<typeof CHANGE_ORDERS>) {
  const { orgId, user, action, target, targetType, from, to } = filter;
  const equal = { user_id: user, action, target_id: target, target_type: targetType };
  const { rows, total } = await db.run((knex) => {
    const matching = () => {
      const query = knex(AUDIT_TABLE).whereNull('deleted_at').whereNotNull('action').where('org_id', orgId);
      for (const [column, value] of Object.entries(equal)) if (value !== undefined) query.where(column, value);
      if (from !== undefined) query.where('timestamp', '>=', firstMoment(from));
      if (to !== undefined) query.where('timestamp', '<=', lastMoment(to));
      return query;
    };
    const key = { column: 'id', all: () => knex(AUDIT_TABLE) };
    return readPage<ChangeRow>({ matching, order: CHANGE_ORDERS.order(page.sort), key }, page);
  });
  return { changes: rows.map(shownChange), total };
}
