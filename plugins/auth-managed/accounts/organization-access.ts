/**
 * Decides in which organization a call of the library's endpoints works, and what the caller sees of invitations. Foreign
 * organizations and invitations are answered as if they were not there.
 */
import { type Access, AtlasError, type RouteReply, type RouteRequest, type Scope } from '../../../kernel/index.ts';
import { hasRight } from '../../auth-kit/index.ts';
import type { Endpoint } from '../better-auth/endpoint.ts';
import { betterAuthError } from '../better-auth/errors.ts';
import { BASE_PATH } from '../better-auth/instance.ts';
import { TABLES } from '../migrations.ts';
import type { Store } from '../store.ts';
import { refused } from './governance.ts';
import { identityOf } from './identity.ts';
import { invitationsTo, uncoveredRoles } from './invitations.ts';
import { GOVERNING_ROLES, standingOf } from './standing.ts';

export interface OrganizationAccessInit {
  readonly store: Store;
  /** Throws for who may not do it. */
  authorize(access: Access, scope: Scope): Promise<unknown>;
}

type Given = Readonly<Record<string, string | undefined>>;

/** Invitations to one's own address; nobody else reaches them here. */
const BY_RECIPIENT = ['accept-invitation', 'reject-invitation', 'get-invitation'];
const BY_INVITATION = [...BY_RECIPIENT, 'cancel-invitation'];

const noMember = () => betterAuthError(403, { code: 'USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION' });
const noInvitation = () =>
  betterAuthError(404, { code: 'INVITATION_NOT_FOUND', message: 'There is no such invitation.' });

export class OrganizationAccess {
  readonly #init: OrganizationAccessInit;
  readonly #store: Store;

  constructor(init: OrganizationAccessInit) {
    this.#init = init;
    this.#store = init.store;
  }

  /**
   * Throws for an organization or invitation that is not the caller's. In another organization than the active one the
   * caller is who they are there, and its rules apply, such as the addresses that it may be reached from.
   */
  async enter(endpoint: Endpoint, request: RouteRequest, scope: Scope): Promise<void> {
    const call = nameOf(endpoint);
    // The library goes by the user's own role, which may count for less in the active organization.
    if (['create', 'check-slug'].includes(call)) {
      if (scope.actor.role !== 'admin') throw mayNotCreate();
      return;
    }
    // The library sees what is declared, and nothing else may decide here.
    const given = (endpoint.body === undefined ? request.query : request.body) as Given;
    const orgId = await this.#organizationOf(call, given, scope);
    if (orgId === scope.orgId) return;
    const { id: userId, claims } = scope.actor;
    const identity = await this.#store.run(async (db) => {
      const user = await db(TABLES.user).where({ id: userId }).first();
      if (user === undefined) throw noMember();
      return identityOf(user, await standingOf(db, orgId, user), orgId, String(claims.sid));
    });
    scope.identify(identity.actor, orgId);
    const { method, path, right } = endpoint;
    await this.#init.authorize({ right, operation: `${method} ${BASE_PATH}${path}`, ip: request.ip }, scope);
  }

  /** The reply without invitations that the caller could not have made: who knows one can sign up with its address. */
  async shown(endpoint: Endpoint, reply: RouteReply, scope: Scope): Promise<RouteReply> {
    const call = nameOf(endpoint);
    const { orgId } = scope;
    if (orgId === null || reply.body === null) return reply;
    if (call !== 'list-invitations' && call !== 'get-full-organization') return reply;
    const hidden = await this.#hiddenInvitations(orgId, scope);
    if (call === 'list-invitations') {
      if (hidden === undefined) throw refused('You may not see invitations.', 'Ask an administrator.');
      return { ...reply, body: (reply.body as { id: string }[]).filter(({ id }) => !hidden.has(id)) };
    }
    const { invitations, ...organization } = reply.body as { invitations: { id: string }[] };
    const seen = hidden === undefined ? [] : invitations.filter(({ id }) => !hidden.has(id));
    return { ...reply, body: { ...organization, invitations: seen } };
  }

  /** `undefined`: all of them. */
  async #hiddenInvitations(orgId: string, { actor }: Scope): Promise<ReadonlySet<string> | undefined> {
    return this.#store.run(async (db) => {
      const membership = { organizationId: orgId, userId: actor.id };
      const governs = await db(TABLES.member).where(membership).whereIn('role', GOVERNING_ROLES).first('id');
      if (governs === undefined && !hasRight(actor, 'admin:users')) return undefined;
      const roles = await uncoveredRoles(db, orgId, actor);
      if (roles.length === 0) return new Set();
      const ids: string[] = await db(TABLES.invitation)
        .where({ organizationId: orgId })
        .where(invitationsTo(roles))
        .pluck('id');
      return new Set(ids);
    });
  }

  /** Throws unless the caller belongs to it; of invitations to the caller it does not matter which one invites. */
  async #organizationOf(call: string, given: Given, scope: Scope): Promise<string | null> {
    const { organizationId, organizationSlug, invitationId, id = invitationId } = given;
    const userId = scope.actor.id ?? '';
    if (BY_INVITATION.includes(call)) return this.#organizationOfInvitation(call, id ?? '', scope);
    if (organizationId === undefined && organizationSlug === undefined) {
      if (call !== 'set-active') return scope.orgId;
      throw new AtlasError('Say which organization: organizationId or organizationSlug.', {
        code: 'validation_error',
        details: [{ path: 'organizationId', message: 'is required' }],
      });
    }
    const found = await this.#store.run((db) => {
      const { member, organization } = TABLES;
      const query = db(member)
        .join(organization, `${organization}.id`, `${member}.organizationId`)
        .where(`${member}.userId`, userId);
      if (organizationId !== undefined) query.where(`${organization}.id`, organizationId);
      // Given both, the library chooses the one with the id, and reads the one with the short name.
      if (organizationSlug !== undefined && (call !== 'set-active' || organizationId === undefined)) {
        query.where(`${organization}.slug`, organizationSlug);
      }
      return query.first(`${organization}.id as id`);
    });
    if (found === undefined) throw noMember();
    return found.id;
  }

  async #organizationOfInvitation(call: string, id: string, { actor, orgId }: Scope): Promise<string | null> {
    return this.#store.run(async (db) => {
      const invitation = await db(TABLES.invitation).where({ id }).first('email', 'organizationId', 'status');
      // The library would revoke one that has been accepted, too.
      if (invitation?.status !== 'pending') throw noInvitation();
      if (BY_RECIPIENT.includes(call)) {
        const user = await db(TABLES.user).where({ id: actor.id }).first('email');
        if (user?.email.toLowerCase() !== invitation.email.toLowerCase()) throw noInvitation();
        return orgId;
      }
      const { organizationId } = invitation;
      const member = await db(TABLES.member).where({ organizationId, userId: actor.id }).first('id');
      if (member === undefined) throw noInvitation();
      return organizationId as string;
    });
  }
}

const nameOf = ({ path }: Endpoint) => path.replace('/organization/', '');

function mayNotCreate(): AtlasError {
  return new AtlasError('Only administrators create organizations.', {
    code: 'forbidden',
    libraryCode: 'YOU_ARE_NOT_ALLOWED_TO_CREATE_A_NEW_ORGANIZATION',
    hint: 'Ask an administrator, or work in an organization that you administer.',
  });
}
