/** Shows the networks that the organization may be reached from. */
import type { ReactNode } from 'react';
import type { IpAllowlistEntry } from '../../../../admin-ip-allowlist/index.ts';
import { Time } from '../../ui/time.tsx';
import { Text } from '../parts.tsx';
import { filled } from '../request-body.ts';
import type { FormField, Resource } from '../resource.ts';
import { ResourcePage } from '../resource-page.tsx';
import { ADMIN } from '../texts.ts';

const T = ADMIN.network;
const PATH = '/api/v1/admin/ip-allowlist';

/** The server refuses what would lock its caller out, unless told otherwise. */
const force: FormField = {
  name: 'force',
  label: T.force,
  options: [
    { value: '', label: T.refuse },
    { value: 'true', label: T.anyway },
  ],
};

const NETWORKS: Resource<IpAllowlistEntry> = {
  title: ADMIN.areas['ip-allowlist'],
  intro: T.intro,
  path: PATH,
  key: 'entries',
  hasPages: true,
  columns: [
    { label: T.cidr, cell: ({ cidr }) => <Text>{cidr}</Text> },
    { label: T.description, cell: ({ description }) => <Text>{description}</Text> },
    { label: T.since, cell: ({ createdAt }) => <Time at={createdAt} /> },
  ],
  nameOf: ({ cidr }) => cidr,
  idOf: ({ id }) => id,
  create: {
    label: T.allow,
    title: T.createTitle,
    text: T.allowText,
    fields: [
      { name: 'cidr', label: T.cidr, isRequired: true, maxLength: 64, hint: T.cidrHint },
      { name: 'description', label: T.description, maxLength: 500 },
      force,
    ],
    command: (values) => ({
      path: PATH,
      method: 'POST',
      body: { ...filled(values, ['cidr', 'description']), ...(values.force === 'true' && { force: true }) },
    }),
  },
  actionsOf: ({ id, cidr }) => [
    {
      label: ADMIN.delete,
      text: T.deleteText(cidr),
      isDanger: true,
      fields: [force],
      command: (values) => ({
        path: `${PATH}/${encodeURIComponent(id)}${values.force === 'true' ? '?force=true' : ''}`,
        method: 'DELETE',
      }),
    },
  ],
  empty: T.empty,
};

export function IpAllowlistPage(): ReactNode {
  return <ResourcePage resource={NETWORKS} />;
}
