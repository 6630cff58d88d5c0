/** Deletes the rows of an organization that is deleted. */
import type { InternalDb } from '../internal-db/index.ts';

/** `table` names the organization in `org_id`. */
export async function deleteRowsOf(orgId: string, db: InternalDb, table: string): Promise<void> {
  await db.run((knex) => knex(table).where({ org_id: orgId }).delete());
}
