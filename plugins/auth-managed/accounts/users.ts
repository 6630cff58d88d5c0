/** Lists and changes users for administrators, who see the members of their active organization. */
import { AtlasError, type Role, type Scope } from '../../../kernel/index.ts';
import type { SortedPage } from '../../admin-kit/index.ts';
import type { Audit } from '../../audit/index.ts';
import type { SessionCache } from '../better-auth/session-cache.ts';
import { DIRECTORY } from '../directory-schema.ts';
import type { AccountHooks, UserChange } from '../hooks.ts';
import { LOCKS, TABLES } from '../migrations.ts';
import type { Store } from '../store.ts';
import { endLostPromotions, isPlatformAdministrator } from './administrators.ts';
import { type Administrator, type Governance, refused } from './governance.ts';
import { isBanned } from './identity.ts';
import type { MEMBER_ORDERS, USER_ORDERS } from './list-orders.ts';
import { giveMembership, giveRole } from './role-giving.ts';
import { findRole } from './roles.ts';
import { covers } from './standing.ts';
import { bannedNow, type UserDirectory, usersOf } from './user-directory.ts';

export interface ManagedUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** For a user with a custom role, the one of the three that it stands nearest to. */
  readonly role: Role;
  /** Id of the custom role. */
  readonly customRole?: string;
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

export interface UserQuery extends SortedPage<typeof USER_ORDERS> {
  /** Part of the e-mail address, in any case. */
  readonly search?: string;
  readonly role?: Role;
}

export interface RoleMember {
  readonly userId: string;
  /** Id of the role. */
  readonly role: string;
  /** ISO 8601: since when the user has belonged to the organization, without one since when there is the user. */
  readonly createdAt: string;
}

interface UserRow {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: string;
  readonly baseRole: Role;
  readonly banned: boolean | number | null;
  readonly banReason: string | null;
  readonly banExpires: Date | string | null;
  readonly createdAt: Date | string;
}

const COLUMNS = [
  ...['id', 'email', 'name', 'banned', 'banReason', 'banExpires', 'createdAt'].map((name) => `${TABLES.user}.${name}`),
  `${DIRECTORY}.role`,
  `${DIRECTORY}.baseRole`,
];

function isoOf(date: Date | string): string {
  return new Date(date).toISOString();
}

function userOf({ id, email, name, role, baseRole, createdAt, ...row }: UserRow): ManagedUser {
  const banned = isBanned({ banned: Boolean(row.banned), banExpires: row.banExpires });
  return {
    id,
    email,
    name,
    role: baseRole,
    ...(role !== baseRole && { customRole: role }),
    banned,
    banReason: banned ? row.banReason : null,
    banExpires: banned && row.banExpires !== null ? isoOf(row.banExpires) : null,
    createdAt: isoOf(createdAt),
  };
}

export interface UsersInit {
  readonly store: Store;
  readonly directory: UserDirectory;
  readonly governance: Governance;
  readonly sessionCache: SessionCache;
  readonly hooks: AccountHooks;
  readonly audit: Audit | undefined;
}

/** What is recorded of a change, and to whom it cannot happen. */
interface ChangeKind {
  readonly change: UserChange['change'];
  readonly action: string;
  /** Refuses to do it to oneself. */
  readonly oneself: string;
  /** The properties that it changes, for the audit log. */
  shown(user: ManagedUser): object;
}

const shownRole = ({ role, customRole }: ManagedUser) => ({ role: customRole ?? role });
const shownBan = ({ banned, banReason, banExpires }: ManagedUser) => ({ banned, banReason, banExpires });

const CHANGES = {
  role: {
    change: 'role',
    action: 'user.role_changed',
    oneself: 'You cannot change your own role.',
    shown: shownRole,
  },
  ban: { change: 'ban', action: 'user.banned', oneself: 'You cannot ban yourself.', shown: shownBan },
  unban: { change: 'unban', action: 'user.unbanned', oneself: 'You cannot lift your own ban.', shown: shownBan },
} as const satisfies Record<string, ChangeKind>;

export class Users {
  readonly #init: UsersInit;
  readonly #store: Store;

  constructor(init: UsersInit) {
    this.#init = init;
    this.#store = init.store;
  }

  /** By default the newest first. */
  async list({ orgId }: Administrator, { search, role, ...page }: UserQuery): Promise<UserPage> {
    const filter = { orgId, search: search || undefined, baseRole: role };
    const { rows, total } = await this.#init.directory.page(filter, page);
    const ids = rows.map(({ userId }) => userId);
    const found: UserRow[] = await this.#store.run((db) =>
      usersOf(db, orgId).whereIn(`${DIRECTORY}.userId`, ids).select(COLUMNS),
    );
    const byId = new Map(found.map((row) => [row.id, row]));
    // Who has been deleted in between is not there any more.
    const users = ids.flatMap((id) => byId.get(id) ?? []).map(userOf);
    return { users, total };
  }

  /** Those who have the role, by default the longest-standing members first. */
  async members(
    { orgId }: Administrator,
    role: string,
    page: SortedPage<typeof MEMBER_ORDERS>,
  ): Promise<{ members: RoleMember[]; total: number }> {
    const { rows, total } = await this.#init.directory.members({ orgId, role }, page);
    const members = rows.map(({ userId, role: held, memberSince }) => ({
      userId,
      role: held,
      createdAt: isoOf(memberSince),
    }));
    return { members, total };
  }

  /** Throws `not_found`, also for a user of another organization. */
  async find({ orgId }: Administrator, id: string): Promise<ManagedUser> {
    const row: UserRow | undefined = await this.#store.run((db) =>
      usersOf(db, orgId).where(`${DIRECTORY}.userId`, id).first(COLUMNS),
    );
    if (row !== undefined) return userOf(row);
    throw new AtlasError('There is no such user.', { code: 'not_found' });
  }

  async stats({ orgId }: Administrator): Promise<UserStats> {
    const byRole = { admin: 0, analyst: 0, viewer: 0 };
    for (const { baseRole, count } of await this.#init.directory.counts(orgId)) byRole[baseRole] += count;
    const out = await this.#store.run((db) =>
      usersOf(db, orgId).where(bannedNow(this.#store)).count({ count: '*' }).first(),
    );
    return { total: byRole.admin + byRole.analyst + byRole.viewer, banned: Number(out?.count ?? 0), byRole };
  }

  /**
   * `wanted`: viewer, analyst, admin, or a custom role's id or name. Throws `not_found`; `forbidden` for one's own role, the
   * last administrator, a role or a user with more rights than the administrator has, an administrator of the platform
   * unless another one asks, and, unless the role is a custom one, a user who also belongs to an organization that the
   * administrator does not administer.
   */
  async setRole(by: Scope, id: string, wanted: string): Promise<ManagedUser> {
    const user = await this.#change(by, id, CHANGES.role, async () => {
      const role = await this.#store.run((db) => findRole(db, by.orgId, wanted));
      const isCustom = role.rights !== undefined;
      const standing = await this.#init.governance.mustGovern(by, id, CHANGES.role.oneself, !isCustom);
      if (!covers(standing, role)) {
        throw refused('This role grants rights that you do not have.', 'Ask an administrator to give it.');
      }
      if (role.id !== 'admin') await this.#init.governance.keepAnAdministrator(by, id);
      await giveRole(this.#store, by.orgId, id, role);
    });
    // A user who has left while being promoted would otherwise keep the role.
    await endLostPromotions(this.#store, this.#init.sessionCache, id);
    return user;
  }

  /**
   * Gives the role that the organization's identity provider decides: no administrator asks, so `user.change` is not called.
   * Resolves to false where that is not for it to decide: for administrators of the platform, and, as a built-in role counts
   * in every organization, for such a role of a user who belongs to others too, whose membership becomes an ordinary one.
   * Throws `forbidden` for the last administrator, and `not_found`.
   */
  async provisionRole(by: Scope, id: string, wanted: string): Promise<boolean> {
    const orgId = by.orgId ?? '';
    if (await this.#store.run((db) => isPlatformAdministrator(db, id))) return false;
    let given = true;
    await this.#changeNow(by, id, CHANGES.role, async () => {
      const role = await this.#store.run((db) => findRole(db, orgId, wanted));
      if (role.id !== 'admin') await this.#init.governance.keepAnAdministrator(by, id);
      const elsewhere = await this.#store.run((db) =>
        db(TABLES.member).where({ userId: id }).whereNot({ organizationId: orgId }).first('id'),
      );
      given = role.rights !== undefined || elsewhere === undefined;
      if (given) await giveRole(this.#store, orgId, id, role);
      else await giveMembership(this.#store, orgId, id, 'member');
    });
    return given;
  }

  /** Under the lock of administrators. Throws `forbidden` for the last one of the organization. */
  mustNotBeLastAdministrator(by: Administrator, id: string): Promise<void> {
    return this.#init.governance.keepAnAdministrator(by, id);
  }

  /** Ends all sessions, too. `expiresInSeconds` left out: without end. Throws as `setRole` does. */
  async ban(by: Scope, id: string, reason?: string, expiresInSeconds?: number): Promise<ManagedUser> {
    return this.#change(by, id, CHANGES.ban, async () => {
      await this.#init.governance.mustGovern(by, id, CHANGES.ban.oneself);
      await this.#init.governance.keepAnAdministrator(by, id);
      const until = expiresInSeconds === undefined ? null : new Date(Date.now() + expiresInSeconds * 1_000);
      await this.#update(id, { banned: true, banReason: reason ?? null, banExpires: until && this.#store.date(until) });
      await this.#endSessions(id);
    });
  }

  /** Throws as `setRole` does. */
  async unban(by: Scope, id: string): Promise<ManagedUser> {
    return this.#change(by, id, CHANGES.unban, async () => {
      await this.#init.governance.mustGovern(by, id, CHANGES.unban.oneself);
      await this.#update(id, { banned: false, banReason: null, banExpires: null });
    });
  }

  /**
   * Permanently, with sessions, memberships and the invitations they sent; before that, every plugin that taps
   * `user.delete` has dealt with what it keeps of the user. Throws as `setRole` does.
   */
  async remove(scope: Scope, id: string): Promise<void> {
    const mayBeDeleted = async () => {
      await this.#store.lock(LOCKS.admins);
      const user = await this.find(scope, id);
      await this.#init.governance.mustGovern(scope, id, 'You cannot delete yourself.');
      await this.#init.governance.keepAnAdministrator(scope, id);
      return user;
    };
    await this.#store.transaction(mayBeDeleted);
    await this.#announce(scope, id, 'delete');
    // Outside the transaction, which on SQLite holds the only connection that writes.
    await this.#init.hooks.userDelete({ userId: id, actorId: scope.actor.id }, scope);
    await this.#store.transaction(async () => {
      const user = await mayBeDeleted();
      await this.#store.run((db) => db(TABLES.user).where({ id }).delete());
      await this.#record(scope, 'user.deleted', user, { email: user.email, ...shownRole(user) }, null);
      this.#init.sessionCache.invalidate(id);
    });
  }

  /** Ends all sessions of the user; resolves to their number. Throws `not_found`, and `forbidden` as `setRole` does. */
  async revokeSessions(by: Scope, id: string): Promise<number> {
    return this.#store.transaction(async () => {
      const user = await this.find(by, id);
      const { governance } = this.#init;
      await governance.mustCover(await governance.standingOfActor(by), by, id);
      await governance.mustNotBeOfPlatform(by, id);
      const sessions = await this.#endSessions(id);
      await this.#record(by, 'user.sessions_revoked', user, { sessions }, { sessions: 0 });
      this.#init.sessionCache.invalidate(id);
      return sessions;
    });
  }

  async #change(by: Scope, id: string, kind: ChangeKind, work: () => Promise<void>): Promise<ManagedUser> {
    await this.find(by, id);
    await this.#announce(by, id, kind.change);
    return this.#changeNow(by, id, kind, work);
  }

  async #changeNow(by: Scope, id: string, kind: ChangeKind, work: () => Promise<void>): Promise<ManagedUser> {
    return this.#store.transaction(async () => {
      // Two administrators could otherwise remove each other at the same moment.
      await this.#store.lock(LOCKS.admins);
      const before = await this.find(by, id);
      await work();
      const after = await this.find(by, id);
      await this.#record(by, kind.action, after, kind.shown(before), kind.shown(after));
      this.#init.sessionCache.invalidate(id);
      return after;
    });
  }

  /** Outside of transactions, as `user.delete`. */
  async #announce(scope: Scope, userId: string, change: UserChange['change']): Promise<void> {
    const { actor, orgId } = scope;
    await this.#init.hooks.userChange({ userId, change, orgId, actorId: actor.id }, scope);
  }

  async #record(by: Scope, action: string, user: ManagedUser, before: object, after: object | null): Promise<void> {
    const target = { type: 'user', id: user.id, label: user.email };
    await this.#store.audited(this.#init.audit, { action, target, before, after }, by);
  }

  async #update(id: string, changes: Record<string, unknown>): Promise<void> {
    const updatedAt = this.#store.date();
    await this.#store.run((db) =>
      db(TABLES.user)
        .where({ id })
        .update({ ...changes, updatedAt }),
    );
  }

  #endSessions(userId: string): Promise<number> {
    return this.#store.run((db) => db(TABLES.session).where({ userId }).delete());
  }
}
