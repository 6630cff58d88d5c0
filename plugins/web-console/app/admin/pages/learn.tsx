/** Shows what is proposed for the semantic layer from what people asked; a person applies or dismisses it. */
import type { ReactNode } from 'react';
import { Code, Text } from '../parts.tsx';
import type { Resource } from '../resource.ts';
import { ResourcePage } from '../resource-page.tsx';
import { ADMIN } from '../texts.ts';

const T = ADMIN.learn;
const PATH = '/api/v1/admin/learn/proposals';

/** What is shown of one. The plugin's own type comes with code that needs the types of Node. */
interface Proposal {
  readonly id: string;
  readonly kind: string;
  readonly summary: string;
  readonly file: string;
  readonly support: Readonly<Record<'people' | 'days' | 'statements', number>>;
  readonly diff: string;
}

const PROPOSALS: Resource<Proposal> = {
  title: ADMIN.areas.learn,
  intro: T.intro,
  path: PATH,
  key: 'proposals',
  columns: [
    { label: T.kind, cell: ({ kind }) => T.kindOf[kind] ?? kind },
    { label: T.proposal, cell: ({ summary }) => <Text>{summary}</Text> },
    { label: T.people, isNumber: true, cell: ({ support }) => support.people.toLocaleString() },
    { label: T.days, isNumber: true, cell: ({ support }) => support.days.toLocaleString() },
    { label: T.statements, isNumber: true, cell: ({ support }) => support.statements.toLocaleString() },
    { label: T.file, cell: ({ file }) => <Text>{file}</Text> },
  ],
  nameOf: ({ summary }) => summary,
  idOf: ({ id }) => id,
  actionsOf: ({ id, summary, file }) => [
    {
      label: T.apply,
      text: T.applyText(summary, file),
      command: () => ({ path: `${PATH}/${encodeURIComponent(id)}/apply`, method: 'POST' }),
      done: () => T.applied(file),
    },
    {
      label: T.dismiss,
      text: T.dismissText(summary),
      command: () => ({ path: `${PATH}/${encodeURIComponent(id)}/dismiss`, method: 'POST' }),
    },
  ],
  detail: ({ diff }) => <Code>{diff}</Code>,
  empty: T.empty,
};

export function LearnPage(): ReactNode {
  return <ResourcePage resource={PROPOSALS} />;
}
