/** Shows roles: the built-in ones, and those of the organization with their rights. */

import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ManagedRole, RoleMember } from '../../../../admin-roles/index.ts';
import { call } from '../../api/client.ts';
import { ADMIN_KEY } from '../../api/queries.ts';
import { Alert } from '../../ui/alert.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Facts, Text, yesNo } from '../parts.tsx';
import { cleared, filled, listOf } from '../request-body.ts';
import type { FormField, Resource } from '../resource.ts';
import { ResourcePage } from '../resource-page.tsx';
import { ADMIN } from '../texts.ts';

const T = ADMIN.roles;
const PATH = '/api/v1/admin/roles';

const labelOf = (right: string) => T.rightNames[right] ?? right;
const RIGHTS = Object.entries(T.rightNames).map(([value, label]) => ({ value, label }));

const fieldsOf = (role?: ManagedRole): readonly FormField[] => [
  { name: 'name', label: T.name, isRequired: true, maxLength: 64, value: role?.name ?? '' },
  { name: 'description', label: T.description, maxLength: 1_000, value: role?.description ?? '' },
  { name: 'rights', label: T.rights, options: RIGHTS, isMultiple: true, value: role?.rights.join(',') ?? 'query' },
];

function MembersOf({ role }: { readonly role: ManagedRole }): ReactNode {
  const path = `${PATH}/${encodeURIComponent(role.id)}/members`;
  const { data, error } = useQuery({
    queryKey: [ADMIN_KEY, path],
    queryFn: ({ signal }) => call<{ readonly members: readonly RoleMember[] }>(path, { signal }),
  });
  if (error !== null) return <Alert error={error} />;
  if (data === undefined) return <Loading />;
  const names = data.members.map(({ userId }) => userId);
  return (
    <Facts
      facts={[
        { label: T.rights, value: role.rights.map(labelOf).join(', ') || ADMIN.none },
        { label: T.members, value: <Text>{names.join(', ')}</Text> },
      ]}
    />
  );
}

const ROLES: Resource<ManagedRole> = {
  title: ADMIN.areas.roles,
  intro: T.intro,
  path: PATH,
  key: 'roles',
  hasPages: true,
  columns: [
    { label: T.name, cell: ({ name }) => <Text>{name}</Text> },
    { label: T.description, cell: ({ description }) => <Text>{description}</Text> },
    { label: T.rights, cell: ({ rights }) => rights.map(labelOf).join(', ') || ADMIN.none },
    { label: T.builtIn, cell: ({ builtIn }) => yesNo(builtIn) },
    { label: T.members, isNumber: true, cell: ({ members }) => members.toLocaleString() },
  ],
  nameOf: ({ name }) => name,
  idOf: ({ id }) => id,
  create: {
    label: ADMIN.create,
    title: T.createTitle,
    fields: fieldsOf(),
    command: (values) => ({
      path: PATH,
      method: 'POST',
      body: { ...filled(values, ['name', 'description']), rights: listOf(values.rights) },
    }),
  },
  actionsOf(role) {
    if (role.builtIn) return [];
    const path = `${PATH}/${encodeURIComponent(role.id)}`;
    return [
      {
        label: ADMIN.save,
        menuLabel: ADMIN.edit,
        title: `${ADMIN.edit}: ${role.name}`,
        text: T.editText(role.members),
        fields: fieldsOf(role),
        command: (values) => ({
          path,
          method: 'PUT',
          body: { ...filled(values, ['name']), ...cleared(values, ['description']), rights: listOf(values.rights) },
        }),
      },
      {
        label: ADMIN.delete,
        text: T.deleteText(role.name),
        isDanger: true,
        command: () => ({ path, method: 'DELETE' }),
      },
    ];
  },
  detail: (role) => <MembersOf role={role} />,
  empty: T.empty,
};

export function RolesPage(): ReactNode {
  return <ResourcePage resource={ROLES} />;
}
