/** Deletes what the SCIM library keeps of connections. */
import type { Knex } from 'knex';
import { SCIM_TABLES } from './migrations.ts';

/** The users themselves stay. */
export async function forgetConnections(trx: Knex.Transaction, ids: readonly string[]): Promise<void> {
  const { scimSubject, scimUser, ...others } = SCIM_TABLES;
  const { scimGroupMember, scimProjectionGrant, scimGroup, scimIdentityTombstone, scimConnectionBinding } = others;
  for (const table of [scimGroupMember, scimProjectionGrant, scimGroup, scimIdentityTombstone, scimConnectionBinding]) {
    await trx(table).whereIn('connectionId', ids).delete();
  }
  await trx(scimUser).whereIn('connectionId', ids).delete();
  const managed = trx(scimUser).whereRaw('?? = ??', [`${scimUser}.userId`, `${scimSubject}.userId`]);
  await trx(scimSubject)
    .whereNotExists(managed.select(trx.raw('1')))
    .delete();
}
