/** Users as administrators see them. */
import type { Knex } from 'knex';
import { AtlasError, type Role } from '../../kernel/index.ts';
import type { Freshness } from './freshness.ts';
import { LOCKS, TABLES } from './migrations.ts';
import { isBanned, roleOf } from './sessions.ts';
import type { Store } from './store.ts';

export interface ManagedUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly banned: boolean;
  readonly banReason: string | null;
  /** ISO 8601, as the next one; `null`: for good. */
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

function refused(message: string, hint: string): AtlasError {
  return new AtlasError(message, { code: 'forbidden', hint });
}

export class Users {
  readonly #store: Store;
  readonly #freshness: Freshness;

  constructor(store: Store, freshness: Freshness) {
    this.#store = store;
    this.#freshness = freshness;
  }

  /** The newest first. */
  list({ limit, offset, search, role }: UserQuery): Promise<UserPage> {
    return this.#store.run(async (db) => {
      const matching = () => {
        const query = db<UserRow>(TABLES.user);
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

  /** Throws `not_found`. */
  async find(id: string): Promise<ManagedUser> {
    const row = await this.#store.run((db) =>
      db<UserRow>(TABLES.user).where({ id }).first<UserRow | undefined>(COLUMNS),
    );
    if (row !== undefined) return userOf(row);
    throw new AtlasError('There is no such user.', { code: 'not_found' });
  }

  async stats(): Promise<UserStats> {
    const { total, banned, ...byRole } = await this.#store.run(async (db) => {
      const roles: { role?: unknown; count?: unknown }[] = await db(TABLES.user)
        .select('role')
        .count({ count: '*' })
        .groupBy('role');
      const counts = { viewer: 0, analyst: 0, admin: 0 };
      for (const { role, count } of roles) counts[roleOf(role)] += Number(count);
      const out = await db(TABLES.user).where(this.#bannedNow(db)).count({ count: '*' }).first();
      return { ...counts, banned: Number(out?.count ?? 0), total: counts.viewer + counts.analyst + counts.admin };
    });
    return { total, banned, byRole };
  }

  /** `actorId` is who does it. Throws `forbidden` for one's own role and the last administrator, `not_found`. */
  async setRole(actorId: string, id: string, role: Role): Promise<ManagedUser> {
    return this.#change(id, async () => {
      if (actorId === id) throw refused('You cannot change your own role.', 'Ask another administrator.');
      if (role !== 'admin') await this.#keepAnAdministrator(id);
      await this.#update(id, { role });
    });
  }

  /** Ends all sessions, too. `expiresInSeconds` left out: for good. Throws as `setRole` does. */
  async ban(actorId: string, id: string, reason?: string, expiresInSeconds?: number): Promise<ManagedUser> {
    return this.#change(id, async () => {
      if (actorId === id) throw refused('You cannot ban yourself.', 'Ask another administrator.');
      await this.#keepAnAdministrator(id);
      const until = expiresInSeconds === undefined ? null : new Date(Date.now() + expiresInSeconds * 1_000);
      await this.#update(id, { banned: true, banReason: reason ?? null, banExpires: this.#date(until) });
      await this.#endSessions(id);
    });
  }

  async unban(id: string): Promise<ManagedUser> {
    return this.#change(id, () => this.#update(id, { banned: false, banReason: null, banExpires: null }));
  }

  /** For good, with sessions, memberships and the invitations they sent. Throws as `setRole` does. */
  async remove(actorId: string, id: string): Promise<void> {
    await this.#store.transaction(async () => {
      await this.find(id);
      if (actorId === id) throw refused('You cannot delete yourself.', 'Ask another administrator.');
      await this.#keepAnAdministrator(id);
      await this.#store.run((db) => db(TABLES.user).where({ id }).delete());
    });
    this.#freshness.changed(id);
  }

  /** Ends all sessions of the user; resolves to their number. */
  async revokeSessions(id: string): Promise<number> {
    await this.find(id);
    const ended = await this.#endSessions(id);
    this.#freshness.changed(id);
    return ended;
  }

  async #change(id: string, work: () => Promise<void>): Promise<ManagedUser> {
    const user = await this.#store.transaction(async () => {
      await this.find(id);
      await work();
      return this.find(id);
    });
    this.#freshness.changed(id);
    return user;
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
  async #keepAnAdministrator(id: string): Promise<void> {
    await this.#store.lock(LOCKS.admins);
    const others = await this.#store.run((db) =>
      db(TABLES.user).where({ role: 'admin' }).whereNot({ id }).whereNot(this.#bannedNow(db)).first('id'),
    );
    if (others !== undefined || (await this.find(id)).role !== 'admin') return;
    throw refused('The last administrator has to stay one.', 'Make somebody else administrator first.');
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
