/** Lists and changes users for administrators, who see the members of their active organization. */
import type { Knex } from 'knex';
import { AtlasError, type Role, type Scope } from '../../../kernel/index.ts';
import type { SessionCache } from '../better-auth/session-cache.ts';
import type { AccountHooks, UserChange } from '../hooks.ts';
import { LOCKS, TABLES } from '../migrations.ts';
import type { Store } from '../store.ts';
import { endLostPromotions, GOVERNING_ROLES, isPlatformAdministrator, REDUCED_ROLE, roleOf } from './administrators.ts';
import { isBanned } from './identity.ts';

export interface ManagedUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly banned: boolean;
  readonly banReason: string | null;
  /** ISO 8601, like the next one; `null`: without end. */
  readonly banExpires: string | null;
  readonly createdAt: string;
}

export interface UserPage {
  readonly users: readonly ManagedUser[];
  readonly total: number;
}

export interface UserStats {
  readonly total: number;
  readonly banned: number;
  readonly byRole: Readonly<Record<Role, number>>;
}

export interface UserQuery {
  readonly limit: number;
  readonly offset: number;
  /** Part of the e-mail address, in any case. */
  readonly search?: string;
  readonly role?: Role;
}

interface UserRow {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: string | null;
  readonly banned: boolean | number | null;
  readonly banReason: string | null;
  readonly banExpires: Date | string | null;
  readonly createdAt: Date | string;
}

const COLUMNS: (keyof UserRow)[] = ['id', 'email', 'name', 'role', 'banned', 'banReason', 'banExpires', 'createdAt'];

function isoOf(date: Date | string | null): string | null {
  return date === null ? null : new Date(date).toISOString();
}

function userOf(row: UserRow): ManagedUser {
  const banned = isBanned({ banned: Boolean(row.banned), banExpires: row.banExpires });
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    role: roleOf(row.role),
    banned,
    banReason: banned ? row.banReason : null,
    banExpires: banned ? isoOf(row.banExpires) : null,
    createdAt: isoOf(row.createdAt) ?? '',
  };
}

/**
 * Members of the organization, with the role that they have in it; with `null` those who belong to none, so that no user
 * sees another organization's.
 */
function usersOf(db: Knex, orgId: string | null): Knex.QueryBuilder {
  const { user, member } = TABLES;
  if (orgId === null) {
    const memberships = db(member).whereRaw('?? = ??', [`${member}.userId`, `${user}.id`]);
    return db.from(db(user).whereNotExists(memberships.select('id')).as('users'));
  }
  const governs = GOVERNING_ROLES.map(() => '?').join(', ');
  const role = db.raw(`case when ?? = 'admin' and ?? not in (${governs}) then ? else ?? end as ??`, [
    `${user}.role`,
    `${member}.role`,
    ...GOVERNING_ROLES,
    REDUCED_ROLE,
    `${user}.role`,
    'role',
  ]);
  const others = COLUMNS.filter((column) => column !== 'role').map((column) => `${user}.${column}`);
  const members = db(user).join(member, `${member}.userId`, `${user}.id`).where(`${member}.organizationId`, orgId);
  return db.from(members.select(...others, role).as('users'));
}

function refused(message: string, hint: string): AtlasError {
  return new AtlasError(message, { code: 'forbidden', hint });
}

/** Who administers: `orgId` is the active organization, `null` where the administrator belongs to none. */
export type Administrator = Pick<Scope, 'actor' | 'orgId'>;

export class Users {
  readonly #store: Store;
  readonly #sessionCache: SessionCache;
  readonly #hooks: AccountHooks;

  constructor(store: Store, sessionCache: SessionCache, hooks: AccountHooks) {
    this.#store = store;
    this.#sessionCache = sessionCache;
    this.#hooks = hooks;
  }

  /** The newest first. */
  list({ orgId }: Administrator, { limit, offset, search, role }: UserQuery): Promise<UserPage> {
    return this.#store.run(async (db) => {
      const matching = () => {
        const query = usersOf(db, orgId);
        if (role !== undefined) query.where({ role });
        const position = this.#store.dialect === 'postgres' ? 'strpos' : 'instr';
        if (search !== undefined) query.whereRaw(`${position}(lower(email), ?) > 0`, [search.toLowerCase()]);
        return query;
      };
      const counted = await matching().count({ count: '*' }).first();
      const order = [{ column: 'createdAt', order: 'desc' }, { column: 'id' }];
      const rows = await matching().orderBy(order).limit(limit).offset(offset).select<UserRow[]>(COLUMNS);
      return { users: rows.map(userOf), total: Number(counted?.count ?? 0) };
    });
  }

  /** Throws `not_found`, also for a user of another organization. */
  async find({ orgId }: Administrator, id: string): Promise<ManagedUser> {
    const row = await this.#store.run((db) => usersOf(db, orgId).where({ id }).first<UserRow | undefined>(COLUMNS));
    if (row !== undefined) return userOf(row);
    throw new AtlasError('There is no such user.', { code: 'not_found' });
  }

  async stats({ orgId }: Administrator): Promise<UserStats> {
    const { total, banned, ...byRole } = await this.#store.run(async (db) => {
      const roles: { role?: unknown; count?: unknown }[] = await usersOf(db, orgId)
        .select('role')
        .count({ count: '*' })
        .groupBy('role');
      const counts = { viewer: 0, analyst: 0, admin: 0 };
      for (const { role, count } of roles) counts[roleOf(role)] += Number(count);
      const out = await usersOf(db, orgId).where(this.#bannedNow(db)).count({ count: '*' }).first();
      return { ...counts, banned: Number(out?.count ?? 0), total: counts.viewer + counts.analyst + counts.admin };
    });
    return { total, banned, byRole };
  }

  /**
   * Throws `forbidden` for one's own role, the last administrator, a user who also belongs to an organization that the
   * administrator does not administer, and an administrator of the platform unless another one asks; `not_found`.
   */
  async setRole(by: Scope, id: string, role: Role): Promise<ManagedUser> {
    const user = await this.#change(by, id, 'role', async () => {
      await this.#mustGovern(by, id, 'You cannot change your own role.');
      if (role !== 'admin') await this.#keepAnAdministrator(by, id);
      const withinOrganization = role === 'admin' && by.orgId !== null && !(await this.#isOfPlatform(id));
      await this.#update(id, { role, adminByOrganization: withinOrganization });
      if (by.orgId !== null) await this.#matchMembership(by.orgId, id, role);
    });
    // A user who has left while being promoted would otherwise keep the role.
    await endLostPromotions(this.#store, this.#sessionCache, id);
    return user;
  }

  /** Ends all sessions, too. `expiresInSeconds` left out: without end. Throws as `setRole` does. */
  async ban(by: Scope, id: string, reason?: string, expiresInSeconds?: number): Promise<ManagedUser> {
    return this.#change(by, id, 'ban', async () => {
      await this.#mustGovern(by, id, 'You cannot ban yourself.');
      await this.#keepAnAdministrator(by, id);
      const until = expiresInSeconds === undefined ? null : new Date(Date.now() + expiresInSeconds * 1_000);
      await this.#update(id, { banned: true, banReason: reason ?? null, banExpires: this.#date(until) });
      await this.#endSessions(id);
    });
  }

  /** Throws as `setRole` does. */
  async unban(by: Scope, id: string): Promise<ManagedUser> {
    return this.#change(by, id, 'unban', async () => {
      await this.#mustGovern(by, id, 'You cannot lift your own ban.');
      await this.#update(id, { banned: false, banReason: null, banExpires: null });
    });
  }

  /**
   * Permanently, with sessions, memberships and the invitations they sent; before that, every plugin that taps
   * `user.delete` has dealt with what it keeps of the user. Throws as `setRole` does.
   */
  async remove(scope: Scope, id: string): Promise<void> {
    const mayBeDeleted = async () => {
      await this.find(scope, id);
      await this.#mustGovern(scope, id, 'You cannot delete yourself.');
      await this.#keepAnAdministrator(scope, id);
    };
    await this.#store.transaction(mayBeDeleted);
    await this.#announce(scope, id, 'delete');
    // Outside the transaction, which on SQLite holds the only connection that writes.
    await this.#hooks.userDelete({ userId: id, actorId: scope.actor.id }, scope);
    await this.#store.transaction(async () => {
      await mayBeDeleted();
      await this.#store.run((db) => db(TABLES.user).where({ id }).delete());
    });
    this.#sessionCache.invalidate(id);
  }

  /** Ends all sessions of the user; resolves to their number. */
  async revokeSessions(by: Administrator, id: string): Promise<number> {
    await this.find(by, id);
    const ended = await this.#endSessions(id);
    this.#sessionCache.invalidate(id);
    return ended;
  }

  async #change(by: Scope, id: string, change: UserChange['change'], work: () => Promise<void>): Promise<ManagedUser> {
    await this.find(by, id);
    await this.#announce(by, id, change);
    const user = await this.#store.transaction(async () => {
      await this.find(by, id);
      await work();
      return this.find(by, id);
    });
    this.#sessionCache.invalidate(id);
    return user;
  }

  /** Outside of transactions, as `user.delete`. */
  async #announce(scope: Scope, userId: string, change: UserChange['change']): Promise<void> {
    const { actor, orgId } = scope;
    await this.#hooks.userChange({ userId, change, orgId, actorId: actor.id }, scope);
  }

  /** An administrator has to govern the organization to be one in it; an owner stays owner. */
  async #matchMembership(organizationId: string, userId: string, role: Role): Promise<void> {
    await this.#store.run((db) => {
      const membership = db(TABLES.member).where({ organizationId, userId });
      if (role === 'admin') return membership.whereNotIn('role', GOVERNING_ROLES).update({ role: 'admin' });
      return membership.where({ role: 'admin' }).update({ role: 'member' });
    });
  }

  #isOfPlatform(id: string): Promise<boolean> {
    return this.#store.run((db) => isPlatformAdministrator(db, id));
  }

  /** Refuses to change oneself, and who belongs elsewhere too: a role, a ban and a deletion count in every organization. */
  async #mustGovern({ actor, orgId }: Administrator, id: string, oneself: string): Promise<void> {
    if (actor.id === id) throw refused(oneself, 'Ask another administrator.');
    if (orgId !== null && (await this.#isOfPlatform(id)) && !(await this.#isOfPlatform(actor.id ?? ''))) {
      throw refused(
        'This user is an administrator of the platform.',
        'Remove the user from your organization instead, or ask another administrator of the platform.',
      );
    }
    const foreign = await this.#store.run((db) =>
      db(TABLES.member)
        .where({ userId: id })
        .whereNot({ organizationId: orgId ?? '' })
        .whereNotIn(
          'organizationId',
          db(TABLES.member)
            .where({ userId: actor.id ?? '' })
            .whereIn('role', GOVERNING_ROLES)
            .select('organizationId'),
        )
        .first('id'),
    );
    if (foreign === undefined) return;
    throw refused(
      'This user also belongs to an organization that you do not administer.',
      'Remove the user from your organization instead.',
    );
  }

  async #update(id: string, changes: Record<string, unknown>): Promise<void> {
    const updatedAt = this.#date(new Date());
    await this.#store.run((db) =>
      db(TABLES.user)
        .where({ id })
        .update({ ...changes, updatedAt }),
    );
  }

  #endSessions(userId: string): Promise<number> {
    return this.#store.run((db) => db(TABLES.session).where({ userId }).delete());
  }

  /** Under a lock, so that two administrators cannot remove each other at the same moment. */
  async #keepAnAdministrator(by: Administrator, id: string): Promise<void> {
    await this.#store.lock(LOCKS.admins);
    const others = await this.#store.run((db) =>
      usersOf(db, by.orgId).where({ role: 'admin' }).whereNot({ id }).whereNot(this.#bannedNow(db)).first('id'),
    );
    if (others !== undefined || (await this.find(by, id)).role !== 'admin') return;
    throw refused('The last administrator has to stay one.', 'Make another user administrator first.');
  }

  #bannedNow(db: Knex): (query: Knex.QueryBuilder) => void {
    const now = this.#date(new Date());
    return (query) =>
      query
        .whereRaw('coalesce(??, ?) = ?', ['banned', db.raw('false'), db.raw('true')])
        .andWhere((end) => end.whereNull('banExpires').orWhere('banExpires', '>', now as string));
  }

  #date(date: Date | null): Date | string | null {
    return date !== null && this.#store.dialect === 'sqlite' ? date.toISOString() : date;
  }
}
