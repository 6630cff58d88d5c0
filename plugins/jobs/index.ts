/** Runs jobs that survive restarts, each by one server at a time, from a queue in the internal database. */
import { appReady, definePlugin, storeMigrations } from '../../kernel/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { requirePackages } from '../package-kit/index.ts';
import type { Jobs } from './api.ts';
import type { JobKind } from './attempt.ts';
import { JobsOptions } from './options.ts';
import { postgresQueue } from './postgres-queue.ts';
import { jobsWith, jobsWithoutDatabase } from './service.ts';
import { createJobs, sqliteQueue } from './sqlite-queue.ts';
import { Worker } from './worker.ts';

export type { AddOptions, Job, JobKindOptions, Jobs, JobsStatus } from './api.ts';
export { JobError, type JobErrorInit } from './errors.ts';

export const jobs = definePlugin({
  name: 'jobs',
  version: '1.0.0',
  type: 'storage',
  description: 'Runs jobs that survive restarts, each by one server at a time.',
  needs: { db: internalDb },
  options: JobsOptions,
  setup(ctx, options, { db }): Jobs {
    const kinds = new Map<string, JobKind>();
    if (!db.configured) return jobsWithoutDatabase(db, kinds);
    const isPostgres = db.dialect === 'postgres';
    if (!isPostgres) ctx.tap(storeMigrations, () => [createJobs]);
    const queue = isPostgres ? postgresQueue(ctx, db, options.leaseMs) : sqliteQueue(db, options.leaseMs);
    const worker = new Worker(ctx, queue, kinds, options);
    // A server without jobs of any kind needs neither the library nor its tables.
    ctx.onReady(() => (kinds.size === 0 ? undefined : queue.open([...kinds.keys()])));
    // Jobs need what other plugins make ready.
    ctx.on(appReady, () => worker.start());
    ctx.onDrain(() => worker.drain());
    ctx.onClose(async () => {
      worker.close();
      await queue.close();
    });
    const service = jobsWith(queue, worker, kinds);
    return {
      ...service,
      define(...defined) {
        if (isPostgres) requirePackages(['pg-boss'], import.meta.url);
        service.define(...defined);
      },
    };
  },
});
