/** Runs the recurring work of all plugins, each due time once among all servers. */
import type { Cron } from 'croner';
import { AtlasError, messageOf, type PluginContext, type Scope, scheduleCollect } from '../../kernel/index.ts';
import { type InternalDb, migration } from '../internal-db/index.ts';
import type { Jobs } from './api.ts';

export const SCHEDULES_TABLE = 'job_schedules';
const KIND = 'schedule';
const SWEEP_MS = 1_000;
const OPTIONS = { concurrency: 2, deadlineMs: 600_000, attempts: 3, backoffMs: 60_000 };

export const createSchedules = migration('0002-schedules', async (trx) => {
  await trx.schema.createTable(SCHEDULES_TABLE, (table) => {
    table.string('name', 200).primary();
    // Milliseconds since the epoch: every time up to it is taken care of.
    table.bigInteger('done_until').notNullable();
  });
});

interface Schedule {
  /** Plugin and name. */
  readonly name: string;
  readonly cron: Cron;
  run(scope: Scope): unknown;
  /** In milliseconds; 0: not known. */
  nextAt: number;
}

export class Schedules {
  readonly #ctx: PluginContext;
  readonly #db: InternalDb;
  readonly #stopping = new AbortController();
  #jobs: Jobs | undefined;
  #schedules: ReadonlyMap<string, Schedule> = new Map();
  #sweeps: NodeJS.Timeout | undefined;

  constructor(ctx: PluginContext, db: InternalDb) {
    this.#ctx = ctx;
    this.#db = db;
  }

  /** Collects the work. Rejects with `configuration_error` when a schedule is invalid or there twice. */
  async collect(): Promise<void> {
    const collected = await this.#ctx.call(scheduleCollect, undefined, this.#ctx.scope());
    if (collected.length === 0) return;
    const library = await import('croner');
    const all = collected.map(({ plugin, value }): Schedule => {
      const name = `${plugin}/${value.name}`;
      const cron = cronOf(library.Cron, name, value.cron, value.timezone);
      return { name, cron, run: (scope) => value.run(scope), nextAt: 0 };
    });
    this.#schedules = new Map(all.map((schedule) => [schedule.name, schedule]));
    const twice = all.find((schedule) => this.#schedules.get(schedule.name) !== schedule);
    if (twice !== undefined) throw invalid(twice.name, 'is there twice; rename one');
  }

  /** Lets jobs do the work, so that it is begun again if its server dies. Otherwise the server does it that claims it. */
  carryBy(jobs: Jobs): void {
    if (this.#schedules.size === 0) return;
    this.#jobs = jobs;
    jobs.define<string>(KIND, OPTIONS, async ({ payload, scope }) => {
      await this.#schedules.get(payload)?.run(scope);
    });
  }

  start(): void {
    if (this.#schedules.size === 0) return;
    this.#sweeps = setInterval(() => this.#sweep(), SWEEP_MS).unref();
    this.#sweep();
  }

  stop(): void {
    clearInterval(this.#sweeps);
    this.#stopping.abort(new AtlasError('The server stops.', { code: 'unavailable' }));
  }

  #sweep(): void {
    const now = this.#ctx.now();
    for (const schedule of this.#schedules.values()) if (now >= schedule.nextAt) void this.#do(schedule, now);
  }

  async #do(schedule: Schedule, now: number): Promise<void> {
    const isFirstLook = schedule.nextAt === 0;
    // Not again before this is over.
    schedule.nextAt = Number.POSITIVE_INFINITY;
    let nextAt = now + SWEEP_MS;
    try {
      const isDue = this.#db.configured ? await this.#claim(schedule, now) : !isFirstLook;
      nextAt = timeAfter(schedule.cron, now);
      if (isDue && this.#jobs === undefined) await schedule.run(this.#ctx.scope({ signal: this.#stopping.signal }));
    } catch (error) {
      this.#ctx.log.warn({ schedule: schedule.name, error: messageOf(error) }, 'Recurring work failed.');
    } finally {
      schedule.nextAt = nextAt;
    }
  }

  /** Whether this server is to do it; a job is added with it. What was missed while no server ran is done once, now. */
  async #claim({ name, cron }: Schedule, now: number): Promise<boolean> {
    return this.#db.transaction(async (trx) => {
      const row: { done_until: string | number } | undefined = await trx(SCHEDULES_TABLE)
        .where({ name })
        .first('done_until');
      if (row === undefined) {
        await trx(SCHEDULES_TABLE).insert({ name, done_until: now }).onConflict('name').ignore();
        return false;
      }
      const { done_until } = row;
      if (timeAfter(cron, Number(done_until)) > now) return false;
      // Another server may have been faster.
      const claimed = await trx(SCHEDULES_TABLE).where({ name, done_until }).update({ done_until: now });
      if (claimed === 1) await this.#jobs?.add(KIND, name, { key: name, transaction: trx });
      return claimed === 1;
    });
  }
}

/** Infinite for one that never comes again. */
function timeAfter(cron: Cron, ms: number): number {
  return cron.nextRun(new Date(ms))?.getTime() ?? Number.POSITIVE_INFINITY;
}

function invalid(name: string, why: string): AtlasError {
  const message = `The recurring work "${name}" ${why}.`;
  return new AtlasError(message, { code: 'configuration_error', reason: 'E_SCHEDULE_INVALID' });
}

function cronOf(Library: typeof Cron, name: string, pattern: string, timezone = 'UTC'): Cron {
  try {
    const cron = new Library(pattern, { timezone, mode: '5-part', paused: true });
    // An unknown zone is found when it is used.
    cron.nextRun();
    return cron;
  } catch (error) {
    throw invalid(name, `cannot be scheduled: ${messageOf(error)}`);
  }
}
