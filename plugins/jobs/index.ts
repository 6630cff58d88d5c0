/** Runs jobs that survive restarts, each by one server at a time, from a queue in the internal database. */
import { appReady, definePlugin, type PluginContext, storeMigrations } from '../../kernel/index.ts';
import { type InternalDb, internalDb, storeTables } from '../internal-db/index.ts';
import { requirePackages } from '../package-kit/index.ts';
import type { Jobs } from './api.ts';
import type { JobKind } from './attempt.ts';
import { JobsOptions } from './options.ts';
import { postgresQueue } from './postgres-queue.ts';
import { createSchedules, SCHEDULES_TABLE, Schedules } from './schedules.ts';
import { jobsWith, jobsWithoutDatabase } from './service.ts';
import { createJobs, JOBS_TABLE, sqliteQueue } from './sqlite-queue.ts';
import { Worker } from './worker.ts';

export type { AddOptions, Job, JobKindOptions, Jobs, JobsStatus } from './api.ts';
export { purgeDaily } from './daily-purge.ts';
export { JobError, type JobErrorInit } from './errors.ts';

/** The service, and the recurring work that it carries. */
function queued(ctx: PluginContext, db: InternalDb, options: JobsOptions): Jobs {
  const kinds = new Map<string, JobKind>();
  const isPostgres = db.dialect === 'postgres';
  const queue = isPostgres ? postgresQueue(ctx, db, options.leaseMs) : sqliteQueue(db, options.leaseMs);
  const worker = new Worker(ctx, queue, kinds, options);
  const service = jobsWith(queue, worker, kinds);
  const schedules = new Schedules(ctx, db);
  ctx.tap(storeMigrations, () => [...(isPostgres ? [] : [createJobs]), createSchedules]);
  // What is to be done is told by the data: their plugins add the jobs anew.
  ctx.tap(storeTables, () => [JOBS_TABLE, SCHEDULES_TABLE].map((table) => ({ table, isTransient: true })));
  ctx.onReady(async () => {
    await schedules.collect();
    // A server without jobs of any kind needs neither the library nor its tables.
    if (kinds.size === 0) return;
    schedules.carryBy(service);
    await queue.open([...kinds.keys()]);
  });
  // Jobs need what other plugins make ready.
  ctx.on(appReady, () => {
    worker.start();
    schedules.start();
  });
  ctx.onDrain(async () => {
    schedules.stop();
    await worker.drain();
  });
  ctx.onClose(async () => {
    worker.close();
    await queue.close();
  });
  return {
    ...service,
    define(...defined) {
      if (isPostgres) requirePackages(['pg-boss'], import.meta.url);
      service.define(...defined);
    },
  };
}

function unstored(ctx: PluginContext, db: InternalDb): Jobs {
  const schedules = new Schedules(ctx, db);
  ctx.onReady(() => schedules.collect());
  ctx.on(appReady, () => schedules.start());
  ctx.onDrain(() => schedules.stop());
  return jobsWithoutDatabase(db);
}

export const jobs = definePlugin({
  name: 'jobs',
  version: '1.0.0',
  type: 'storage',
  description: 'Runs jobs that survive restarts, each by one server at a time, and the recurring work of all plugins.',
  needs: { db: internalDb },
  options: JobsOptions,
  setup: (ctx, options, { db }): Jobs => (db.configured ? queued(ctx, db, options) : unstored(ctx, db)),
});
