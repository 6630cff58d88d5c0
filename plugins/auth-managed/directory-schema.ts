/**
 * Creates the directory: one row for each user and organization with the role that counts there, kept by triggers, so
 * that lists of users filter, sort and count by index. The role is decided as `accounts/standing.ts` decides it.
 */
import type { Knex } from 'knex';

export const DIRECTORY = 'auth_user_directory';
/** PostgreSQL only: how many users came and went, by organization and role; the sum is how many there are. */
export const DIRECTORY_COUNT = 'auth_user_count';

const COLUMNS = '"userId", "organizationId", "role", "baseRole", "memberSince", "createdAt", "email"';

/** A custom role goes by its own id; `baseRole` is the one of viewer, analyst and admin that it stands nearest to. */
const roleOf = (custom: string) => `case
    when r."id" is not null then r."${custom}"
    when m."role" is not null and m."role" not in ('owner', 'admin', 'analyst', 'viewer', 'member') then 'viewer'
    when u."role" = 'admin' and m."role" is not null and m."role" not in ('owner', 'admin') then 'analyst'
    when u."role" in ('admin', 'analyst') then u."role"
    else 'viewer' end`;

/** Users without an organization stand under the empty name. */
const FILL = `insert into ${DIRECTORY} (${COLUMNS})
  select u."id", coalesce(m."organizationId", ''), ${roleOf('id')}, ${roleOf('baseRole')},
    coalesce(m."createdAt", u."createdAt"), u."createdAt", lower(u."email")
  from auth_user u
  left join auth_member m on m."userId" = u."id"
  left join auth_role r on r."organizationId" = m."organizationId" and r."id" = m."role"`;

async function createTable(trx: Knex.Transaction, date: string): Promise<void> {
  await trx.raw(`create table ${DIRECTORY} (
    "userId" text not null, "organizationId" text not null, "role" text not null, "baseRole" text not null,
    "memberSince" ${date} not null, "createdAt" ${date} not null, "email" text not null,
    primary key ("userId", "organizationId"))`);
  for (const [name, columns] of [
    ['newest', '"organizationId", "createdAt" desc, "userId"'],
    ['newest_by_role', '"organizationId", "baseRole", "createdAt" desc, "userId"'],
    ['members', '"organizationId", "role", "memberSince", "userId"'],
  ]) {
    await trx.raw(`create index ${DIRECTORY}_${name} on ${DIRECTORY} (${columns})`);
  }
}

export async function createSqliteDirectory(trx: Knex.Transaction): Promise<void> {
  await createTable(trx, 'text');
  const user = (id: string) => `delete from ${DIRECTORY} where "userId" = ${id}; ${FILL} where u."id" = ${id};`;
  const holders = (row: string) => `
    delete from ${DIRECTORY} where "organizationId" = ${row}."organizationId" and "userId" in (
      select "userId" from auth_member where "organizationId" = ${row}."organizationId" and "role" = ${row}."id");
    ${FILL} where m."organizationId" = ${row}."organizationId" and m."role" = ${row}."id";`;
  for (const [name, event, body] of [
    ['user_insert', 'insert on auth_user', user('new."id"')],
    ['user_update', 'update of "role", "email", "createdAt" on auth_user', user('new."id"')],
    ['user_delete', 'delete on auth_user', user('old."id"')],
    ['member_insert', 'insert on auth_member', user('new."userId"')],
    ['member_update', 'update on auth_member', user('new."userId"')],
    ['member_delete', 'delete on auth_member', user('old."userId"')],
    ['role_insert', 'insert on auth_role', holders('new')],
    ['role_update', 'update of "baseRole" on auth_role', holders('new')],
    ['role_delete', 'delete on auth_role', holders('old')],
  ]) {
    await trx.raw(`create trigger ${DIRECTORY}_${name} after ${event} begin ${body} end`);
  }
  await trx.raw(FILL);
}

/** By address, in the order of its code points as SQLite has it anyway, and members by when they joined. */
export async function indexOrders(trx: Knex.Transaction, dialect: 'postgres' | 'sqlite'): Promise<void> {
  const email = dialect === 'postgres' ? '"email" collate "C"' : '"email"';
  await trx.raw(`create index ${DIRECTORY}_by_email on ${DIRECTORY} ("organizationId", ${email}, "userId")`);
  await trx.raw('create index auth_member_in_order on auth_member ("organizationId", "createdAt", "id")');
  await trx.raw(`create index auth_invitation_by_email on auth_invitation ("organizationId", ${email}, "id")`);
}

/** Without the extension, which some servers lack and some logins may not create, a search reads all addresses. */
async function indexAddresses(trx: Knex.Transaction): Promise<void> {
  const index = `create index ${DIRECTORY}_search on ${DIRECTORY} using gin ("email" gin_trgm_ops)`;
  await trx
    .transaction(async (part) => {
      await part.raw('create extension if not exists pg_trgm');
      await part.raw(index);
    })
    .catch(() => undefined);
}

/** Users are locked first, so that of two transactions that change one the later sees what the earlier did. */
const REFRESH = `create function ${DIRECTORY}_refresh(changed text[]) returns void language plpgsql as $fn$
  begin
    if changed is null then return; end if;
    perform 1 from auth_user where "id" = any(changed) order by "id" for no key update;
    delete from ${DIRECTORY} where "userId" = any(changed);
    ${FILL} where u."id" = any(changed);
  end $fn$`;

/** The users whom a statement on the table concerns; the statement's rows are `old_rows` and `new_rows`. */
const CONCERNED = {
  auth_user: {
    insert: 'select "id" from new_rows',
    update: `select n."id" from new_rows n join old_rows o on o."id" = n."id"
      where (n."role", n."email", n."createdAt") is distinct from (o."role", o."email", o."createdAt")`,
    delete: 'select "id" from old_rows',
  },
  auth_member: {
    insert: 'select "userId" from new_rows',
    update: 'select "userId" from new_rows union select "userId" from old_rows',
    delete: 'select "userId" from old_rows',
  },
  auth_role: {
    insert: holdersOf('new_rows'),
    update: holdersOf('new_rows'),
    delete: holdersOf('old_rows'),
  },
} as const;

function holdersOf(rows: string): string {
  return `select m."userId" from auth_member m join ${rows} c on c."organizationId" = m."organizationId" and c."id" = m."role"`;
}

const TRANSITIONS = {
  insert: 'new table as new_rows',
  update: 'old table as old_rows new table as new_rows',
  delete: 'old table as old_rows',
} as const;

async function createPostgresTrigger(
  trx: Knex.Transaction,
  name: string,
  table: string,
  event: keyof typeof TRANSITIONS,
  body: string,
): Promise<void> {
  await trx.raw(`create function ${name}() returns trigger language plpgsql as $fn$
    begin ${body}; return null; end $fn$`);
  await trx.raw(`create trigger ${name} after ${event} on ${table} referencing ${TRANSITIONS[event]}
    for each statement execute function ${name}()`);
}

export async function createPostgresDirectory(trx: Knex.Transaction): Promise<void> {
  await createTable(trx, 'timestamptz(3)');
  await indexAddresses(trx);
  await trx.raw(`create table ${DIRECTORY_COUNT} (
    "id" bigserial, "organizationId" text not null, "role" text not null, "baseRole" text not null,
    "count" bigint not null)`);
  await trx.raw(`create index ${DIRECTORY_COUNT}_organization on ${DIRECTORY_COUNT} ("organizationId")`);
  await trx.raw(REFRESH);
  for (const [event, rows, sign] of [
    ['insert', 'new_rows', ''],
    ['delete', 'old_rows', '-'],
  ] as const) {
    const counted = `insert into ${DIRECTORY_COUNT} ("organizationId", "role", "baseRole", "count")
      select "organizationId", "role", "baseRole", ${sign}count(*) from ${rows} group by 1, 2, 3`;
    await createPostgresTrigger(trx, `${DIRECTORY}_count_${event}`, DIRECTORY, event, counted);
  }
  for (const [table, events] of Object.entries(CONCERNED)) {
    for (const event of ['insert', 'update', 'delete'] as const) {
      const concerned = `perform ${DIRECTORY}_refresh((select array_agg(id) from (${events[event]}) as concerned(id)))`;
      await createPostgresTrigger(trx, `${DIRECTORY}_${table}_${event}`, table, event, concerned);
    }
  }
  await trx.raw(FILL);
}
