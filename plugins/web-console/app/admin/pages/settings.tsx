/** Shows what the server is set to, and where each value comes from. */
import type { ReactNode } from 'react';
import type { Setting } from '../../../../admin-settings/index.ts';
import { Text } from '../parts.tsx';
import type { Resource } from '../resource.ts';
import { ResourcePage } from '../resource-page.tsx';
import { ADMIN } from '../texts.ts';

const T = ADMIN.settings;

const SETTINGS: Resource<Setting> = {
  title: ADMIN.areas.settings,
  intro: T.intro,
  path: '/api/v1/admin/settings',
  key: 'settings',
  columns: [
    { label: T.name, cell: ({ name }) => <code>{name}</code> },
    { label: T.value, cell: ({ value, isHidden }) => (isHidden ? T.hidden : <Text>{value ?? '–'}</Text>) },
    { label: T.source, cell: ({ source }) => T.sources[source] },
    {
      label: T.meaning,
      cell: ({ description, expected }) => (
        <Text>{`${description[0]?.toUpperCase()}${description.slice(1)}. ${T.expected(expected)}.`}</Text>
      ),
    },
  ],
  nameOf: ({ name }) => name,
  idOf: ({ name }) => name,
  empty: T.empty,
};

export function SettingsPage(): ReactNode {
  return <ResourcePage resource={SETTINGS} />;
}
