/** Makes, lists and revokes invitations to an organization, and gives those who accept the role that was chosen. */
import type { Knex } from 'knex';
import { AtlasError, type Role, type Scope } from '../../../kernel/index.ts';
import { readPage, type SortedPage } from '../../admin-kit/index.ts';
import type { Audit } from '../../audit/index.ts';
import { isRole, roles } from '../../auth-kit/index.ts';
import { BASE_PATH } from '../better-auth/instance.ts';
import { hashedToken } from '../better-auth/session-token.ts';
import { LOCKS, TABLES } from '../migrations.ts';
import type { Store } from '../store.ts';
import { type AccountMail, lineOf } from './account-mail.ts';
import { isPlatformAdministrator } from './administrators.ts';
import { refused } from './governance.ts';
import { INVITATION_ORDERS } from './list-orders.ts';
import { findRole } from './roles.ts';
import { covers, REDUCED_ROLE, roleOf, type Standing, standingOf } from './standing.ts';

export interface ManagedInvitation {
  readonly id: string;
  readonly email: string;
  /** Id of the role that the invited person gets; of an invitation that the library made, the membership. */
  readonly role: string;
  readonly status: 'pending' | 'accepted' | 'rejected' | 'canceled' | 'expired';
  readonly invitedBy: string;
  /** ISO 8601, like the next one. */
  readonly createdAt: string;
  readonly expiresAt: string;
  /** The page where the invited person joins, with the public address where it is configured; only while it is pending. */
  readonly acceptUrl: string | null;
  /** Whether the invited person was sent a mail: in a new one, where the server delivers by e-mail. */
  readonly mailed?: boolean;
}

export interface InvitationInput {
  readonly email: string;
  readonly role: string;
  readonly expiresIn: number;
}

export interface InvitationsInit {
  readonly store: Store;
  readonly audit: Audit | undefined;
  readonly mail: AccountMail;
  /** The address of a path below the public URL, if that is known. */
  readonly link: (path: string) => string | undefined;
}

/** What the invited person gets to see of it. */
export interface PendingInvitation extends Pick<ManagedInvitation, 'id' | 'email' | 'role' | 'expiresAt'> {
  readonly organization: string;
  /** Address of the person who invites. */
  readonly inviter: string;
}

interface InvitationRow {
  readonly id: string;
  readonly organizationId: string;
  readonly email: string;
  readonly role: string | null;
  readonly grantedRole: string | null;
  readonly status: string;
  readonly inviterId: string;
  readonly createdAt: Date | string;
  readonly expiresAt: Date | string;
}

/** Limit for one organization. */
const MOST_PENDING = 1_000;

export const INVITATION_STATES = ['pending', 'accepted', 'rejected', 'canceled', 'expired'] as const;
export type InvitationState = (typeof INVITATION_STATES)[number];

const pathOf = (id: string) => `${BASE_PATH}/organization/accept-invitation?invitationId=${id}`;

const conflict = (message: string, hint: string) => new AtlasError(message, { code: 'conflict', hint });

/** Ids of roles and memberships whose holders have, or may have, rights that `standing` lacks. */
export async function uncoveredRoles(db: Knex, organizationId: string, standing: Standing): Promise<string[]> {
  const custom: { id: string; baseRole: string; rights: string }[] = await db(TABLES.role)
    .where({ organizationId })
    .select('id', 'baseRole', 'rights');
  const given: ({ id: string } & Standing)[] = [
    ...(Object.keys(roles) as Role[]).map((role) => ({ id: role, role })),
    { id: 'owner', role: 'admin' },
    { id: 'member', role: REDUCED_ROLE },
    ...custom.map(({ id, baseRole, rights }) => ({ id, role: roleOf(baseRole), rights: JSON.parse(rights) })),
  ];
  return given.filter((role) => !covers(standing, role)).map(({ id }) => id);
}

/** Matches invitations that give one of the roles or memberships. */
export const invitationsTo = (ids: readonly string[]) => (query: Knex.QueryBuilder) =>
  query.whereRaw(`coalesce(??, ??, 'member') in (${ids.map(() => '?').join(', ')})`, ['grantedRole', 'role', ...ids]);

export class Invitations {
  readonly #init: InvitationsInit;
  readonly #store: Store;

  constructor(init: InvitationsInit) {
    this.#init = init;
    this.#store = init.store;
  }

  /** Lists those of the active organization, by default the newest first; without those that the actor could not have made. */
  async list(
    by: Pick<Scope, 'actor' | 'orgId'>,
    page: SortedPage<typeof INVITATION_ORDERS>,
    { status, search }: { readonly status?: InvitationState | undefined; readonly search?: string | undefined },
  ): Promise<{ invitations: ManagedInvitation[]; total: number }> {
    const { rows, total } = await this.#store.run(async (db) => {
      const own = await this.#reachable(db, by);
      const matching = () => {
        const query = db(TABLES.invitation).where(own);
        const position = this.#store.dialect === 'postgres' ? 'strpos' : 'instr';
        if (search) query.whereRaw(`${position}(lower(email), ?) > 0`, [search.toLowerCase()]);
        if (status === undefined) return query;
        if (status !== 'pending' && status !== 'expired') return query.where({ status });
        return query
          .where({ status: 'pending' })
          .where('expiresAt', status === 'pending' ? '>' : '<=', this.#store.date());
      };
      return readPage<InvitationRow>({ matching, order: INVITATION_ORDERS.order(page.sort) }, page);
    });
    return { invitations: rows.map((row) => this.#shown(row)), total };
  }

  /**
   * Throws `conflict` without an active organization, for a member, and for an address with a pending invitation;
   * `not_found` for a role that does not exist, and `forbidden` for one with rights that the actor does not have.
   */
  async create(by: Scope, { email: given, role: wanted, expiresIn }: InvitationInput): Promise<ManagedInvitation> {
    const { actor, orgId } = by;
    const email = given.toLowerCase();
    if (orgId === null) {
      throw conflict('People are invited to an organization, and none is active.', 'Create or choose one first.');
    }
    const invitation = await this.#store.transaction(async () => {
      await this.#store.lock(LOCKS.admins);
      const row = await this.#store.run(async (db) => {
        const role = await findRole(db, orgId, wanted);
        if (!covers(actor, role)) {
          throw refused('This role grants rights that you do not have.', 'Ask an administrator to invite.');
        }
        await this.#mustBeInvitable(db, orgId, email);
        const inviter = await db(TABLES.user)
          .where({ id: actor.id ?? '' })
          .first('id');
        if (inviter === undefined) {
          throw refused('Invitations are made by users with an account here.', 'Sign in with your account.');
        }
        const [made] = await db(TABLES.invitation)
          .insert({
            id: crypto.randomUUID().replaceAll('-', ''),
            organizationId: orgId,
            email,
            role: role.id,
            grantedRole: role.id,
            status: 'pending',
            inviterId: actor.id,
            createdAt: this.#store.date(),
            expiresAt: this.#store.date(new Date(Date.now() + expiresIn * 1_000)),
          })
          .returning<InvitationRow[]>('*');
        return made as InvitationRow;
      });
      const invitation = this.#shown(row);
      await this.#record(by, 'invitation.created', row, null, { email, role: invitation.role });
      return invitation;
    });
    const mailed = await this.send(invitation.id, by);
    return { ...invitation, ...(mailed !== undefined && { mailed }) };
  }

  /** Mails a pending invitation. Resolves to whether it was sent; `undefined` where nothing delivers by e-mail. */
  async send(id: string, by: Scope): Promise<boolean | undefined> {
    const pending = await this.pending(id);
    if (pending === undefined) return undefined;
    const { mail } = this.#init;
    const [organization, inviter, role] = [pending.organization, pending.inviter, pending.role].map(lineOf);
    const text = `${inviter} invites you to the organization "${organization}" on Atlas, with the role ${role}.

To join, ${mail.toOpen(pathOf(id))}

The invitation is for the address ${pending.email}, and ends at ${pending.expiresAt}. If you did not expect it, you need not do anything.
`;
    const subject = `Invitation to ${organization} on Atlas`;
    return mail.send({ kind: 'invitation', id, to: pending.email, sender: by.orgId, subject, text }, by);
  }

  /** `undefined` unless there is such an invitation and it is pending. */
  async pending(id: string): Promise<PendingInvitation | undefined> {
    const { organization, invitation, user } = TABLES;
    const row: (InvitationRow & { organization: string; inviter: string }) | undefined = await this.#store.run((db) =>
      db(invitation)
        .join(organization, `${organization}.id`, `${invitation}.organizationId`)
        .join(user, `${user}.id`, `${invitation}.inviterId`)
        .where({ [`${invitation}.id`]: id })
        .first(`${invitation}.*`, `${organization}.name as organization`, `${user}.email as inviter`),
    );
    if (row === undefined) return undefined;
    const { status, email, role, expiresAt } = this.#shown(row);
    if (status !== 'pending') return undefined;
    return { id, email, role, expiresAt, organization: row.organization, inviter: row.inviter };
  }

  /** Throws `not_found` unless there is such a pending invitation of the active organization. */
  async revoke(by: Scope, id: string): Promise<void> {
    await this.#store.transaction(async () => {
      const [row]: InvitationRow[] = await this.#store.run(async (db) =>
        db(TABLES.invitation)
          .where({ id, status: 'pending' })
          .where(await this.#reachable(db, by))
          .update({ status: 'canceled' })
          .returning('*'),
      );
      if (row === undefined) {
        throw new AtlasError('There is no such pending invitation in this organization.', { code: 'not_found' });
      }
      await this.#record(by, 'invitation.revoked', row, { status: 'pending' }, { status: 'canceled' });
    });
  }

  /**
   * Gives the user who has just accepted, in the transaction of that, the role that was chosen. A role in Atlas counts in
   * every organization, so users who belong to another one keep theirs; a custom role is one of the membership. Throws
   * `forbidden` where the administrator who invited may not give it any more.
   */
  async accepted(id: string, { actor }: Scope): Promise<void> {
    await this.#store.run(async (db) => {
      const row: InvitationRow = await db(TABLES.invitation).where({ id }).first();
      const { grantedRole, organizationId } = row;
      const standingIn = async (id: string) => {
        const user = await db(TABLES.user).where({ id }).first('id', 'role', 'adminByOrganization');
        return user === undefined ? undefined : standingOf(db, organizationId, user);
      };
      // The library's invitations give a membership, with which administrators elsewhere may be administrators here.
      const role =
        grantedRole === null ? await standingIn(actor.id ?? '') : await findRole(db, organizationId, grantedRole);
      const inviter = await standingIn(row.inviterId);
      if (role === undefined || inviter === undefined || !covers(inviter, role)) {
        throw refused(
          'The person who invited you may not give this role any more.',
          'Ask an administrator of the organization for a new invitation.',
        );
      }
      const userId = actor.id ?? '';
      if (grantedRole === null || !isRole(grantedRole) || (await isPlatformAdministrator(db, userId))) return;
      const elsewhere = await db(TABLES.member).where({ userId }).whereNot({ organizationId }).first('id');
      if (elsewhere !== undefined) return;
      const changes = {
        role: grantedRole,
        adminByOrganization: grantedRole === 'admin',
        updatedAt: this.#store.date(),
      };
      await db(TABLES.user).where({ id: userId }).update(changes);
    });
  }

  /**
   * Narrows to the active organization, and to rights that the actor has: who knows an invitation can sign up with its
   * address, and accept it.
   */
  async #reachable(
    db: Knex,
    { actor, orgId }: Pick<Scope, 'actor' | 'orgId'>,
  ): Promise<(query: Knex.QueryBuilder) => unknown> {
    const organizationId = orgId ?? '';
    const hidden = await uncoveredRoles(db, organizationId, actor);
    return (query) => {
      query.where({ organizationId });
      if (hidden.length > 0) query.whereNot(invitationsTo(hidden));
    };
  }

  async #mustBeInvitable(db: Knex, organizationId: string, email: string): Promise<void> {
    const { member, user, invitation } = TABLES;
    const known = await db(member)
      .join(user, `${user}.id`, `${member}.userId`)
      .where({ organizationId, email })
      .first(`${member}.id`);
    if (known !== undefined) throw conflict('This person is a member already.', 'Change their role instead.');
    const pending = () =>
      db(invitation).where({ organizationId, status: 'pending' }).where('expiresAt', '>', this.#store.date());
    if ((await pending().where({ email }).first('id')) !== undefined) {
      throw conflict('This person has a pending invitation.', 'Revoke it first.');
    }
    const counted = await pending().count({ count: '*' }).first();
    if (Number(counted?.count ?? 0) < MOST_PENDING) return;
    throw conflict(`${MOST_PENDING} invitations are pending.`, 'Revoke some of them, or wait until they expire.');
  }

  async #record(by: Scope, action: string, row: InvitationRow, before: object | null, after: object): Promise<void> {
    const target = { type: 'invitation', id: hashedToken(row.id), label: row.email };
    await this.#store.audited(this.#init.audit, { action, target, before, after }, by);
  }

  #shown(row: InvitationRow): ManagedInvitation {
    const expired = row.status === 'pending' && new Date(row.expiresAt).getTime() <= Date.now();
    const status = expired ? 'expired' : (row.status as InvitationState);
    return {
      id: row.id,
      email: row.email,
      role: row.grantedRole ?? row.role ?? 'member',
      status,
      invitedBy: row.inviterId,
      createdAt: new Date(row.createdAt).toISOString(),
      expiresAt: new Date(row.expiresAt).toISOString(),
      acceptUrl: status === 'pending' ? (this.#init.link(pathOf(row.id)) ?? pathOf(row.id)) : null,
    };
  }
}
