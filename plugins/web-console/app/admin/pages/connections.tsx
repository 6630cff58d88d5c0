/** Shows the connections to databases: those of the configuration and those of the organization. */
import type { ReactNode } from 'react';
import type { Connection } from '../../../../admin-connections/index.ts';
import { milliseconds } from '../../counted.ts';
import { Time } from '../../ui/time.tsx';
import { Facts, State, Text } from '../parts.tsx';
import { cleared, filled } from '../request-body.ts';
import type { FormField, Resource } from '../resource.ts';
import { ResourcePage } from '../resource-page.tsx';
import { ADMIN } from '../texts.ts';

const T = ADMIN.connections;
const PATH = '/api/v1/admin/connections';

const isFault = (status: string) => status === 'error' || status === 'degraded';

function Tested({ id, health }: { readonly id: string; readonly health: Connection['health'] }): ReactNode {
  const latency = health.latencyMs === null ? '' : `, ${milliseconds(health.latencyMs)}`;
  return (
    <State isBad={isFault(health.status)}>
      {`${T.tested(id, health.status, latency)} ${health.message ?? ''}`.trim()}
    </State>
  );
}

const urlField: FormField = { name: 'url', label: T.url, maxLength: 4_096 };

const fieldsOf = (connection?: Connection): readonly FormField[] => [
  { name: 'description', label: T.description, maxLength: 1_000, value: connection?.description ?? '' },
  { name: 'schema', label: T.schema, maxLength: 63, value: connection?.schema ?? '' },
];

const CONNECTIONS: Resource<Connection> = {
  title: ADMIN.areas.connections,
  intro: T.intro,
  path: PATH,
  key: 'connections',
  columns: [
    { label: T.id, cell: ({ id }) => <Text>{id}</Text> },
    { label: T.type, cell: ({ dbType }) => <Text>{dbType}</Text> },
    { label: T.description, cell: ({ description }) => <Text>{description}</Text> },
    { label: T.health, cell: ({ health: { status } }) => <State isBad={isFault(status)}>{status}</State> },
    { label: T.source, cell: ({ configured }) => (configured ? T.configured : T.stored) },
  ],
  nameOf: ({ id }) => id,
  idOf: ({ id }) => id,
  create: {
    label: T.add,
    title: T.createTitle,
    fields: [
      { name: 'id', label: T.id, isRequired: true, maxLength: 63, hint: T.idHint },
      { ...urlField, isRequired: true, hint: T.urlHint },
      ...fieldsOf(),
    ],
    command: (values) => ({
      path: PATH,
      method: 'POST',
      body: filled(values, ['id', 'url', 'description', 'schema']),
    }),
  },
  actionsOf(connection) {
    const { id, configured } = connection;
    const path = `${PATH}/${encodeURIComponent(id)}`;
    const test = {
      label: T.test,
      isImmediate: true,
      command: () => ({ path: `${path}/test`, method: 'POST' }) as const,
      done: (health: unknown) => <Tested id={id} health={health as Connection['health']} />,
    };
    if (configured) return [test];
    return [
      test,
      {
        label: ADMIN.save,
        menuLabel: ADMIN.edit,
        title: `${ADMIN.edit}: ${id}`,
        fields: [{ ...urlField, hint: T.keepHint }, ...fieldsOf(connection)],
        command: (values) => ({
          path,
          method: 'PUT',
          body: { ...filled(values, ['url']), ...cleared(values, ['description', 'schema']) },
        }),
      },
      { label: ADMIN.delete, text: T.deleteText(id), isDanger: true, command: () => ({ path, method: 'DELETE' }) },
    ];
  },
  detail: ({ maskedUrl, schema, health }) => (
    <Facts
      facts={[
        { label: T.url, value: <Text>{maskedUrl}</Text> },
        { label: T.schema, value: <Text>{schema}</Text> },
        { label: T.health, value: <Text>{health.message ?? health.status}</Text> },
        { label: T.checked, value: <Time at={health.checkedAt} /> },
      ]}
    />
  ),
  empty: T.empty,
};

export function ConnectionsPage(): ReactNode {
  return <ResourcePage resource={CONNECTIONS} />;
}
