/** Serves the users of managed authentication to administrators. */
import { Type } from '@sinclair/typebox';
import { AtlasError, defineRoute, type Route } from '../../kernel/index.ts';
import type { AuthManaged } from '../auth-managed/index.ts';

const RoleName = Type.Union([Type.Literal('viewer'), Type.Literal('analyst'), Type.Literal('admin')], {
  title: 'Role',
});
const orNull = Type.Union([Type.String(), Type.Null()]);

const User = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    name: Type.String(),
    role: RoleName,
    banned: Type.Boolean(),
    banReason: orNull,
    banExpires: orNull,
    createdAt: Type.String({ format: 'date-time' }),
  },
  { title: 'User' },
);

const Page = Type.Object({
  users: Type.Array(User),
  total: Type.Integer(),
  limit: Type.Integer(),
  offset: Type.Integer(),
});

const Stats = Type.Object({
  total: Type.Integer(),
  banned: Type.Integer(),
  byRole: Type.Object({ admin: Type.Integer(), analyst: Type.Integer(), viewer: Type.Integer() }),
});

const UserParams = Type.Object({ id: Type.String({ minLength: 1, maxLength: 128 }) });

const ListQuery = Type.Object({
  limit: Type.Integer({ default: 50, minimum: 1, maximum: 200 }),
  offset: Type.Integer({ default: 0, minimum: 0 }),
  search: Type.Optional(Type.String({ minLength: 1, description: 'Part of the e-mail address.' })),
  role: Type.Optional(RoleName),
});

const RoleBody = Type.Object({ role: RoleName });

const BanBody = Type.Object(
  {
    reason: Type.Optional(Type.String({ maxLength: 1_000 })),
    expiresIn: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 3_153_600_000, description: 'Seconds; without it the ban has no end.' }),
    ),
  },
  { default: {}, errorMessage: 'must be a JSON object' },
);

const Done = Type.Object({ success: Type.Literal(true) }, { title: 'Success' });
const DONE = { body: { success: true } };

export function userRoutes(auth: AuthManaged | undefined): Route[] {
  const users = () => {
    if (auth !== undefined) return auth.users;
    throw new AtlasError('There are no users: this server has no managed accounts.', {
      code: 'not_available',
      hint: 'Use managed authentication: SVC_AUTH_MODE=managed.',
    });
  };
  const all = { tag: 'Users', right: 'admin', ready: () => void users(), errors: ['not_available'] } as const;
  const one = { ...all, params: UserParams, errors: ['not_available', 'not_found', 'forbidden', 'conflict'] };
  const path = '/api/v1/admin/users';
  return [
    defineRoute({
      ...all,
      method: 'GET',
      path,
      operationId: 'listUsers',
      summary: 'Users, the newest first.',
      query: ListQuery,
      responses: { 200: Page },
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
      responses: { 200: Done },
      async handle(request, scope) {
        await users().revokeSessions(scope, request.params.id);
        return DONE;
      },
    }),
    defineRoute({
      ...one,
      method: 'DELETE',
      path: `${path}/:id`,
      operationId: 'deleteUser',
      summary: 'Permanently deletes a user; not oneself, and not the last administrator.',
      responses: { 200: Done },
      async handle(request, scope) {
        await users().remove(scope, request.params.id);
        return DONE;
      },
    }),
  ];
}
