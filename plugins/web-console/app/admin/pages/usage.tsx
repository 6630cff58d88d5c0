/** Shows tokens and cost of the organization by day and model. */
import type { ReactNode } from 'react';
import type { UsageEntry } from '../../../../usage/index.ts';
import { Text } from '../parts.tsx';
import type { Resource } from '../resource.ts';
import { ResourcePage } from '../resource-page.tsx';
import { ADMIN } from '../texts.ts';

const T = ADMIN.usage;

const USAGE: Resource<UsageEntry> = {
  title: ADMIN.areas.usage,
  intro: T.intro,
  path: '/api/v1/usage',
  key: 'entries',
  hasPages: true,
  query: { scope: 'organization' },
  filters: [
    { name: 'from', label: T.from, kind: 'date' },
    { name: 'to', label: T.to, kind: 'date' },
  ],
  columns: [
    { label: T.day, cell: ({ day }) => day },
    { label: T.model, cell: ({ provider, model }) => <Text>{`${provider} ${model}`}</Text> },
    { label: T.questions, isNumber: true, cell: ({ questions }) => questions.toLocaleString() },
    { label: T.calls, isNumber: true, cell: ({ modelCalls }) => modelCalls.toLocaleString() },
    { label: T.input, isNumber: true, cell: ({ inputTokens }) => inputTokens.toLocaleString() },
    { label: T.output, isNumber: true, cell: ({ outputTokens }) => outputTokens.toLocaleString() },
    { label: T.total, isNumber: true, cell: ({ totalTokens }) => totalTokens.toLocaleString() },
    {
      label: T.cost,
      isNumber: true,
      cell: ({ cost }) => cost?.toLocaleString(undefined, { maximumFractionDigits: 4 }) ?? '–',
    },
  ],
  nameOf: ({ day, model }) => `${day} ${model}`,
  idOf: ({ day, provider, model }) => `${day} ${provider} ${model}`,
  empty: T.empty,
};

export function UsagePage(): ReactNode {
  return <ResourcePage resource={USAGE} />;
}
