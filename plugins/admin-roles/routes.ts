/** Serves roles, their rights and their members to administrators. */
import { type Static, Type } from '@sinclair/typebox';
import { AtlasError, defineRoute, type Route } from '../../kernel/index.ts';
import { orNull, page, pageQuery, SUCCEEDED, Success } from '../admin-kit/index.ts';
import { grantableRights } from '../auth-kit/index.ts';
import { type AuthManaged, MEMBER_ORDERS } from '../auth-managed/index.ts';

const Id = Type.String({ minLength: 1, maxLength: 128 });
const Rights = Type.Array(Type.Union(grantableRights.map((right) => Type.Literal(right))), {
  minItems: 1,
  uniqueItems: true,
  description: 'What its members may do, beside what everybody may do with their own account.',
});

const ManagedRole = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    description: orNull(Type.String()),
    rights: Rights,
    builtIn: Type.Boolean(),
    members: Type.Integer({ description: 'How many users have it.' }),
    createdAt: orNull(Type.String()),
    updatedAt: orNull(Type.String()),
  },
  { title: 'ManagedRole' },
);
export type ManagedRole = Static<typeof ManagedRole>;

const Name = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^[^\\s\\x00-\\x1f\\x7f](?:[^\\x00-\\x1f\\x7f]*[^\\s\\x00-\\x1f\\x7f])?$',
  errorMessage: 'must be 1 to 64 characters long, without control characters, and not begin or end with a blank',
});
const Description = orNull(Type.String({ maxLength: 1_000 }));
const CreateBody = Type.Object(
  { name: Name, description: Type.Optional(Description), rights: Rights },
  { additionalProperties: false },
);
const UpdateBody = Type.Object(
  { name: Type.Optional(Name), description: Type.Optional(Description), rights: Type.Optional(Rights) },
  { additionalProperties: false, minProperties: 1 },
);

const Member = Type.Object(
  { userId: Type.String(), role: Type.String(), createdAt: Type.String({ format: 'date-time' }) },
  { title: 'RoleMember' },
);
export type RoleMember = Static<typeof Member>;

export function roleRoutes(auth: AuthManaged | undefined): Route[] {
  const managed = () => {
    if (auth !== undefined) return auth;
    throw new AtlasError('There are no roles to manage: this server has no managed accounts.', {
      code: 'not_available',
      hint: 'Use managed authentication: SVC_AUTH_MODE=managed.',
    });
  };
  const all = { tag: 'Roles', right: 'admin:roles', ready: () => void managed(), errors: ['not_available'] } as const;
  const one = { ...all, params: Type.Object({ id: Id }), errors: ['not_available', 'not_found'] };
  const change = { ...one, errors: [...one.errors, 'forbidden', 'conflict'] };
  const path = '/api/v1/admin/roles';
  return [
    defineRoute({
      ...all,
      method: 'GET',
      path,
      operationId: 'listRoles',
      area: 'roles',
      summary: 'The built-in roles, then those of the active organization by name.',
      query: Type.Object(pageQuery({ limit: 50, max: 200 })),
      responses: { 200: page('roles', ManagedRole) },
      async handle({ query }, scope) {
        return { body: { ...(await managed().roles.list(scope, query)), ...query } };
      },
    }),
    defineRoute({
      ...all,
      errors: ['not_available', 'forbidden', 'conflict'],
      method: 'POST',
      path,
      operationId: 'createRole',
      summary: 'Creates a role of the active organization, with rights that the caller has.',
      body: CreateBody,
      responses: { 201: ManagedRole },
      async handle({ body }, scope) {
        return { status: 201, body: await managed().roles.create(scope, body) };
      },
    }),
    defineRoute({
      ...one,
      method: 'GET',
      path: `${path}/:id`,
      operationId: 'getRole',
      summary: 'One role, by its id or name.',
      responses: { 200: ManagedRole },
      async handle({ params }, scope) {
        return { body: await managed().roles.find(scope, params.id) };
      },
    }),
    defineRoute({
      ...change,
      method: 'PUT',
      path: `${path}/:id`,
      operationId: 'updateRole',
      summary: 'Changes a custom role; its members have the new rights at once.',
      body: UpdateBody,
      responses: { 200: ManagedRole },
      async handle({ params, body }, scope) {
        return { body: await managed().roles.update(scope, params.id, body) };
      },
    }),
    defineRoute({
      ...change,
      method: 'DELETE',
      path: `${path}/:id`,
      operationId: 'deleteRole',
      summary: 'Deletes a custom role that has no members.',
      responses: { 200: Success },
      async handle({ params }, scope) {
        await managed().roles.remove(scope, params.id);
        return SUCCEEDED;
      },
    }),
    defineRoute({
      ...one,
      method: 'GET',
      path: `${path}/:id/members`,
      operationId: 'listRoleMembers',
      summary: 'Users who have the role, by default the longest-standing first.',
      query: Type.Object({ ...pageQuery({ limit: 200, max: 1_000 }), ...MEMBER_ORDERS.query }),
      responses: { 200: Type.Object({ members: Type.Array(Member), total: Type.Integer() }) },
      async handle({ params, query }, scope) {
        const { id } = await managed().roles.find(scope, params.id);
        return { body: await managed().users.members(scope, id, query) };
      },
    }),
    defineRoute({
      ...change,
      params: Type.Object({ userId: Id }),
      method: 'PUT',
      path: `${path}/users/:userId/role`,
      operationId: 'giveRole',
      summary: "Gives a user a role, built-in or custom; not one's own, and not away from the last administrator.",
      body: Type.Object({ role: Id }, { additionalProperties: false }),
      responses: { 200: Type.Object({ userId: Type.String(), role: Type.String() }) },
      async handle({ params: { userId }, body }, scope) {
        const user = await managed().users.setRole(scope, userId, body.role);
        return { body: { userId, role: user.customRole ?? user.role } };
      },
    }),
  ];
}
