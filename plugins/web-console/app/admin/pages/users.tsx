/** Shows users: their roles, bans, sessions and accounts. */
import { type ReactNode, useState } from 'react';
import type { User } from '../../../../admin-users/index.ts';
import type { Me } from '../../api/queries.ts';
import { Time } from '../../ui/time.tsx';
import { Facts, State, Text } from '../parts.tsx';
import { filled, numbers } from '../request-body.ts';
import type { Action, Option, Resource } from '../resource.ts';
import { ResourcePage } from '../resource-page.tsx';
import { BUILT_IN_ROLES, roleField } from '../role-field.ts';
import { ADMIN } from '../texts.ts';
import { hasViewAs, type Viewed, viewAsUser } from '../view-as/view-as.tsx';
import { ViewedAnswer } from '../view-as/viewed-answer.tsx';

const T = ADMIN.users;
const PATH = '/api/v1/admin/users';
const DAY_SECONDS = 86_400;
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

const DURATIONS: readonly Option[] = [
  { value: '', label: ADMIN.durations.ever },
  { value: String(DAY_SECONDS), label: ADMIN.durations.day },
  { value: String(7 * DAY_SECONDS), label: ADMIN.durations.week },
  { value: String(30 * DAY_SECONDS), label: ADMIN.durations.month },
];

function actionsOf(user: User, { me, view }: UsersFor): readonly Action[] {
  const { id, email, role, customRole, banned } = user;
  const one = `${PATH}/${encodeURIComponent(id)}`;
  const hasRoles = me.areas.includes('roles');
  const changeRole: Action = {
    label: T.changeRole,
    text: T.changeRoleText(email),
    fields: [roleField(hasRoles, customRole ?? role)],
    command: ({ role: next }) =>
      hasRoles
        ? { path: `/api/v1/admin/roles/users/${encodeURIComponent(id)}/role`, method: 'PUT', body: { role: next } }
        : { path: `${one}/role`, method: 'PATCH', body: { role: next } },
  };
  const ban: Action = {
    label: T.ban,
    text: T.banText(email),
    isDanger: true,
    fields: [
      { name: 'reason', label: T.banReason, maxLength: 1_000 },
      { name: 'expiresIn', label: T.banFor, options: DURATIONS },
    ],
    command: (values) => ({
      path: `${one}/ban`,
      method: 'POST',
      body: { ...filled(values, ['reason']), ...numbers(values, ['expiresIn']) },
    }),
  };
  const unban: Action = {
    label: T.unban,
    text: T.unbanText(email),
    command: () => ({ path: `${one}/unban`, method: 'POST' }),
  };
  return [
    ...(view === undefined ? [] : [viewAsUser(user, view)]),
    changeRole,
    banned ? unban : ban,
    { label: T.revoke, text: T.revokeText(email), command: () => ({ path: `${one}/revoke`, method: 'POST' }) },
    {
      label: ADMIN.delete,
      text: T.deleteText(email),
      isDanger: true,
      command: () => ({ path: one, method: 'DELETE' }),
    },
  ];
}

function BanState({ user: { banned, banExpires } }: { readonly user: User }): ReactNode {
  if (!banned) return <State>{T.active}</State>;
  return <State isBad>{banExpires === null ? T.banned : T.bannedUntil(DAY.format(new Date(banExpires)))}</State>;
}

interface UsersFor {
  readonly me: Me;
  /** Takes what a user gets; not given where nobody may ask as another. */
  readonly view: ((viewed: Viewed) => void) | undefined;
}

const usersFor = (init: UsersFor): Resource<User> => ({
  title: ADMIN.areas.users,
  path: PATH,
  key: 'users',
  hasPages: true,
  filters: [
    { name: 'search', label: T.search, kind: 'search', maxLength: 254 },
    { name: 'role', label: T.role, options: [{ value: '', label: ADMIN.any }, ...BUILT_IN_ROLES] },
  ],
  columns: [
    { label: T.email, cell: ({ email }) => <Text>{email}</Text> },
    { label: T.name, cell: ({ name }) => <Text>{name}</Text> },
    { label: T.role, cell: ({ role, customRole }) => <Text>{customRole ?? role}</Text> },
    { label: T.state, cell: (user) => <BanState user={user} /> },
    { label: T.since, cell: ({ createdAt }) => <Time at={createdAt} /> },
  ],
  nameOf: ({ email }) => email,
  idOf: ({ id }) => id,
  actionsOf: (user) => actionsOf(user, init),
  detail: ({ id, banReason }) => (
    <Facts
      facts={[
        { label: ADMIN.audit.userId, value: <Text>{id}</Text> },
        { label: T.reason, value: <Text>{banReason}</Text> },
      ]}
    />
  ),
  empty: T.empty,
});

export function UsersPage({ me }: { readonly me: Me }): ReactNode {
  const [viewed, setViewed] = useState<Viewed>();
  const view = hasViewAs(me) ? setViewed : undefined;
  return (
    <ResourcePage resource={usersFor({ me, view })}>
      {viewed !== undefined && <ViewedAnswer viewed={viewed} onClose={() => setViewed(undefined)} />}
    </ResourcePage>
  );
}
