/** Shows invitations to the organization. */
import type { ReactNode } from 'react';
import type { Invitation } from '../../../../admin-users/index.ts';
import type { Me } from '../../api/queries.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Time } from '../../ui/time.tsx';
import { Facts, Text } from '../parts.tsx';
import { filled, numbers } from '../request-body.ts';
import type { Resource } from '../resource.ts';
import { ResourcePage } from '../resource-page.tsx';
import { roleField } from '../role-field.ts';
import { ADMIN } from '../texts.ts';

const T = ADMIN.invitations;
const PATH = '/api/v1/admin/users/invitations';
const DAY_SECONDS = 86_400;

const STATUSES = Object.entries(T.statuses).map(([value, label]) => ({ value, label }));

/** As the server knows it, the link may be without the host. */
const linkOf = ({ acceptUrl }: Invitation) => (acceptUrl === null ? null : new URL(acceptUrl, location.origin).href);

function Invited({ invitation }: { readonly invitation: Invitation }): ReactNode {
  const { email, mailed } = invitation;
  const acceptUrl = linkOf(invitation);
  if (mailed === true || acceptUrl === null) return <Text>{T.mailed(email)}</Text>;
  return (
    <>
      {T.notMailed} <code>{acceptUrl}</code>
      <CopyButton label={T.copy} text={acceptUrl} />
    </>
  );
}

const invitationsFor = (me: Me): Resource<Invitation> => ({
  title: ADMIN.areas.invitations,
  intro: T.intro,
  path: PATH,
  key: 'invitations',
  hasPages: true,
  filters: [
    { name: 'search', label: ADMIN.users.email, kind: 'search', maxLength: 254 },
    { name: 'status', label: T.status, options: [{ value: '', label: ADMIN.any }, ...STATUSES] },
  ],
  columns: [
    { label: ADMIN.users.email, cell: ({ email }) => <Text>{email}</Text> },
    { label: ADMIN.users.role, cell: ({ role }) => <Text>{role}</Text> },
    { label: T.status, cell: ({ status }) => T.statuses[status] ?? status },
    { label: T.expires, cell: ({ expiresAt }) => <Time at={expiresAt} /> },
  ],
  nameOf: ({ email }) => email,
  idOf: ({ id }) => id,
  create: {
    label: T.invite,
    title: T.inviteTitle,
    fields: [
      { name: 'email', label: ADMIN.users.email, kind: 'email', isRequired: true, maxLength: 254 },
      roleField(me.areas.includes('roles'), 'analyst'),
      {
        name: 'expiresIn',
        label: T.validFor,
        value: String(7 * DAY_SECONDS),
        options: [
          { value: String(DAY_SECONDS), label: ADMIN.durations.day },
          { value: String(7 * DAY_SECONDS), label: ADMIN.durations.week },
          { value: String(30 * DAY_SECONDS), label: ADMIN.durations.month },
        ],
      },
    ],
    command: (values) => ({
      path: PATH,
      method: 'POST',
      body: { ...filled(values, ['email', 'role']), ...numbers(values, ['expiresIn']) },
    }),
    done: (result) => <Invited invitation={result as Invitation} />,
  },
  actionsOf: ({ id, email, status }) =>
    status === 'pending'
      ? [
          {
            label: T.revoke,
            text: T.revokeText(email),
            isDanger: true,
            command: () => ({ path: `${PATH}/${encodeURIComponent(id)}`, method: 'DELETE' }),
          },
        ]
      : [],
  detail: (invitation) => (
    <Facts
      facts={[
        { label: T.by, value: <Text>{invitation.invitedBy}</Text> },
        { label: T.link, value: <Text>{linkOf(invitation)}</Text> },
      ]}
    />
  ),
  empty: T.empty,
});

export function InvitationsPage({ me }: { readonly me: Me }): ReactNode {
  return <ResourcePage resource={invitationsFor(me)} />;
}
