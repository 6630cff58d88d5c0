/** Asks questions by a schedule, and delivers the answers. */
import {
  AtlasError,
  datasourceList,
  definePlugin,
  healthCheck,
  httpRoutes,
  optional,
  type Scope,
  storeMigrations,
} from '../../kernel/index.ts';
import { type Actions, actions } from '../actions/index.ts';
import { deleteRowsOf } from '../admin-kit/index.ts';
import { agent } from '../agent/index.ts';
import { organizationDelete } from '../auth-managed/index.ts';
import { deliverPreview } from '../delivery-kit/index.ts';
import { http } from '../http/index.ts';
import { internalDb, storeTables } from '../internal-db/index.ts';
import { jobs, purgeDaily } from '../jobs/index.ts';
import { outbound } from '../outbound/index.ts';
import { DueTasks } from './due-tasks.ts';
import { healthOf } from './health.ts';
import { migrationsFor, STORED_TABLES, TASKS } from './migrations.ts';
import { SchedulerOptions } from './options.ts';
import { owners as ownersOf } from './owner.ts';
import { storedRecipients } from './recipients.ts';
import { type TaskRoutesInit, taskRoutes } from './routes.ts';
import { DELIVERY_JOB, type Enqueue, isoOf, QUESTION_JOB, RunStore } from './run-store.ts';
import { TaskStore } from './task-store.ts';

export type { Run as ScheduledRun, Task as ScheduledTask } from './schemas.ts';

const DAY_MS = 86_400_000;

export const scheduler = definePlugin({
  name: 'scheduler',
  version: '1.0.0',
  type: 'interaction',
  description: 'Asks questions by a schedule, and delivers the answers.',
  needs: { agent, acting: optional(actions), db: internalDb, server: http, queue: jobs, outgoing: outbound },
  options: SchedulerOptions,
  async setup(ctx, options, { agent: answering, acting, db, server, queue, outgoing }) {
    const { secrets } = db;
    const tasks = new TaskStore(db, options.tasksPerOwner);
    const runs = new RunStore(db);
    const owners = ownersOf(ctx, secrets, options);
    const enqueueRun: Enqueue = (transaction, runId) => queue.add(QUESTION_JOB, { runId }, { key: runId, transaction });
    const enqueueDelivery: Enqueue = (transaction, deliveryId) =>
      queue.add(DELIVERY_JOB, { deliveryId }, { key: deliveryId, transaction });
    const messageFor = (error: unknown, scope: Scope) => server.failure(error, scope).body.message;
    const restrict: Actions['restrict'] = (scope, mode) => acting?.restrict(scope, mode);
    const dueTasks = new DueTasks({ ctx, runs, options, enqueue: enqueueRun });
    const store: TaskRoutesInit['store'] = (recipients, before) =>
      storedRecipients(recipients, before, { secrets, outbound: outgoing });
    const render: TaskRoutesInit['render'] = async (channel, report, scope) => {
      const { deliveryOf, ofChannel } = await import('./delivery-job.ts');
      const delivery = deliveryOf({ type: channel }, report);
      return ofChannel(channel, () => ctx.callKey(deliverPreview, channel, delivery, scope));
    };
    const connections = async (scope: Scope) =>
      (await ctx.call(datasourceList, undefined, scope)).map(({ value }) => value.id);
    const routes = taskRoutes({ now: ctx.now, tasks, runs, owners, store, enqueue: enqueueRun, connections, render });
    const refused = () => {
      throw switchedOff();
    };
    ctx.tap(httpRoutes, () =>
      db.routes(options.enabled ? routes : routes.map((route) => ({ ...route, ready: refused }))),
    );
    if (!options.enabled) return;
    const { questionJob, questionJobOptions } = await import('./question-job.ts');
    const { deliveryJob, deliveryJobOptions } = await import('./delivery-job.ts');
    queue.define(
      QUESTION_JOB,
      questionJobOptions(options),
      questionJob({ ctx, runs, owners, agent: answering, options, restrict, messageFor, enqueueDelivery }),
    );
    queue.define(DELIVERY_JOB, deliveryJobOptions(options), deliveryJob({ ctx, runs, secrets }));
    ctx.tap(storeMigrations, () => migrationsFor(db.dialect));
    ctx.tap(storeTables, () => STORED_TABLES);
    ctx.tap(healthCheck, () => [healthOf(db, dueTasks)]);
    if (!db.configured) return;
    purgeDaily(ctx, queue, 'Scheduled tasks and runs', async () => {
      const before = isoOf(ctx.now() - options.retentionDays * DAY_MS);
      await runs.purge(before);
      await tasks.purge(before);
    });
    ctx.tap(organizationDelete, ({ orgId }) => deleteRowsOf(orgId, db, TASKS));
    ctx.onReady(() => dueTasks.start());
    ctx.onDrain(() => dueTasks.stop());
  },
});

const switchedOff = () =>
  new AtlasError('Scheduled questions are switched off.', {
    code: 'not_available',
    hint: 'Have the operator set SVC_SCHEDULER_ENABLED=true and DATABASE_URL.',
  });
