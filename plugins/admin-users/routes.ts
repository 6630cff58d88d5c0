/** Serves the users of managed authentication to administrators. */
import { type Static, Type } from '@sinclair/typebox';
import { AtlasError, defineRoute, type Route } from '../../kernel/index.ts';
import { page, pageQuery, SUCCEEDED, Success } from '../admin-kit/index.ts';
import {
  type AuthManaged,
  Email,
  INVITATION_LIFETIME_S,
  INVITATION_ORDERS,
  USER_ORDERS,
} from '../auth-managed/index.ts';

const RoleName = Type.Union([Type.Literal('viewer'), Type.Literal('analyst'), Type.Literal('admin')], {
  title: 'Role',
});
const orNull = Type.Union([Type.String(), Type.Null()]);
const Time = Type.String({ format: 'date-time' });

const User = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    name: Type.String(),
    role: RoleName,
    customRole: Type.Optional(
      Type.String({ description: 'Id of the custom role; `role` is then the nearest of the built-in ones.' }),
    ),
    banned: Type.Boolean(),
    banReason: orNull,
    banExpires: orNull,
    createdAt: Time,
  },
  { title: 'User' },
);
export type User = Static<typeof User>;

const Stats = Type.Object({
  total: Type.Integer(),
  banned: Type.Integer(),
  byRole: Type.Object({ admin: Type.Integer(), analyst: Type.Integer(), viewer: Type.Integer() }),
});

const UserParams = Type.Object({ id: Type.String({ minLength: 1, maxLength: 128 }) });

const paging = pageQuery({ limit: 50, max: 200 });
const Search = Type.Optional(
  Type.String({ maxLength: 254, description: 'Part of the e-mail address; empty: no filter.' }),
);

const ListQuery = Type.Object({
  ...paging,
  ...USER_ORDERS.query,
  search: Search,
  role: Type.Optional(RoleName),
});

const RoleBody = Type.Object({ role: RoleName }, { additionalProperties: false });

const BanBody = Type.Object(
  {
    reason: Type.Optional(Type.String({ maxLength: 1_000 })),
    expiresIn: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 3_153_600_000, description: 'Seconds; without it the ban has no end.' }),
    ),
  },
  { additionalProperties: false, default: {}, errorMessage: 'must be a JSON object' },
);

const INVITATION_STATES = ['pending', 'accepted', 'rejected', 'canceled', 'expired'] as const;
const InvitationStatus = Type.Union(INVITATION_STATES.map((status) => Type.Literal(status)));

const Invitation = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    role: Type.String({ description: 'Id of the role that the invited person gets.' }),
    status: InvitationStatus,
    invitedBy: Type.String({ description: 'Id of the user who invited.' }),
    createdAt: Time,
    expiresAt: Time,
    acceptUrl: Type.Union([Type.String(), Type.Null()], {
      description:
        'The page where the invited person joins; signed in, clients post `{"invitationId": id}` there. Null unless it is pending.',
    }),
    mailed: Type.Optional(
      Type.Boolean({
        description: 'Of a new one, where e-mail is set up: whether the invited person was sent a mail.',
      }),
    ),
  },
  { title: 'AdminInvitation' },
);
export type Invitation = Static<typeof Invitation>;

const InvitationQuery = Type.Object({
  ...paging,
  ...INVITATION_ORDERS.query,
  search: Search,
  status: Type.Optional(InvitationStatus),
});

const InvitationBody = Type.Object(
  {
    email: Email,
    role: Type.String({
      default: 'analyst',
      minLength: 1,
      maxLength: 128,
      description: 'viewer, analyst, admin, or the id or name of a custom role.',
    }),
    expiresIn: Type.Integer({
      default: INVITATION_LIFETIME_S,
      minimum: 60,
      maximum: 90 * 86_400,
      description: 'Seconds.',
    }),
  },
  { additionalProperties: false },
);

export function userRoutes(auth: AuthManaged | undefined): Route[] {
  const managed = () => {
    if (auth !== undefined) return auth;
    throw new AtlasError('There are no users: this server has no managed accounts.', {
      code: 'not_available',
      hint: 'Use managed authentication: SVC_AUTH_MODE=managed.',
    });
  };
  const users = () => managed().users;
  const all = { tag: 'Users', right: 'admin:users', ready: () => void users(), errors: ['not_available'] } as const;
  const one = { ...all, params: UserParams, errors: ['not_available', 'not_found', 'forbidden', 'conflict'] };
  const path = '/api/v1/admin/users';
  return [
    defineRoute({
      ...all,
      method: 'GET',
      path,
      operationId: 'listUsers',
      area: 'users',
      summary: 'Users, by default the newest first.',
      query: ListQuery,
      responses: { 200: page('users', User) },
      async handle({ query }, scope) {
        return { body: { ...(await users().list(scope, query)), limit: query.limit, offset: query.offset } };
      },
    }),
    {
      ...all,
      method: 'GET',
      path: `${path}/stats`,
      operationId: 'getUserStats',
      summary: 'How many users there are, by role, and how many are banned.',
      responses: { 200: Stats },
      handle: async (_request, scope) => ({ body: await users().stats(scope) }),
    },
    defineRoute({
      ...one,
      method: 'PATCH',
      path: `${path}/:id/role`,
      operationId: 'setUserRole',
      summary: "Changes a user's role; not one's own, and not that of the last administrator.",
      body: RoleBody,
      responses: { 200: User },
      async handle(request, scope) {
        const { role } = request.body;
        return { body: await users().setRole(scope, request.params.id, role) };
      },
    }),
    defineRoute({
      ...one,
      method: 'POST',
      path: `${path}/:id/ban`,
      operationId: 'banUser',
      summary: 'Bans a user, who is signed out everywhere.',
      body: BanBody,
      responses: { 200: User },
      async handle(request, scope) {
        const { reason, expiresIn } = request.body;
        return { body: await users().ban(scope, request.params.id, reason, expiresIn) };
      },
    }),
    defineRoute({
      ...one,
      method: 'POST',
      path: `${path}/:id/unban`,
      operationId: 'unbanUser',
      summary: 'Lifts a ban.',
      responses: { 200: User },
      handle: async (request, scope) => ({ body: await users().unban(scope, request.params.id) }),
    }),
    defineRoute({
      ...one,
      method: 'POST',
      path: `${path}/:id/revoke`,
      operationId: 'revokeUserSessions',
      summary: "Ends all of a user's sessions.",
      responses: { 200: Success },
      async handle(request, scope) {
        await users().revokeSessions(scope, request.params.id);
        return SUCCEEDED;
      },
    }),
    defineRoute({
      ...one,
      method: 'DELETE',
      path: `${path}/:id`,
      operationId: 'deleteUser',
      summary: 'Permanently deletes a user; not oneself, and not the last administrator.',
      responses: { 200: Success },
      async handle(request, scope) {
        await users().remove(scope, request.params.id);
        return SUCCEEDED;
      },
    }),
    defineRoute({
      ...all,
      method: 'GET',
      path: `${path}/invitations`,
      operationId: 'listInvitations',
      area: 'invitations',
      summary: 'Invitations to the active organization, by default the newest first.',
      query: InvitationQuery,
      responses: { 200: page('invitations', Invitation) },
      async handle({ query }, scope) {
        const { limit, offset } = query;
        return { body: { ...(await managed().invitations.list(scope, query, query)), limit, offset } };
      },
    }),
    defineRoute({
      ...all,
      errors: ['not_available', 'not_found', 'forbidden', 'conflict'],
      method: 'POST',
      path: `${path}/invitations`,
      operationId: 'createInvitation',
      summary: 'Invites a person to the active organization by e-mail address, with the role that they will have.',
      body: InvitationBody,
      responses: { 201: Invitation },
      async handle({ body }, scope) {
        return { status: 201, body: await managed().invitations.create(scope, body) };
      },
    }),
    defineRoute({
      ...all,
      errors: ['not_available', 'not_found'],
      method: 'DELETE',
      path: `${path}/invitations/:id`,
      operationId: 'revokeInvitation',
      summary: 'Revokes a pending invitation to the active organization.',
      params: UserParams,
      responses: { 200: Success },
      async handle({ params }, scope) {
        await managed().invitations.revoke(scope, params.id);
        return SUCCEEDED;
      },
    }),
  ];
}
