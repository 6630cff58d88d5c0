/** Serves each user's own scheduled questions over HTTP. */
import { randomUUID } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { AtlasError, type Awaitable, defineRoute, type Route, type Scope } from '../../kernel/index.ts';
import { invalidBody } from '../admin-kit/index.ts';
import type { Report } from '../delivery-kit/index.ts';
import { cronProblem, nextTime, normalizedCron, timezoneProblem } from './cron.ts';
import { type Owners, ownerOf } from './owner.ts';
import { shownRecipient } from './recipients.ts';
import { sampleReport } from './report.ts';
import type { StoredRecipient, TaskRow } from './rows.ts';
import { type Enqueue, isoOf, type RunStore } from './run-store.ts';
import {
  type DeliverWhen,
  Preview,
  type Recipient,
  Run,
  RunPage,
  RunQuery,
  Task,
  TaskBody,
  TaskChanges,
  TaskDetail,
  TaskPage,
  TaskParams,
  TaskQuery,
} from './schemas.ts';
import { recipientsOf, shownRun, shownTask } from './shown.ts';
import type { TaskStore } from './task-store.ts';

const PATH = '/api/v1/scheduled-tasks';
const RECENT_RUNS = 10;

const common = { tag: 'Scheduled tasks', right: 'query' } as const;
const one = { ...common, params: TaskParams };
/** Errors of storing a task: its owner could not run it, or a limit is reached. */
const STORING = ['configuration_error', 'forbidden', 'conflict'];

export interface TaskRoutesInit {
  readonly now: () => number;
  readonly tasks: TaskStore;
  readonly runs: RunStore;
  readonly owners: Owners;
  readonly store: (recipients: readonly Recipient[], before: readonly StoredRecipient[]) => Promise<StoredRecipient[]>;
  readonly enqueue: Enqueue;
  /** Ids of the connections that exist for the scope's organization. */
  readonly connections: (scope: Scope) => Promise<readonly string[]>;
  /** What would be sent by the channel. */
  readonly render: (channel: Recipient['type'], report: Report, scope: Scope) => Awaitable<object>;
}

type Schedule = Pick<TaskRow, 'cron_expression' | 'timezone'>;

const idOf = ({ params }: { readonly params: TaskParams }) => params.id.toLowerCase();

/** The columns that a body sets; of what it leaves out nothing is said. */
function columnsOf({ recipients: _, cronExpression, deliverWhen, ...body }: TaskChanges): Partial<TaskRow> {
  const columns = {
    name: body.name,
    question: body.question,
    cron_expression: cronExpression && normalizedCron(cronExpression),
    timezone: body.timezone,
    delivery_channel: body.deliveryChannel,
    deliver_when: deliverWhen && (deliverWhen.mode === 'always' ? null : JSON.stringify(deliverWhen)),
    connection_id: body.connectionId,
    approval_mode: body.approvalMode,
    missed_runs: body.missedRuns,
    timeout_seconds: body.timeoutSeconds,
    enabled: body.enabled,
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
}

/** Throws `validation_error` for a condition that lacks a field, or has one of another mode. */
function checkDeliverWhen(condition: DeliverWhen | undefined): void {
  if (condition === undefined) return;
  const { mode, column } = condition;
  for (const field of ['operator', 'value'] as const) {
    const isThere = condition[field] !== undefined;
    if (mode === 'threshold' && !isThere) throw invalidBody(`deliverWhen.${field}`, 'is required for a threshold');
    if (mode !== 'threshold' && isThere) throw invalidBody(`deliverWhen.${field}`, 'is a field of threshold only');
  }
  if (column !== undefined && (mode === 'always' || mode === 'changed')) {
    throw invalidBody('deliverWhen.column', 'is a field of threshold and unusual only');
  }
}

export function taskRoutes({ now, tasks, runs, owners, store, enqueue, connections, render }: TaskRoutesInit): Route[] {
  function checkSchedule({ cronExpression, timezone }: Pick<TaskChanges, 'cronExpression' | 'timezone'>): void {
    const cron = cronExpression === undefined ? undefined : cronProblem(cronExpression, now());
    if (cron !== undefined) throw invalidBody('cronExpression', cron);
    const zone = timezone === undefined ? undefined : timezoneProblem(timezone);
    if (zone !== undefined) throw invalidBody('timezone', zone);
  }

  /** Throws alike for a connection that does not exist and for one of another organization. */
  async function checkConnection({ connectionId }: Pick<TaskChanges, 'connectionId'>, scope: Scope): Promise<void> {
    if (connectionId == null) return;
    const known = await connections(scope);
    if (known.includes(connectionId)) return;
    throw invalidBody('connectionId', `must be one of your connections (${known.join(', ') || 'there are none'})`);
  }

  const next = ({ cron_expression, timezone }: Schedule): string | null => {
    const time = nextTime(cron_expression, timezone, now());
    return time === undefined ? null : isoOf(time);
  };

  async function created(body: TaskBody, scope: Scope): Promise<TaskRow> {
    checkSchedule(body);
    checkDeliverWhen(body.deliverWhen);
    await checkConnection(body, scope);
    const at = isoOf(now());
    const recipients = JSON.stringify(await store(body.recipients ?? [], []));
    const row = {
      id: randomUUID(),
      ...ownerOf(scope),
      ...(await owners.present(scope)),
      connection_id: null,
      timeout_seconds: null,
      ...columnsOf(body),
      recipients,
      disabled_reason: null,
      next_run_at: null,
      last_run_at: null,
      created_at: at,
      updated_at: at,
    } as TaskRow;
    const task = row.enabled ? { ...row, next_run_at: next(row) } : row;
    await tasks.create(task);
    return task;
  }

  async function changed(id: string, body: TaskChanges, scope: Scope): Promise<TaskRow> {
    checkSchedule(body);
    checkDeliverWhen(body.deliverWhen);
    const owner = ownerOf(scope);
    const before = await tasks.find(owner, id);
    await checkConnection(body, scope);
    // Before the transaction, in which nothing slow belongs.
    const recipients = body.recipients && JSON.stringify(await store(body.recipients, recipientsOf(before)));
    const presented = await owners.present(scope);
    return tasks.change(owner, id, (task) => {
      if (Object.keys(body).length === 0) return {};
      const columns = { ...columnsOf(body), ...(recipients !== undefined && { recipients }) };
      const then = { ...task, ...columns };
      const isRescheduled =
        Boolean(then.enabled) !== Boolean(task.enabled) ||
        then.cron_expression !== task.cron_expression ||
        then.timezone !== task.timezone;
      return {
        ...columns,
        ...presented,
        ...(isRescheduled && { next_run_at: then.enabled ? next(then) : null }),
        ...(columns.enabled !== undefined && { disabled_reason: null }),
        updated_at: isoOf(now()),
      };
    });
  }

  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: PATH,
      operationId: 'listScheduledTasks',
      area: 'schedules',
      summary: 'Your scheduled questions, by default the newest first.',
      query: TaskQuery,
      responses: { 200: TaskPage },
      async handle({ query }, scope) {
        const { rows, total } = await tasks.list(ownerOf(scope), query);
        return { body: { tasks: rows.map(shownTask), total } };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: PATH,
      operationId: 'createScheduledTask',
      summary: 'Schedules a question.',
      body: TaskBody,
      responses: { 201: Task },
      errors: STORING,
      handle: async ({ body }, scope) => ({ status: 201, body: shownTask(await created(body, scope)) }),
    }),
    defineRoute({
      ...one,
      method: 'GET',
      path: `${PATH}/:id`,
      operationId: 'getScheduledTask',
      summary: 'One scheduled question with its latest runs.',
      responses: { 200: TaskDetail },
      errors: ['not_found'],
      async handle(request, scope) {
        const task = await tasks.find(ownerOf(scope), idOf(request));
        const recent = await runs.list(task.id, { limit: RECENT_RUNS });
        return { body: { ...shownTask(task), recentRuns: recent.map(shownRun) } };
      },
    }),
    defineRoute({
      ...one,
      method: 'PUT',
      path: `${PATH}/:id`,
      operationId: 'changeScheduledTask',
      summary: 'Changes what is given of a scheduled question; `enabled: true` enables it again.',
      body: TaskChanges,
      responses: { 200: Task },
      errors: [...STORING, 'not_found'],
      handle: async (request, scope) => ({ body: shownTask(await changed(idOf(request), request.body, scope)) }),
    }),
    defineRoute({
      ...one,
      method: 'DELETE',
      path: `${PATH}/:id`,
      operationId: 'disableScheduledTask',
      summary: 'Disables a scheduled question; its runs stay.',
      responses: { 204: Type.Void() },
      errors: ['not_found'],
      async handle(request, scope) {
        await tasks.change(ownerOf(scope), idOf(request), ({ enabled }) =>
          enabled ? { enabled: false, next_run_at: null, disabled_reason: null, updated_at: isoOf(now()) } : {},
        );
        return { status: 204 };
      },
    }),
    defineRoute({
      ...one,
      method: 'POST',
      path: `${PATH}/:id/run`,
      operationId: 'runScheduledTask',
      summary: 'Asks a scheduled question now. While another run of it goes on, the run is skipped.',
      responses: { 202: Run },
      errors: ['not_found', 'conflict', 'configuration_error', 'forbidden'],
      async handle(request, scope) {
        const owner = ownerOf(scope);
        const id = idOf(request);
        await tasks.find(owner, id);
        const presented = await owners.present(scope);
        if (presented.presented !== null) await tasks.change(owner, id, () => presented);
        const run = await runs.start(owner, id, { now: now(), scheduledFor: null, isLate: false, enqueue });
        if (run !== undefined) return { status: 202, body: shownRun(run) };
        throw new AtlasError('The scheduled task is disabled.', {
          code: 'conflict',
          hint: 'Enable it first: PUT it with {"enabled": true}.',
        });
      },
    }),
    defineRoute({
      ...one,
      method: 'POST',
      path: `${PATH}/:id/preview`,
      operationId: 'previewScheduledTask',
      summary: 'Renders what would be delivered, and sends nothing: the last report, or a sample before the first run.',
      responses: { 200: Preview },
      errors: ['not_found'],
      async handle(request, scope) {
        const task = await tasks.find(ownerOf(scope), idOf(request));
        const last = await runs.lastReport(task.id);
        const report = last === undefined ? sampleReport(task, now()) : (JSON.parse(last) as Report);
        const byChannel = Map.groupBy(recipientsOf(task).map(shownRecipient), ({ type }) => type);
        if (byChannel.size === 0) byChannel.set(task.delivery_channel, []);
        const previews = [...byChannel].map(async ([channel, recipients]) => ({
          channel,
          recipients,
          content: await render(channel, report, scope),
        }));
        return { body: { sample: last === undefined, previews: await Promise.all(previews) } };
      },
    }),
    defineRoute({
      ...one,
      method: 'GET',
      path: `${PATH}/:id/runs`,
      operationId: 'listScheduledRuns',
      summary: 'Runs of a scheduled question, by default the newest first.',
      query: RunQuery,
      responses: { 200: RunPage },
      errors: ['not_found'],
      async handle(request, scope) {
        const { id } = await tasks.find(ownerOf(scope), idOf(request));
        return { body: { runs: (await runs.list(id, request.query)).map(shownRun) } };
      },
    }),
  ];
}
