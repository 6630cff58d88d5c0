/** Fetches due jobs, runs as many at a time as their kinds allow, renews their leases and records how they ended. */
import { AsyncResource } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { AtlasError, messageOf, type PluginContext, withTimeout } from '../../kernel/index.ts';
import { attempt, type JobKind, LOST, type Outcome, STOPPED } from './attempt.ts';
import type { JobsOptions } from './options.ts';
import type { LeasedJob, Queue } from './queue.ts';

const SIZE_MS = 10_000;
const RECORD_RETRY_MS = 1_000;
/** A stop waits so long for running jobs to end by themselves, and then to stop. The HTTP server needs the rest. */
const FINISH_MS = 700;
const STOP_MS = 300;

interface Running {
  readonly job: LeasedJob;
  readonly controller: AbortController;
  /** By the clock of `performance.now`. */
  leasedUntil: number;
  ended: Promise<void>;
}

const isUnavailable = (error: unknown) => error instanceof AtlasError && error.code === 'unavailable';

export class Worker {
  readonly #ctx: PluginContext;
  readonly #queue: Queue;
  readonly #kinds: ReadonlyMap<string, JobKind>;
  readonly #options: JobsOptions;
  readonly #running = new Set<Running>();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #closing = new AbortController();
  /** Context of the start, so that no job runs in the transaction or the request that woke the worker. */
  readonly #context = new AsyncResource('jobs');
  #isStarted = false;
  #isStopping = false;
  #isDue = false;
  #fetching: Promise<void> | undefined;
  #isRenewing = false;
  #isFull = false;
  #fault: string | undefined;

  constructor(ctx: PluginContext, queue: Queue, kinds: ReadonlyMap<string, JobKind>, options: JobsOptions) {
    this.#ctx = ctx;
    this.#queue = queue;
    this.#kinds = kinds;
    this.#options = options;
  }

  /** Why jobs cannot be fetched at present. */
  get fault(): string | undefined {
    return this.#fault;
  }

  get running(): number {
    return this.#running.size;
  }

  /** Whether as many jobs wait as may. Up to date within seconds. */
  get isFull(): boolean {
    return this.#isFull;
  }

  start(): void {
    if (this.#kinds.size === 0) return;
    const { pollMs } = this.#options;
    this.#isStarted = true;
    this.#every(pollMs, () => this.wake());
    this.#every(this.#renewalMs, () => void this.#renew());
    this.#every(SIZE_MS, () => void this.#measure());
    void this.#measure();
    this.wake();
  }

  /** Looks for due jobs now. */
  wake(): void {
    if (!this.#isStarted || this.#isStopping) return;
    this.#isDue = true;
    this.#fetching ??= this.#context
      .runInAsyncScope(() => this.#fetch())
      .finally(() => {
        this.#fetching = undefined;
        // Asked for after the last look, before this.
        if (this.#isDue && this.#free().size > 0 && this.#fault === undefined) this.wake();
      });
  }

  /** Fetches no more jobs; lets those that run end, or stops them and gives them back. */
  async drain(): Promise<void> {
    this.#isStopping = true;
    await withTimeout(this.#fetching ?? Promise.resolve(), FINISH_MS, () => {});
    await withTimeout(this.#ended(), FINISH_MS, () => {});
    for (const { controller } of this.#running) controller.abort(STOPPED);
    await withTimeout(this.#ended(), STOP_MS, () => {});
  }

  close(): void {
    this.#closing.abort();
    for (const timer of this.#timers) clearInterval(timer);
  }

  get #renewalMs(): number {
    return this.#options.leaseMs / 4;
  }

  #every(ms: number, work: () => void): void {
    this.#timers.push(setInterval(work, ms).unref());
  }

  async #ended(): Promise<void> {
    await Promise.all([...this.#running].map(({ ended }) => ended));
  }

  /** How many more jobs of each kind may run. */
  #free(): Map<string, number> {
    const free = new Map([...this.#kinds].map(([kind, { options }]) => [kind, options.concurrency]));
    for (const { job } of this.#running) free.set(job.kind, (free.get(job.kind) ?? 0) - 1);
    return new Map([...free].filter(([, count]) => count > 0));
  }

  async #fetch(): Promise<void> {
    while (this.#isDue && !this.#isStopping) {
      this.#isDue = false;
      const free = this.#free();
      if (free.size === 0) return;
      const leasedUntil = performance.now() + this.#options.leaseMs;
      try {
        const jobs = await this.#queue.take(free);
        if (this.#fault !== undefined) this.#ctx.log.info({}, 'Jobs are fetched again.');
        this.#fault = undefined;
        for (const job of jobs) this.#begin(job, leasedUntil);
        // There may be more, as far as there is room.
        if (jobs.length > 0) this.#isDue = true;
      } catch (error) {
        if (this.#fault === undefined) this.#ctx.log.warn({ error: messageOf(error) }, 'Jobs cannot be fetched.');
        this.#fault = messageOf(error);
      }
    }
  }

  #begin(job: LeasedJob, leasedUntil: number): void {
    const kind = this.#kinds.get(job.kind);
    if (kind === undefined) return;
    // The lease of an earlier attempt here has run out, although nobody noticed yet.
    for (const earlier of this.#running) if (earlier.job.id === job.id) earlier.controller.abort(LOST);
    const controller = new AbortController();
    const running: Running = { job, controller, leasedUntil, ended: Promise.resolve() };
    this.#running.add(running);
    // Taken while the stop began.
    if (this.#isStopping) controller.abort(STOPPED);
    running.ended = attempt(this.#ctx, kind, job, controller)
      .then((outcome) => this.#record(job, outcome))
      .finally(() => {
        this.#running.delete(running);
        this.wake();
      });
  }

  /** While the database is away, again and again: what was done must not be done twice. */
  async #record(job: LeasedJob, outcome: Outcome): Promise<void> {
    const { signal } = this.#closing;
    while (outcome.type !== 'leave' && !signal.aborted) {
      try {
        if (outcome.type === 'putBack') await this.#queue.putBack(job, outcome.delayMs, outcome.isCounted);
        else await this.#queue.finish(job);
        return;
      } catch (error) {
        if (!isUnavailable(error)) {
          this.#ctx.log.error({ kind: job.kind, job: job.id, error: messageOf(error) }, 'A job could not be ended.');
          return;
        }
        await sleep(RECORD_RETRY_MS, undefined, { ref: false, signal }).catch(() => {});
      }
    }
  }

  async #renew(): Promise<void> {
    if (this.#isRenewing || this.#running.size === 0) return;
    this.#isRenewing = true;
    const all = [...this.#running];
    const leasedUntil = performance.now() + this.#options.leaseMs;
    const timeout = () => {
      throw new AtlasError('The leases of jobs could not be renewed in time.', { code: 'unavailable' });
    };
    try {
      const renewal = this.#queue.renew(all.map(({ job }) => job));
      const kept = await withTimeout(renewal, this.#renewalMs, timeout);
      for (const running of all) {
        if (kept.has(running.job.lease)) running.leasedUntil = leasedUntil;
        else if (this.#running.has(running)) running.controller.abort(LOST);
      }
    } catch (error) {
      this.#ctx.log.debug({ error: messageOf(error) }, 'The leases of jobs could not be renewed.');
    } finally {
      this.#isRenewing = false;
    }
    // Before another server may take it: two must not run it at the same time.
    for (const { leasedUntil: until, controller } of this.#running) {
      if (performance.now() > until - this.#renewalMs) controller.abort(LOST);
    }
  }

  async #measure(): Promise<void> {
    try {
      this.#isFull = (await this.#queue.size()) >= this.#options.maxJobs;
    } catch {
      // While the database is away nothing can be added either.
    }
  }
}
