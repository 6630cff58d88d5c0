/** Shows the actions that wait for approval, and those that have ended. */
import type { ReactNode } from 'react';
import type { ActionForApproval } from '../../../../actions/index.ts';
import { Time } from '../../ui/time.tsx';
import { Code, Facts, State, Text } from '../parts.tsx';
import { filled } from '../request-body.ts';
import type { Action, Resource } from '../resource.ts';
import { ResourcePage } from '../resource-page.tsx';
import { ADMIN } from '../texts.ts';

const T = ADMIN.approvals;

const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value, undefined, 2));

function Detail({ asked }: { readonly asked: ActionForApproval }): ReactNode {
  const { payload, result, error, reason, history = [] } = asked;
  return (
    <>
      <h2>{T.payload}</h2>
      <Code>{payload === null ? T.unreadable : asText(payload)}</Code>
      {result !== null && (
        <>
          <h2>{T.result}</h2>
          <Code>{asText(result)}</Code>
        </>
      )}
      <Facts
        facts={[
          { label: T.target, value: <Text>{asked.target}</Text> },
          { label: T.mode, value: T.modes[asked.approval_mode] ?? asked.approval_mode },
          { label: T.expires, value: <Time at={asked.expires_at} /> },
          ...(error === null ? [] : [{ label: T.error, value: <Text>{error}</Text> }]),
          ...(reason === null ? [] : [{ label: T.reason, value: <Text>{reason}</Text> }]),
        ]}
      />
      <ol aria-label={T.history}>
        {history.map(({ move, at, actor_label, note }) => (
          <li key={`${move} ${at}`}>
            <Time at={at} /> {move} <Text>{actor_label}</Text> {note !== null && <Text>{note}</Text>}
          </li>
        ))}
      </ol>
    </>
  );
}

function Ended({ asked: { status, error } }: { readonly asked: ActionForApproval }): ReactNode {
  return (
    <State isBad={status === 'failed'}>{[T.ended(T.statuses[status] ?? status), error ?? ''].join(' ').trim()}</State>
  );
}

function actionsOf({ id, status, summary, target }: ActionForApproval): readonly Action[] {
  if (status !== 'pending') return [];
  const path = `/api/v1/actions/${encodeURIComponent(id)}`;
  const done = (result: unknown) => <Ended asked={result as ActionForApproval} />;
  return [
    {
      label: T.approve,
      text: T.approveText(summary, target),
      command: () => ({ path: `${path}/approve`, method: 'POST' }),
      done,
    },
    {
      label: T.deny,
      text: T.denyText(summary, target),
      isDanger: true,
      fields: [{ name: 'reason', label: T.denyReason, maxLength: 1_000 }],
      command: (values) => ({ path: `${path}/deny`, method: 'POST', body: filled(values, ['reason']) }),
      done,
    },
  ];
}

const APPROVALS: Resource<ActionForApproval> = {
  title: T.title,
  intro: T.intro,
  path: '/api/v1/admin/actions',
  key: 'actions',
  hasPages: true,
  filters: [
    {
      name: 'status',
      label: T.status,
      options: [
        { value: '', label: T.statuses.pending ?? '' },
        ...Object.entries(T.statuses)
          .filter(([value]) => value !== 'pending')
          .map(([value, label]) => ({ value, label })),
      ],
    },
  ],
  columns: [
    { label: T.what, cell: ({ summary }) => <Text>{summary}</Text> },
    { label: T.type, cell: ({ action_type }) => <Text>{action_type}</Text> },
    { label: T.by, cell: ({ requested_by_label, requested_by }) => <Text>{requested_by_label ?? requested_by}</Text> },
    { label: T.asked, cell: ({ created_at }) => <Time at={created_at} /> },
    {
      label: T.status,
      cell: ({ status }) => <State isBad={status === 'failed'}>{T.statuses[status] ?? status}</State>,
    },
  ],
  nameOf: ({ summary }) => summary.slice(0, 80),
  idOf: ({ id }) => id,
  actionsOf,
  detail: (asked) => <Detail asked={asked} />,
  empty: T.empty,
};

export function ApprovalsPage(): ReactNode {
  return <ResourcePage resource={APPROVALS} />;
}
