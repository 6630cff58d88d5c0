/** Deletes what the SCIM library keeps of connections. */
import type { Knex } from 'knex';
import { GIVEN_ROLES, SCIM_TABLES } from './migrations.ts';

/** The users themselves stay. */
export async function forgetConnections(trx: Knex.Transaction, ids: readonly string[]): Promise<void> {
  const { scimSubject, scimUser, ...others } = SCIM_TABLES;
  const { scimGroupMember, scimProjectionGrant, scimGroup, scimIdentityTombstone, scimConnectionBinding } = others;
  for (const table of [scimGroupMember, scimProjectionGrant, scimGroup, scimIdentityTombstone, scimConnectionBinding]) {
    await trx(table).whereIn('connectionId', ids).delete();
  }
  await trx(scimUser).whereIn('connectionId', ids).delete();
  // Their roles are changed by hand from now on.
  const provisioned = trx(scimUser)
    .whereRaw('?? = ??', [`${scimUser}.userId`, `${GIVEN_ROLES}.userId`])
    .whereRaw('?? = ??', [`${scimUser}.provisioningDomainId`, `${GIVEN_ROLES}.organizationId`]);
  await trx(GIVEN_ROLES)
    .whereNotExists(provisioned.select(trx.raw('1')))
    .delete();
  const managed = trx(scimUser).whereRaw('?? = ??', [`${scimUser}.userId`, `${scimSubject}.userId`]);
  await trx(scimSubject)
    .whereNotExists(managed.select(trx.raw('1')))
    .delete();
}
