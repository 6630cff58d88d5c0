/** Creates the tables of identity providers, domains, enforcement and SCIM. */
import type { Knex } from 'knex';
import type { Migration } from '../../kernel/index.ts';
import { AUTH_TABLES } from '../auth-managed/index.ts';
import { type InternalDb, migration, type StoredTable } from '../internal-db/index.ts';

export const PROVIDERS = 'sso_provider';
export const DOMAINS = 'sso_domain';
export const ENFORCEMENT = 'sso_enforcement';
/** Sessions that began at an identity provider. */
export const SESSIONS = 'sso_session';
export const CONNECTIONS = 'sso_scim_connection';
export const GROUP_ROLES = 'sso_scim_group_role';
export const GIVEN_ROLES = 'sso_scim_given_role';

/** Tables of the SCIM library, by its names. */
export const SCIM_TABLES = {
  scimConnectionBinding: 'sso_scim_binding',
  scimIdentityTombstone: 'sso_scim_tombstone',
  scimSubject: 'sso_scim_subject',
  scimUser: 'sso_scim_user',
  scimGroup: 'sso_scim_group',
  scimProjectionGrant: 'sso_scim_grant',
  scimGroupMember: 'sso_scim_member',
} as const;

export const STORED_TABLES: readonly StoredTable[] = [
  { table: PROVIDERS, sealed: ['oidcConfig', 'samlConfig'] },
  ...[DOMAINS, ENFORCEMENT, CONNECTIONS, ...Object.values(SCIM_TABLES), GROUP_ROLES, GIVEN_ROLES].map((table) => ({
    table,
  })),
  { table: SESSIONS, isTransient: true },
];

type Dialect = InternalDb['dialect'];

function columns(table: Knex.CreateTableBuilder, dialect: Dialect) {
  const refers = (to: string) => (name: string) =>
    table.text(name).notNullable().references('id').inTable(to).onDelete('CASCADE');
  return {
    id: () => table.text('id').notNullable().primary(),
    text: (name: string) => table.text(name),
    /** As the authentication library keeps them: SQLite has no dates. */
    date: (name: string) =>
      dialect === 'sqlite' ? table.text(name) : table.timestamp(name, { useTz: true, precision: 3 }),
    organization: refers(AUTH_TABLES.organization),
    user: refers(AUTH_TABLES.user),
    scimUser: refers(SCIM_TABLES.scimUser),
    scimGroup: refers(SCIM_TABLES.scimGroup),
    provider: refers(PROVIDERS),
  };
}

async function createProviders(trx: Knex.Transaction, dialect: Dialect): Promise<void> {
  await trx.schema.createTable(PROVIDERS, (table) => {
    const { id, text, organization } = columns(table, dialect);
    id();
    text('providerId').notNullable().unique();
    organization('organizationId').index();
    text('name').notNullable();
    text('issuer').notNullable();
    text('clientId');
    text('domain').notNullable().index();
    table.boolean('domainVerified').notNullable();
    text('domainToken').notNullable();
    // Encrypted: they hold the client's secret and private keys.
    text('oidcConfig');
    text('samlConfig');
    text('userId');
    table.string('createdAt', 24).notNullable();
    text('createdBy');
  });
  // A verified domain belongs to one organization.
  await trx.schema.createTable(DOMAINS, (table) => {
    table.text('domain').notNullable().primary();
    columns(table, dialect).organization('organizationId').index();
    table.string('verifiedAt', 24).notNullable();
  });
  await trx.schema.createTable(ENFORCEMENT, (table) => {
    columns(table, dialect).organization('organizationId').primary();
    table.string('enforcedAt', 24).notNullable();
    table.text('enforcedBy');
  });
}

async function createScim(trx: Knex.Transaction, dialect: Dialect): Promise<void> {
  const { scimConnectionBinding, scimIdentityTombstone, scimSubject, scimUser } = SCIM_TABLES;
  const { scimGroup, scimProjectionGrant, scimGroupMember } = SCIM_TABLES;
  await trx.schema.createTable(CONNECTIONS, (table) => {
    const { id, text, organization, provider } = columns(table, dialect);
    id();
    organization('organizationId').index();
    provider('providerId').index();
    text('tokenHash').notNullable().unique();
    table.string('createdAt', 24).notNullable();
    text('createdBy');
    table.string('lastSyncAt', 24);
  });
  await trx.schema.createTable(scimConnectionBinding, (table) => {
    const { id, text, date } = columns(table, dialect);
    id();
    text('connectionId').notNullable().index();
    text('connectionKey').notNullable().unique();
    text('provisioningDomainId').notNullable();
    date('createdAt').notNullable();
    date('decommissionedAt');
    text('decommissionStatus').notNullable();
    text('decommissionCursorUserId');
    table.integer('decommissionReconciledUserCount').notNullable();
    table.integer('decommissionBatchCount').notNullable();
    table.integer('decommissionRevision').notNullable();
    date('decommissionCompletedAt');
    text('decommissionLeaseId');
    date('decommissionLeaseExpiresAt');
  });
  await trx.schema.createTable(scimIdentityTombstone, (table) => {
    const { id, text, date, user } = columns(table, dialect);
    id();
    text('connectionId').notNullable().index();
    text('provisioningDomainId').notNullable();
    text('externalId').notNullable();
    text('externalIdKey').notNullable().unique();
    user('userId').index();
    text('profile').notNullable();
    date('deletedAt').notNullable();
  });
  await trx.schema.createTable(scimSubject, (table) => {
    const { id, text, date, user } = columns(table, dialect);
    id();
    user('userId').unique();
    text('profileSourceId').index();
    table.integer('revision').notNullable();
    date('createdAt').notNullable();
    date('updatedAt').notNullable();
  });
  await trx.schema.createTable(scimUser, (table) => {
    const { id, text, date, user } = columns(table, dialect);
    id();
    text('connectionId').notNullable();
    text('provisioningDomainId').notNullable().index();
    user('userId').index();
    text('connectionUserKey').notNullable().unique();
    text('userName').notNullable();
    text('userNameKey').notNullable().unique();
    text('primaryEmail').notNullable();
    text('workEmailValueIndex').notNullable();
    text('emailValueIndex').notNullable();
    text('displayName').notNullable();
    text('formattedName').notNullable();
    text('givenName');
    text('familyName');
    text('serializedEmails').notNullable();
    text('serializedAttributes');
    text('externalId');
    text('externalIdKey').unique();
    table.boolean('active').notNullable();
    text('orderKey').notNullable().unique();
    date('createdAt').notNullable();
    date('updatedAt').notNullable();
    table.index(['connectionId', 'orderKey'], 'sso_scim_user_in_order');
  });
  await trx.schema.createTable(scimGroup, (table) => {
    const { id, text, date } = columns(table, dialect);
    id();
    text('connectionId').notNullable();
    text('provisioningDomainId').notNullable();
    table.integer('revision').notNullable();
    text('displayName').notNullable();
    text('displayNameKey').notNullable().unique();
    text('externalId');
    text('externalIdKey').unique();
    text('orderKey').notNullable().unique();
    date('createdAt').notNullable();
    date('updatedAt').notNullable();
    table.index(['connectionId', 'orderKey'], 'sso_scim_group_in_order');
  });
  await trx.schema.createTable(scimProjectionGrant, (table) => {
    const { id, text, date, user, scimUser: provisioned } = columns(table, dialect);
    id();
    text('connectionId').notNullable();
    text('provisioningDomainId').notNullable();
    provisioned('scimUserId').index();
    user('userId').index();
    text('sourceKind').notNullable();
    text('sourceId').notNullable();
    text('sourceValue');
    text('role').notNullable();
    text('grantKey').notNullable().unique();
    date('createdAt').notNullable();
    date('updatedAt').notNullable();
  });
  await trx.schema.createTable(scimGroupMember, (table) => {
    const { id, text, date, scimUser: provisioned, scimGroup: group } = columns(table, dialect);
    id();
    text('connectionId').notNullable();
    group('groupId').index();
    provisioned('scimUserId').index();
    text('membershipKey').notNullable().unique();
    date('createdAt').notNullable();
  });
}

async function createGroupRoles(trx: Knex.Transaction, dialect: Dialect): Promise<void> {
  await trx.schema.createTable(GROUP_ROLES, (table) => {
    columns(table, dialect).organization('organizationId');
    // Display name or external id.
    table.text('groupName').notNullable();
    table.text('role').notNullable();
    table.primary(['organizationId', 'groupName']);
  });
  // What users have by their groups, and which role they have without these.
  await trx.schema.createTable(GIVEN_ROLES, (table) => {
    const { organization, user } = columns(table, dialect);
    organization('organizationId');
    user('userId').index();
    table.text('role').notNullable();
    table.text('before').notNullable();
    table.primary(['organizationId', 'userId']);
  });
}

export function migrationsFor(dialect: Dialect): Migration[] {
  return [
    migration('0001-sso-and-scim', async (trx) => {
      await createProviders(trx, dialect);
      await createScim(trx, dialect);
    }),
    migration('0002-scim-group-roles', (trx) => createGroupRoles(trx, dialect)),
    migration('0003-sso-sessions', async ({ schema }) => {
      await schema.createTable(SESSIONS, (table) => {
        table.text('sessionId').notNullable().primary();
        table.foreign('sessionId').references('id').inTable(AUTH_TABLES.session).onDelete('CASCADE');
      });
    }),
  ];
}
