/** The tables of users, sessions and organizations, as the authentication library expects them. */
import type { Knex } from 'knex';
import type { Migration } from '../../kernel/index.ts';
import { migration, type StoredTable } from '../internal-db/index.ts';
import { hashedToken } from './better-auth/session-token.ts';
import {
  createPostgresDirectory,
  createSqliteDirectory,
  DIRECTORY,
  DIRECTORY_COUNT,
  indexOrders,
} from './directory-schema.ts';

/** By the library's name. The prefix keeps them apart from other plugins' tables, and from words of SQL. */
export const TABLES = {
  user: 'auth_user',
  session: 'auth_session',
  account: 'auth_account',
  verification: 'auth_verification',
  organization: 'auth_organization',
  member: 'auth_member',
  invitation: 'auth_invitation',
  /** Custom roles of organizations; the library knows nothing of them. */
  role: 'auth_role',
} as const;

/** Rows that are locked, never changed: a transaction that decides by counting locks the row first. */
export const LOCKS = { table: 'auth_lock', firstUser: 'first-user', admins: 'admins' } as const;

export const STORED_TABLES: readonly StoredTable[] = [
  // The triggers of some of them fill the directory.
  ...[TABLES.user, TABLES.account, TABLES.organization, TABLES.role, TABLES.member, TABLES.invitation].map((table) => ({
    table,
    runsTriggers: true,
  })),
  // Users sign in anew where their data are moved to.
  ...[TABLES.session, TABLES.verification, LOCKS.table].map((table) => ({ table, isTransient: true })),
  // Triggers fill them.
  ...[DIRECTORY, DIRECTORY_COUNT].map((table) => ({ table, isTransient: true })),
];

type Dialect = 'postgres' | 'sqlite';

/** SQLite has no dates: there they are ISO 8601 texts in UTC, which sort like the times they stand for. */
function columns(table: Knex.CreateTableBuilder, dialect: Dialect) {
  return {
    text: (name: string) => table.text(name),
    // SQLite would take rows without one.
    id: () => table.text('id').notNullable().primary(),
    flag: (name: string) => table.boolean(name),
    date: (name: string) =>
      dialect === 'sqlite' ? table.text(name) : table.timestamp(name, { useTz: true, precision: 3 }),
    user: (name: string) => table.text(name).notNullable().references('id').inTable(TABLES.user).onDelete('CASCADE'),
    organization: (name: string) =>
      table.text(name).notNullable().references('id').inTable(TABLES.organization).onDelete('CASCADE'),
  };
}

function createUsers(trx: Knex.Transaction, dialect: Dialect): Promise<void> {
  return trx.schema.createTable(TABLES.user, (table) => {
    const { id, text, flag, date } = columns(table, dialect);
    id();
    text('name').notNullable();
    text('email').notNullable().unique();
    flag('emailVerified').notNullable();
    text('image');
    date('createdAt').notNullable().index();
    date('updatedAt').notNullable();
    text('role').index();
    flag('banned');
    text('banReason');
    date('banExpires');
    flag('passwordChangeRequired');
  });
}

async function createSessions(trx: Knex.Transaction, dialect: Dialect): Promise<void> {
  await trx.schema.createTable(TABLES.session, (table) => {
    const { id, text, date, user } = columns(table, dialect);
    id();
    date('expiresAt').notNullable().index();
    text('token').notNullable().unique();
    date('createdAt').notNullable();
    date('updatedAt').notNullable();
    text('ipAddress');
    text('userAgent');
    user('userId').index();
    text('impersonatedBy');
    text('activeOrganizationId');
  });
  await trx.schema.createTable(TABLES.account, (table) => {
    const { id, text, date, user } = columns(table, dialect);
    id();
    text('accountId').notNullable();
    text('providerId').notNullable();
    user('userId').index();
    text('accessToken');
    text('refreshToken');
    text('idToken');
    date('accessTokenExpiresAt');
    date('refreshTokenExpiresAt');
    text('scope');
    text('password');
    date('createdAt').notNullable();
    date('updatedAt').notNullable();
    table.unique(['providerId', 'accountId']);
  });
  await trx.schema.createTable(TABLES.verification, (table) => {
    const { id, text, date } = columns(table, dialect);
    id();
    text('identifier').notNullable().index();
    text('value').notNullable();
    date('expiresAt').notNullable();
    date('createdAt').notNullable();
    date('updatedAt').notNullable();
  });
}

async function createOrganizations(trx: Knex.Transaction, dialect: Dialect): Promise<void> {
  await trx.schema.createTable(TABLES.organization, (table) => {
    const { id, text, date } = columns(table, dialect);
    id();
    text('name').notNullable();
    text('slug').notNullable().unique();
    text('logo');
    date('createdAt').notNullable();
    text('metadata');
  });
  await trx.schema.createTable(TABLES.member, (table) => {
    const { id, text, date, user, organization } = columns(table, dialect);
    id();
    organization('organizationId');
    user('userId').index();
    text('role').notNullable();
    date('createdAt').notNullable();
    table.unique(['organizationId', 'userId']);
  });
  await trx.schema.createTable(TABLES.invitation, (table) => {
    const { id, text, date, user, organization } = columns(table, dialect);
    id();
    organization('organizationId').index();
    text('email').notNullable().index();
    text('role');
    text('status').notNullable();
    date('expiresAt').notNullable();
    date('createdAt').notNullable();
    user('inviterId').index();
  });
}

async function createRoles(trx: Knex.Transaction, dialect: Dialect): Promise<void> {
  await trx.schema.createTable(TABLES.role, (table) => {
    const { text, date, organization } = columns(table, dialect);
    organization('organizationId');
    text('id').notNullable();
    text('name').notNullable();
    // In lower case, so that no two differ in case only.
    text('nameKey').notNullable();
    text('description');
    text('rights').notNullable();
    text('baseRole').notNullable();
    date('createdAt').notNullable();
    date('updatedAt').notNullable();
    table.primary(['organizationId', 'id']);
    table.unique(['organizationId', 'nameKey']);
  });
  await trx.schema.alterTable(TABLES.invitation, (table) => {
    // The role in Atlas that its acceptance gives, where an administrator has chosen one.
    table.text('grantedRole');
    table.index(['organizationId', 'createdAt', 'id']);
  });
  await trx.raw('create index auth_user_banned on auth_user ("id") where "banned" = true');
}

export function migrationsFor(dialect: Dialect): Migration[] {
  return [
    migration('0001-users-sessions-organizations', async (trx) => {
      await createUsers(trx, dialect);
      await createSessions(trx, dialect);
      await createOrganizations(trx, dialect);
      await trx.schema.createTable(LOCKS.table, (table) => table.text('name').primary());
      await trx(LOCKS.table).insert([{ name: LOCKS.firstUser }, { name: LOCKS.admins }]);
    }),
    // Sessions go on: what their users hold is hashed from now on before it is looked up.
    migration('0002-no-stored-credentials', async (trx) => {
      for (const { id, token } of await trx(TABLES.session).select('id', 'token')) {
        await trx(TABLES.session)
          .where({ id })
          .update({ token: hashedToken(token) });
      }
      await trx(TABLES.account).update({ accessToken: null, refreshToken: null, idToken: null });
      await trx(TABLES.verification).delete();
    }),
    // Who made an administrator was not recorded: of those in an organization, the first is taken for the platform's.
    migration('0003-administrators-of-organizations', async (trx) => {
      await trx.schema.alterTable(TABLES.user, (table) => table.boolean('adminByOrganization'));
      const admins = () => trx(TABLES.user).where({ role: 'admin' });
      const first = await admins().orderBy('createdAt').orderBy('id').first('id');
      await admins()
        .whereNot({ id: first?.id ?? '' })
        .whereIn('id', trx(TABLES.member).select('userId'))
        .update({ adminByOrganization: true });
    }),
    migration('0004-roles-and-directory', async (trx) => {
      await createRoles(trx, dialect);
      await (dialect === 'sqlite' ? createSqliteDirectory(trx) : createPostgresDirectory(trx));
    }),
    migration('0005-orders', (trx) => indexOrders(trx, dialect)),
  ];
}
