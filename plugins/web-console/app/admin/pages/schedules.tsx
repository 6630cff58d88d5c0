/** Shows one's scheduled questions: when they are asked, to whom the answers go, and how the runs went. */

import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { ScheduledRun, ScheduledTask } from '../../../../scheduler/index.ts';
import { call } from '../../api/client.ts';
import { ADMIN_KEY } from '../../api/queries.ts';
import { chatHref } from '../../shell/pages.ts';
import { Alert } from '../../ui/alert.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Time } from '../../ui/time.tsx';
import styles from '../admin.module.css';
import { connectionField } from '../connection-field.ts';
import { cronInWords } from '../cron-words.ts';
import { conditionFields, conditionOf, conditionText } from '../delivery-condition.ts';
import { DueTimes } from '../due-times.tsx';
import { Facts, State, Text } from '../parts.tsx';
import { type Recipient, recipientLines, recipientsOf } from '../recipients.ts';
import { cleared, filled } from '../request-body.ts';
import type { Action, FormField, Resource, Values } from '../resource.ts';
import { ResourcePage } from '../resource-page.tsx';
import { ADMIN } from '../texts.ts';

const T = ADMIN.schedules;
const PATH = '/api/v1/scheduled-tasks';
const CHANNELS = Object.entries(T.channels).map(([value, label]) => ({ value, label }));
const RUNNING_MS = 2_000;

const zones = (chosen: string) =>
  [...new Set(['UTC', chosen, ...Intl.supportedValuesOf('timeZone')])].map((value) => ({ value, label: value }));

const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

function fieldsOf(task?: ScheduledTask): readonly FormField[] {
  const timezone = task?.timezone ?? ownZone();
  const channel = task?.deliveryChannel ?? 'webhook';
  return [
    { name: 'name', label: T.name, isRequired: true, maxLength: 200, value: task?.name ?? '' },
    {
      name: 'question',
      label: T.question,
      kind: 'multiline',
      isRequired: true,
      maxLength: 2_000,
      value: task?.question ?? '',
    },
    {
      name: 'cronExpression',
      label: T.cron,
      isRequired: true,
      maxLength: 200,
      hint: T.cronHint,
      value: task?.cronExpression ?? '0 8 * * 1-5',
      explain: (values) => <DueTimes expression={values.cronExpression ?? ''} timezone={values.timezone ?? timezone} />,
    },
    { name: 'timezone', label: T.timezone, options: zones(timezone), value: timezone },
    connectionField(task?.connectionId ?? ''),
    { name: 'deliveryChannel', label: T.channel, options: CHANNELS, value: channel },
    {
      name: 'recipients',
      label: T.recipients,
      kind: 'multiline',
      hint: T.recipientsHint,
      value: recipientLines(task?.recipients ?? [], channel),
    },
    ...conditionFields(task?.deliverWhen ?? { mode: 'always' }),
  ];
}

const bodyOf = (values: Values, before: readonly Recipient[]) => ({
  ...filled(values, ['name', 'question', 'cronExpression', 'timezone', 'deliveryChannel']),
  ...cleared(values, ['connectionId']),
  deliverWhen: conditionOf(values),
  recipients: recipientsOf(values.recipients ?? '', values.deliveryChannel ?? '', before),
});

function actionsOf(task: ScheduledTask): readonly Action[] {
  const path = `${PATH}/${encodeURIComponent(task.id)}`;
  return [
    {
      label: T.run,
      isImmediate: true,
      command: () => ({ path: `${path}/run`, method: 'POST' }),
      done: (run) => ((run as ScheduledRun).status === 'skipped' ? T.skipped : T.begun),
    },
    {
      label: ADMIN.save,
      menuLabel: ADMIN.edit,
      title: `${ADMIN.edit}: ${task.name}`,
      fields: fieldsOf(task),
      command: (values) => ({ path, method: 'PUT', body: bodyOf(values, task.recipients) }),
    },
    task.enabled
      ? { label: T.disable, isImmediate: true, command: () => ({ path, method: 'DELETE' }) }
      : { label: T.enable, isImmediate: true, command: () => ({ path, method: 'PUT', body: { enabled: true } }) },
  ];
}

function Runs({ task }: { readonly task: ScheduledTask }): ReactNode {
  const path = `${PATH}/${encodeURIComponent(task.id)}/runs?limit=10`;
  const { data, error } = useQuery({
    queryKey: [ADMIN_KEY, path],
    queryFn: ({ signal }) => call<{ readonly runs: readonly ScheduledRun[] }>(path, { signal }),
    // Until a run that goes on has ended.
    refetchInterval: ({ state }) => (state.data?.runs.some(({ status }) => status === 'running') ? RUNNING_MS : false),
  });
  if (error !== null) return <Alert error={error} />;
  if (data === undefined) return <Loading />;
  if (data.runs.length === 0) return <p>{T.noRuns}</p>;
  return (
    <table className={styles.table} aria-label={T.runs}>
      <thead>
        <tr>
          <th scope="col">{T.started}</th>
          <th scope="col">{T.outcome}</th>
          <th scope="col">{T.delivery}</th>
          <th scope="col">{T.figure}</th>
          <th scope="col">{T.answer}</th>
        </tr>
      </thead>
      <tbody>
        {data.runs.map(({ id, status, error: why, conversationId, figure, ...run }) => (
          <tr key={id}>
            <td>
              <Time at={run.startedAt} />
            </td>
            <td>
              <State isBad={status === 'failed'}>{status}</State> {why !== null && <Text>{why}</Text>}
            </td>
            <td>
              <Text>{run.deliveryStatus}</Text> {run.deliveryReason !== null && <Text>{run.deliveryReason}</Text>}{' '}
              {run.deliveryError !== null && <Text>{run.deliveryError}</Text>}
            </td>
            <td>{figure ?? '–'}</td>
            <td>{conversationId === null ? '–' : <Link href={chatHref(conversationId)}>{T.open}</Link>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Detail({ task }: { readonly task: ScheduledTask }): ReactNode {
  return (
    <>
      <Facts
        facts={[
          { label: T.question, value: <Text>{task.question}</Text> },
          { label: T.cron, value: <Text>{`${task.cronExpression} ${task.timezone}`}</Text> },
          { label: T.channel, value: <Text>{task.deliveryChannel}</Text> },
          { label: T.recipients, value: <Text>{recipientLines(task.recipients, task.deliveryChannel)}</Text> },
          { label: T.deliverWhen, value: <Text>{conditionText(task.deliverWhen)}</Text> },
          ...(task.disabledReason === null ? [] : [{ label: T.off, value: <Text>{task.disabledReason}</Text> }]),
        ]}
      />
      <h2>{T.runs}</h2>
      <Runs task={task} />
    </>
  );
}

const schedules = (): Resource<ScheduledTask> => ({
  title: T.title,
  intro: T.intro,
  path: PATH,
  key: 'tasks',
  hasPages: true,
  columns: [
    { label: T.name, cell: ({ name }) => <Text>{name}</Text> },
    { label: T.when, cell: ({ cronExpression }) => <Text>{cronInWords(cronExpression) ?? cronExpression}</Text> },
    { label: T.next, cell: ({ nextRunAt }) => <Time at={nextRunAt} /> },
    { label: T.last, cell: ({ lastRunAt }) => <Time at={lastRunAt} /> },
    {
      label: T.state,
      cell: ({ enabled, disabledReason }) => <State isBad={disabledReason !== null}>{enabled ? T.on : T.off}</State>,
    },
  ],
  nameOf: ({ name }) => name,
  idOf: ({ id }) => id,
  create: {
    label: T.create,
    title: T.createTitle,
    fields: fieldsOf(),
    command: (values) => ({ path: PATH, method: 'POST', body: bodyOf(values, []) }),
  },
  actionsOf,
  detail: (task) => <Detail task={task} />,
  empty: T.empty,
});

export function SchedulesPage(): ReactNode {
  return <ResourcePage resource={schedules()} />;
}
