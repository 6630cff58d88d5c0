/** Looks for tasks that are due, and starts one run for each: on one server, however many look. */
import { AtlasError, messageOf, type PluginContext } from '../../kernel/index.ts';
import { nextTime } from './cron.ts';
import type { SchedulerOptions } from './options.ts';
import type { TaskRow } from './rows.ts';
import { type Enqueue, isoOf, type RunStore } from './run-store.ts';

const BATCH = 100;
const MAX_BATCHES = 100;
/** How often abandoned runs are looked for. */
const CLEANUP_MS = 30_000;
/** A clock that goes back further than this was wrong before, and so may be the times that it made. */
const CLOCK_STEP_MS = 60_000;

export interface DueTasksInit {
  readonly ctx: Pick<PluginContext, 'log' | 'now'>;
  readonly runs: RunStore;
  readonly options: Pick<SchedulerOptions, 'lateAfterMs' | 'tickMs'>;
  readonly enqueue: Enqueue;
}

export class DueTasks {
  readonly #init: DueTasksInit;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #cleanedAt = -Infinity;
  #lastNow = -Infinity;
  /** Why the last look failed, if it did; for the health report. */
  problem: string | undefined;

  constructor(init: DueTasksInit) {
    this.#init = init;
  }

  start(): void {
    this.#timer = setInterval(() => void this.#look(), this.#init.options.tickMs).unref();
  }

  /** Resolves once nothing is being started any more. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  /** Never rejects. A look that takes longer than its interval is not joined by a second one. */
  #look(): Promise<void> {
    this.#looking ??= this.#lookOnce()
      .then(
        () => {
          this.problem = undefined;
        },
        (error: unknown) => {
          if (this.problem === undefined) {
            this.#init.ctx.log.error({ error: messageOf(error) }, 'Due tasks could not be looked for; tried again.');
          }
          this.problem = messageOf(error);
        },
      )
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  async #lookOnce(): Promise<void> {
    const { ctx, runs } = this.#init;
    const now = ctx.now();
    if (now < this.#lastNow - CLOCK_STEP_MS) await runs.reschedule(now, nextOf);
    this.#lastNow = now;
    for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
      const tasks = await runs.due(now, BATCH);
      for (const task of tasks) await this.#claim(task, now);
      if (tasks.length < BATCH) break;
    }
    // By the process's own clock: that of the machine may jump.
    if (performance.now() - this.#cleanedAt < CLEANUP_MS) return;
    this.#cleanedAt = performance.now();
    const ended = await runs.endAbandoned(now);
    if (ended.length > 0) ctx.log.warn({ runs: ended }, 'Runs that were not finished in time were ended as failed.');
  }

  async #claim(task: TaskRow, now: number): Promise<void> {
    const { ctx, runs, options, enqueue } = this.#init;
    const scheduledFor = task.next_run_at ?? isoOf(now);
    const isLate = now - Date.parse(scheduledFor) >= options.lateAfterMs;
    const skippedBecause =
      isLate && task.missed_runs === 'skip' ? 'No server was there to run it at its time.' : undefined;
    let next: number | undefined;
    try {
      next = nextOf(task, now);
    } catch (error) {
      // Another version knew the time zone or took the expression.
      await runs.disable(task.id, `The schedule is not valid: ${messageOf(error)}`, now);
      return;
    }
    try {
      await runs.claim(task, next, { now, scheduledFor, isLate, skippedBecause, enqueue });
    } catch (error) {
      // The next task would meet the same.
      if (error instanceof AtlasError && error.code === 'unavailable') throw error;
      ctx.log.error({ task: task.id, error: messageOf(error) }, 'A due task could not be started; tried again.');
    }
  }
}

const nextOf = ({ cron_expression, timezone }: TaskRow, now: number) => nextTime(cron_expression, timezone, now);
