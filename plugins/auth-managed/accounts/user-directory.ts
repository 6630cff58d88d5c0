/** Reads and counts users by organization and role, from the directory that triggers keep. */
import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import type { Role } from '../../../kernel/index.ts';
import { readPage, type SortedPage } from '../../admin-kit/index.ts';
import { DIRECTORY, DIRECTORY_COUNT } from '../directory-schema.ts';
import { TABLES } from '../migrations.ts';
import type { Store } from '../store.ts';
import { MEMBER_ORDERS, USER_ORDERS } from './list-orders.ts';

export interface DirectoryFilter {
  readonly orgId: string | null;
  /** Part of the e-mail address, in any case. */
  readonly search?: string | undefined;
  readonly baseRole?: Role | undefined;
  /** The id of a custom role, or one of viewer, analyst and admin. */
  readonly role?: string | undefined;
}

export interface RoleCount {
  readonly role: string;
  readonly baseRole: Role;
  readonly count: number;
}

/** Up to here matches are collected by the search index, and sorted; more of them are met soon in the order of the list. */
const MANY_MATCHES = 5_000;

/**
 * Members of the organization, with the role that they have in it; with `null` those who belong to none, so that no user
 * sees another organization's.
 */
export function usersOf(db: Knex, orgId: string | null): Knex.QueryBuilder {
  return db(DIRECTORY)
    .join(TABLES.user, `${TABLES.user}.id`, `${DIRECTORY}.userId`)
    .where(`${DIRECTORY}.organizationId`, orgId ?? '');
}

/** Users who are banned, and whose ban has not ended yet. */
export function bannedNow(store: Store): (query: Knex.QueryBuilder) => void {
  const at = store.date();
  return (query) =>
    query
      .whereRaw('banned = true')
      .whereNotNull('banned')
      .andWhere((end) => end.whereNull('banExpires').orWhere('banExpires', '>', at));
}

export class UserDirectory {
  readonly #store: Store;
  /** How many users a search finds, by the version of what is searched. */
  readonly #totals = new LRUCache<string, number>({ max: 1_000 });

  constructor(store: Store) {
    this.#store = store;
  }

  /** Users of the organization, `null`: of none, with `role` for the custom role or the role that counts there. */
  static of(db: Knex, orgId: string | null): Knex.QueryBuilder {
    return db(DIRECTORY).where({ organizationId: orgId ?? '' });
  }

  /** Ids and roles of one page, by default the newest users first, and how many there are on all pages. */
  async page(
    filter: DirectoryFilter,
    page: SortedPage<typeof USER_ORDERS>,
  ): Promise<{ rows: DirectoryRow[]; total: number }> {
    return this.#store.run(async (db) => {
      const total = await this.#total(db, filter);
      const matching = () => this.#matching(db, filter);
      const found = filter.search !== undefined && total <= MANY_MATCHES && this.#store.dialect === 'postgres';
      const from = () =>
        found ? db.withMaterialized('matches', matching().select(MATCH_COLUMNS)).from('matches') : matching();
      return readPage<DirectoryRow>(
        { matching: from, order: USER_ORDERS.order(page.sort), columns: COLUMNS, total: async () => total },
        page,
      );
    });
  }

  /** By default the longest-standing members first. */
  async members(
    filter: DirectoryFilter,
    page: SortedPage<typeof MEMBER_ORDERS>,
  ): Promise<{ rows: DirectoryRow[]; total: number }> {
    return this.#store.run(async (db) => {
      const matching = () => this.#matching(db, filter);
      const total = () => this.#total(db, filter);
      return readPage<DirectoryRow>({ matching, order: MEMBER_ORDERS.order(page.sort), columns: COLUMNS, total }, page);
    });
  }

  /** How many users have each role. */
  counts(orgId: string | null): Promise<RoleCount[]> {
    return this.#store.run((db) => this.#counts(db, orgId));
  }

  /** Adds up what has been counted until now, so that there are few rows to add up for each list. */
  async compact(): Promise<void> {
    if (this.#store.dialect === 'sqlite') return;
    await this.#store.run((db) =>
      db.raw(
        `with counted as (delete from ?? returning "organizationId", "role", "baseRole", "count")
        insert into ?? ("organizationId", "role", "baseRole", "count") select "organizationId", "role", "baseRole", sum("count") from counted
        group by 1, 2, 3 having sum("count") <> 0`,
        [DIRECTORY_COUNT, DIRECTORY_COUNT],
      ),
    );
  }

  async #counts(db: Knex, orgId: string | null): Promise<RoleCount[]> {
    const by = ['role', 'baseRole'];
    const rows =
      this.#store.dialect === 'postgres'
        ? await db(DIRECTORY_COUNT)
            .where({ organizationId: orgId ?? '' })
            .groupBy(by)
            .select(by)
            .sum({ count: 'count' })
        : await UserDirectory.of(db, orgId).groupBy(by).select(by).count({ count: '*' });
    return rows.map(({ role, baseRole, count }) => ({ role, baseRole, count: Number(count) }));
  }

  async #total(db: Knex, filter: DirectoryFilter): Promise<number> {
    const { orgId, search, baseRole, role } = filter;
    if (search !== undefined) return this.#found(db, filter);
    return (await this.#counts(db, orgId))
      .filter((item) => (baseRole ?? item.baseRole) === item.baseRole && (role ?? item.role) === item.role)
      .reduce((sum, { count }) => sum + count, 0);
  }

  /** A search that most addresses match has to look at them all; its count is good until a user comes, goes or changes. */
  async #found(db: Knex, filter: DirectoryFilter): Promise<number> {
    const version = await this.#version(db, filter.orgId);
    const key = JSON.stringify([version, filter]);
    const known = version === undefined ? undefined : this.#totals.get(key);
    if (known !== undefined) return known;
    const counted = await this.#matching(db, filter).count({ count: '*' }).first();
    const total = Number(counted?.count ?? 0);
    if (version !== undefined) this.#totals.set(key, total);
    return total;
  }

  /** Differs after each change of the organization's users, on any server; `undefined`: not known. */
  async #version(db: Knex, orgId: string | null): Promise<string | undefined> {
    if (this.#store.dialect === 'sqlite') return undefined;
    const rows = db(DIRECTORY_COUNT).where({ organizationId: orgId ?? '' });
    const { count, sum } = (await rows.count({ count: '*' }).sum({ sum: 'id' }).first()) ?? {};
    return `${count} ${sum}`;
  }

  #matching(db: Knex, { orgId, search, baseRole, role }: DirectoryFilter): Knex.QueryBuilder {
    const query = UserDirectory.of(db, orgId);
    if (baseRole !== undefined) query.where({ baseRole });
    if (role !== undefined) query.where({ role });
    if (search === undefined) return query;
    const text = search.toLowerCase();
    if (this.#store.dialect === 'sqlite') return query.whereRaw('instr("email", ?) > 0', [text]);
    // Shorter ones have no trigram to look up, and the index would be read from end to end.
    if ([...text].length < 3) return query.whereRaw('strpos("email", ?) > 0', [text]);
    return query.where('email', 'like', `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`);
  }
}

export interface DirectoryRow {
  readonly userId: string;
  readonly role: string;
  readonly baseRole: Role;
  readonly memberSince: Date | string;
  readonly createdAt: Date | string;
}

const COLUMNS = ['userId', 'role', 'baseRole', 'memberSince', 'createdAt'];
const MATCH_COLUMNS = [...COLUMNS, 'email'];
