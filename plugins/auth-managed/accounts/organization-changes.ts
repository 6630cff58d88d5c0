/**
 * Makes what the library's endpoints change in organizations one transaction with its audit entry, and refuses changes
 * after which an organization would have no administrator, or a member rights that the caller does not have.
 */
import type { Knex } from 'knex';
import type { RouteReply, Scope } from '../../../kernel/index.ts';
import type { Audit } from '../../audit/index.ts';
import { betterAuthError } from '../better-auth/errors.ts';
import type { SessionCache } from '../better-auth/session-cache.ts';
import { hashedToken } from '../better-auth/session-token.ts';
import type { AccountHooks, UserChange } from '../hooks.ts';
import { LOCKS, TABLES } from '../migrations.ts';
import type { Store } from '../store.ts';
import { type Governance, refused } from './governance.ts';
import type { Invitations } from './invitations.ts';
import { covers, type Standing, standingOf } from './standing.ts';

type Body = Readonly<Record<string, string | undefined>>;

interface Subject {
  readonly orgId: string;
  readonly userId?: string;
  readonly target: { readonly type: string; readonly id: string; readonly label: string };
  readonly shown: object;
}

/** Reads what an endpoint changes, by the id of its row. */
type Read = (db: Knex, id: string) => Promise<Subject | undefined>;

const organization: Read = async (db, id) => {
  const row = await db(TABLES.organization).where({ id }).first('name', 'slug');
  if (row === undefined) return undefined;
  return {
    orgId: id,
    target: { type: 'organization', id, label: row.name },
    shown: { name: row.name, slug: row.slug },
  };
};

const member: Read = async (db, id) => {
  const { member: members, user } = TABLES;
  const row = await db(members)
    .join(user, `${user}.id`, `${members}.userId`)
    .where({ [`${members}.id`]: id })
    .first('organizationId', 'userId', 'email', `${members}.role as role`);
  if (row === undefined) return undefined;
  const target = { type: 'user', id: row.userId, label: row.email };
  return { orgId: row.organizationId, userId: row.userId, target, shown: { membership: row.role } };
};

const invitation: Read = async (db, id) => {
  const row = await db(TABLES.invitation).where({ id }).first('organizationId', 'email', 'role', 'status');
  if (row === undefined) return undefined;
  const { organizationId, email, role, status } = row;
  // Who knows the id can sign up with the address, and accept.
  const target = { type: 'invitation', id: hashedToken(id), label: email };
  return { orgId: organizationId, target, shown: { email, role, status } };
};

interface Change {
  readonly action: string;
  readonly read: Read;
  /** Id of the row; `undefined`: there is none, or it is made by the change, whose answer has the id. */
  find(db: Knex, body: Body, scope: Scope): PromiseLike<string | undefined> | undefined;
  /** As the hook `user.change` knows it. */
  readonly byHand?: UserChange['change'];
}

const noSuchMember = () =>
  betterAuthError(404, { code: 'MEMBER_NOT_FOUND', message: 'There is no such member in this organization.' });

const orgOf = (body: Body, { orgId }: Scope) => body.organizationId ?? orgId ?? '';

async function memberIn(db: Knex, organizationId: string, who: Record<string, string | undefined>) {
  const { member: members, user } = TABLES;
  const row = await db(members)
    .join(user, `${user}.id`, `${members}.userId`)
    .where({ organizationId })
    .where((either) => {
      for (const [column, value] of Object.entries(who)) either.orWhere(column, value ?? '');
    })
    .first(`${members}.id as id`);
  return row?.id as string | undefined;
}

const byInvitation = async (_db: Knex, { invitationId }: Body) => invitationId;

const CHANGES: Readonly<Record<string, Change>> = {
  create: { action: 'organization.created', read: organization, find: () => undefined },
  update: { action: 'organization.updated', read: organization, find: async (_, body, scope) => orgOf(body, scope) },
  delete: { action: 'organization.deleted', read: organization, find: async (_, body, scope) => orgOf(body, scope) },
  'update-member-role': {
    action: 'member.role_changed',
    read: member,
    find: (db, body, scope) => memberIn(db, orgOf(body, scope), { [`${TABLES.member}.id`]: body.memberId }),
    byHand: 'role',
  },
  'remove-member': {
    action: 'member.removed',
    read: member,
    find: (db, body, scope) => {
      const who = body.memberIdOrEmail;
      return memberIn(db, orgOf(body, scope), { [`${TABLES.member}.id`]: who, email: who?.toLowerCase() });
    },
    byHand: 'remove',
  },
  leave: {
    action: 'member.left',
    read: member,
    find: (db, body, scope) => memberIn(db, orgOf(body, scope), { userId: scope.actor.id ?? '' }),
  },
  'invite-member': { action: 'invitation.created', read: invitation, find: () => undefined },
  'cancel-invitation': { action: 'invitation.revoked', read: invitation, find: byInvitation },
  'accept-invitation': { action: 'invitation.accepted', read: invitation, find: byInvitation },
  'reject-invitation': { action: 'invitation.rejected', read: invitation, find: byInvitation },
};

export interface OrganizationChangesInit {
  readonly store: Store;
  readonly governance: Governance;
  readonly invitations: Invitations;
  readonly sessionCache: SessionCache;
  readonly hooks: AccountHooks;
  readonly audit: Audit | undefined;
}

export class OrganizationChanges {
  readonly #init: OrganizationChangesInit;

  constructor(init: OrganizationChangesInit) {
    this.#init = init;
  }

  /** Runs `ask`, the call of the library's endpoint, with what belongs to it. */
  async run(path: string, body: unknown, scope: Scope, ask: () => Promise<RouteReply>): Promise<RouteReply> {
    const change = CHANGES[path.replace('/organization/', '')];
    if (change === undefined) return ask();
    const { store, sessionCache } = this.#init;
    const given = (body ?? {}) as Body;
    await this.#announce(change, given, scope);
    const reply = await store.transaction(async () => {
      await store.lock(LOCKS.admins);
      const id = await store.run(async (db) => change.find(db, given, scope));
      if (change.byHand !== undefined && id === undefined && orgOf(given, scope) !== '') throw noSuchMember();
      const before = await this.#read(change, id);
      const guard = await this.#guard(change, before, scope);
      const reply = await ask();
      const after = await this.#read(change, id ?? (reply.body as { id: string }).id);
      await guard();
      if (path.endsWith('/accept-invitation') && id !== undefined) await this.#init.invitations.accepted(id, scope);
      await this.#record(change, before, after, scope);
      for (const changed of [before?.userId, scope.actor.id]) if (changed != null) sessionCache.invalidate(changed);
      return reply;
    });
    if (path.endsWith('/invite-member')) await this.#init.invitations.send((reply.body as { id: string }).id, scope);
    return reply;
  }

  #read(change: Change, id: string | undefined): Promise<Subject | undefined> {
    return this.#init.store.run(async (db) => (id === undefined ? undefined : change.read(db, id)));
  }

  async #record(change: Change, before: Subject | undefined, after: Subject | undefined, scope: Scope): Promise<void> {
    const subject = after ?? before;
    if (subject === undefined) return;
    const { actor, requestId } = scope;
    const shown = { before: before?.shown ?? null, after: after?.shown ?? null };
    await this.#init.store.audited(
      this.#init.audit,
      { action: change.action, target: subject.target, ...shown },
      { actor, requestId, orgId: subject.orgId },
    );
  }

  /** Outside of transactions, as `user.delete`; of members of the caller's own organizations only. */
  async #announce({ byHand, find, read }: Change, body: Body, scope: Scope): Promise<void> {
    if (byHand === undefined) return;
    const { store, hooks } = this.#init;
    const subject = await store.run(async (db) => {
      if ((await memberIn(db, orgOf(body, scope), { userId: scope.actor.id ?? '' })) === undefined) return undefined;
      const id = await find(db, body, scope);
      return id === undefined ? undefined : read(db, id);
    });
    if (subject?.userId === undefined) return;
    const { userId, orgId } = subject;
    await hooks.userChange({ userId, change: byHand, orgId, actorId: scope.actor.id }, scope);
  }

  /** What must hold of members before the change, and resolves to what must hold after it. */
  async #guard({ byHand }: Change, before: Subject | undefined, { actor }: Scope): Promise<() => Promise<void>> {
    if (before?.userId === undefined) return async () => {};
    const { orgId, userId } = before;
    const { governance } = this.#init;
    const standing = (id: string) => this.#standing(orgId, id);
    const mayChange = async () => {
      if (byHand === undefined || userId === actor.id) return;
      if (!covers(await standing(actor.id ?? ''), await standing(userId))) {
        throw refused('This member has, or would have, rights that you do not have.', 'Ask an administrator.');
      }
      // A plain member, too: this organization's owners may be nobody on the platform.
      await governance.mustNotBeOfPlatform({ actor, orgId }, userId);
    };
    const hadAdministrator = await governance.hasAdministrator(orgId);
    const wasAdministrator = (await standing(userId)).role === 'admin';
    await mayChange();
    return async () => {
      if (byHand === 'role') await mayChange();
      if (!(hadAdministrator && wasAdministrator) || (await governance.hasAdministrator(orgId))) return;
      throw refused('The last administrator has to stay one.', 'Make another user administrator first.');
    };
  }

  #standing(orgId: string, userId: string): Promise<Standing> {
    return this.#init.store.run(async (db) => {
      const user = await db(TABLES.user).where({ id: userId }).first('id', 'role', 'adminByOrganization');
      return user === undefined ? { role: 'viewer', rights: [] } : standingOf(db, orgId, user);
    });
  }
}
