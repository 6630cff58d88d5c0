/** Organizations, their members and invitations. */
import { Type } from '@sinclair/typebox';
import { Email, type Endpoint, Id, Name, Picture } from './endpoint.ts';

/** How long an invitation is good, whichever way it was made, unless it says otherwise. */
export const INVITATION_LIFETIME_S = 7 * 86_400;

export const ORGANIZATION_ROLES = ['owner', 'admin', 'analyst', 'viewer', 'member'] as const;

const OrganizationRole = Type.Union(
  ORGANIZATION_ROLES.map((role) => Type.Literal(role)),
  {
    title: 'OrganizationRole',
    description:
      'role within the organization; what a user may do in Atlas is said by their own role, but an administrator is one only in organizations of which they are owner or admin',
  },
);
const Slug = Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,62}$', description: 'short name: acme-corp' });
const Which = Type.Optional(Id);
const Logo = Type.Optional(Picture);
const Metadata = Type.Optional(Type.Record(Type.String(), Type.Unknown()));

const organization = {
  id: Type.String(),
  name: Type.String(),
  slug: Type.String(),
  logo: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  metadata: Type.Optional(Type.Unknown()),
  createdAt: Type.String(),
};
const Organization = Type.Object(organization, { title: 'Organization' });
const Member = Type.Object(
  {
    id: Type.String(),
    organizationId: Type.String(),
    userId: Type.String(),
    role: Type.String(),
    createdAt: Type.String(),
    user: Type.Optional(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        email: Type.String(),
        image: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      }),
    ),
  },
  { title: 'Member' },
);
const Invitation = Type.Object(
  {
    id: Type.String(),
    organizationId: Type.String(),
    email: Type.String(),
    role: Type.Union([Type.String(), Type.Null()]),
    status: Type.String({ description: 'pending, accepted, rejected or canceled' }),
    expiresAt: Type.String(),
    createdAt: Type.Optional(Type.String()),
    inviterId: Type.String(),
  },
  { title: 'Invitation' },
);
const Page = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  offset: Type.Optional(Type.Integer({ minimum: 0 })),
};

const REFUSALS = ['not_found', 'conflict'];
const ByInvitation = Type.Object({ invitationId: Id });

type Described = Omit<Endpoint, 'method' | 'right' | 'errors'>;
const read = (endpoint: Described): Endpoint => ({ method: 'GET', right: 'query', errors: REFUSALS, ...endpoint });
/** An endpoint of one's own memberships and invitations, for everybody, whatever their role. */
const own = (endpoint: Described & Pick<Endpoint, 'method'>): Endpoint => ({
  right: 'self',
  errors: REFUSALS,
  ...endpoint,
});
const change = (endpoint: Described): Endpoint => ({ method: 'POST', right: 'query', errors: REFUSALS, ...endpoint });

export const organizationEndpoints: readonly Endpoint[] = [
  change({
    path: '/organization/create',
    summary: 'Create an organization; only administrators may',
    body: Type.Object({
      name: Name,
      slug: Slug,
      logo: Logo,
      metadata: Metadata,
      keepCurrentActiveOrganization: Type.Optional(Type.Boolean()),
    }),
    reply: Type.Object({ ...organization, members: Type.Array(Member) }),
    changesMembers: 'own',
  }),
  change({
    path: '/organization/update',
    summary: 'Change an organization',
    body: Type.Object({
      organizationId: Which,
      data: Type.Object({ name: Type.Optional(Name), slug: Type.Optional(Slug), logo: Logo, metadata: Metadata }),
    }),
    reply: Organization,
  }),
  change({
    path: '/organization/delete',
    summary: 'Delete an organization',
    body: Type.Object({ organizationId: Id }),
    reply: Type.Unknown(),
    changesMembers: 'all',
  }),
  own({
    method: 'POST',
    path: '/organization/set-active',
    summary: 'Choose the organization that the session works in',
    body: Type.Object({ organizationId: Which, organizationSlug: Type.Optional(Slug) }),
    reply: Organization,
    // A member who has been removed meanwhile does not stay in.
    changesMembers: 'own',
  }),
  own({ method: 'GET', path: '/organization/list', summary: 'Your organizations', reply: Type.Array(Organization) }),
  read({
    path: '/organization/get-organization',
    summary: 'One of your organizations',
    query: Type.Object({ organizationId: Which, organizationSlug: Type.Optional(Slug) }),
    reply: Type.Union([Organization, Type.Null()]),
  }),
  read({
    path: '/organization/get-full-organization',
    summary: 'One of your organizations with members and invitations',
    query: Type.Object({ organizationId: Which, organizationSlug: Type.Optional(Slug), membersLimit: Page.limit }),
    reply: Type.Union([
      Type.Object({ ...organization, members: Type.Array(Member), invitations: Type.Array(Invitation) }),
      Type.Null(),
    ]),
  }),
  change({
    path: '/organization/check-slug',
    summary: 'Whether a short name is free',
    body: Type.Object({ slug: Slug }),
    reply: Type.Object({ status: Type.Boolean() }),
  }),
  read({
    path: '/organization/list-members',
    summary: 'Members of an organization',
    query: Type.Object({ organizationId: Which, ...Page }),
    reply: Type.Object({ members: Type.Array(Member), total: Type.Integer() }),
  }),
  own({ method: 'GET', path: '/organization/get-active-member', summary: 'Your membership', reply: Member }),
  own({
    method: 'GET',
    path: '/organization/get-active-member-role',
    summary: 'Your role in the organization',
    query: Type.Object({ organizationId: Which }),
    reply: Type.Object({ role: Type.String() }),
  }),
  change({
    path: '/organization/has-permission',
    summary: 'Whether you may do something in the organization',
    body: Type.Object({
      organizationId: Which,
      permissions: Type.Record(Type.String(), Type.Array(Type.String(), { maxItems: 20 })),
    }),
    reply: Type.Object({ success: Type.Boolean() }),
  }),
  change({
    path: '/organization/update-member-role',
    summary: "Change a member's role",
    body: Type.Object({ memberId: Id, role: OrganizationRole, organizationId: Which }),
    reply: Member,
  }),
  change({
    path: '/organization/remove-member',
    summary: 'Remove a member',
    body: Type.Object({ memberIdOrEmail: Type.String({ minLength: 1, maxLength: 254 }), organizationId: Which }),
    reply: Type.Object({ member: Member }),
    changesMembers: 'all',
  }),
  own({
    method: 'POST',
    path: '/organization/leave',
    summary: 'Leave an organization',
    body: Type.Object({ organizationId: Id }),
    reply: Member,
    changesMembers: 'own',
  }),
  change({
    path: '/organization/invite-member',
    summary: 'Invite a person by e-mail address',
    body: Type.Object({
      email: Email,
      role: OrganizationRole,
      organizationId: Which,
      resend: Type.Optional(Type.Boolean()),
    }),
    reply: Invitation,
  }),
  change({
    path: '/organization/cancel-invitation',
    summary: 'Take back an invitation',
    body: ByInvitation,
    reply: Invitation,
  }),
  own({
    method: 'POST',
    path: '/organization/accept-invitation',
    summary: 'Accept an invitation to your address',
    body: ByInvitation,
    reply: Type.Object({ invitation: Invitation, member: Member }),
    changesMembers: 'own',
  }),
  own({
    method: 'POST',
    path: '/organization/reject-invitation',
    summary: 'Reject an invitation to your address',
    body: ByInvitation,
    reply: Type.Object({ invitation: Invitation }),
  }),
  own({
    method: 'GET',
    path: '/organization/get-invitation',
    summary: 'One invitation to your address',
    query: Type.Object({ id: Id }),
    reply: Invitation,
  }),
  read({
    path: '/organization/list-invitations',
    summary: 'Invitations of an organization',
    query: Type.Object({ organizationId: Which }),
    reply: Type.Array(Invitation),
  }),
  own({
    method: 'GET',
    path: '/organization/list-user-invitations',
    summary: 'Invitations to your address, once it is verified',
    reply: Type.Array(Invitation),
  }),
];
