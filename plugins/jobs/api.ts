/** Declares the service of the `jobs` plugin. */
import type { Knex } from 'knex';
import type { Awaitable, Scope } from '../../kernel/index.ts';

/** How jobs of one kind are run. */
export interface JobKindOptions {
  /** Most jobs of the kind that one server runs at a time. Default 5. */
  readonly concurrency?: number;
  /** Time after which `scope.signal` is aborted and the attempt counts as failed. Default 60,000. */
  readonly deadlineMs?: number;
  /** How often a job that fails is tried in all. Default 3. */
  readonly attempts?: number;
  /** Wait before the second attempt; it doubles with each further one, up to an hour. Default 5,000. */
  readonly backoffMs?: number;
}

export interface Job<P> {
  /** The same for all attempts. */
  readonly id: string;
  readonly key: string | undefined;
  readonly payload: P;
  /** From 1. Counts attempts that failed and those whose server died, but not those that a stop cut short. */
  readonly attempt: number;
  /** If this attempt fails, the job is given up. */
  readonly isLast: boolean;
  /** Without an actor. Its signal is aborted at the deadline, when the server stops and when the job is lost to another. */
  readonly scope: Scope;
}

export interface AddOptions {
  /** While a job of the kind with this key waits or runs, no other is added. */
  readonly key?: string;
  /** Default: at once. Due by the clock of the database's machine, not by `ctx.now`. */
  readonly startAt?: Date;
  /** The job is added when it commits, and never if it does not. */
  readonly transaction?: Knex.Transaction;
}

/** For the health report. */
export interface JobsStatus {
  /** `off`: no internal database is configured. `error`: jobs cannot be fetched at present. */
  readonly status: 'ok' | 'error' | 'off';
  /** Why it is `error`. */
  readonly message?: string;
  /** What holds the jobs: a table of the SQLite file, or the library on PostgreSQL. */
  readonly engine: string;
  /** Jobs that run on this server. */
  readonly running: number;
}

export interface Jobs {
  /** False without an internal database: then `add` rejects with `not_available`. */
  readonly configured: boolean;
  /**
   * Says how jobs of a kind are run. Only during setup. `run` must act on `job.scope.signal`; it may throw a `JobError`.
   * A job is run by one server at a time. One whose server dies is run again by any server within about 30 seconds,
   * also after its last attempt, so that `run` can end what it began: see `attempt` there.
   */
  define<P>(kind: string, options: JobKindOptions, run: (job: Job<P>) => Awaitable<void>): void;
  /**
   * Stores a job. `payload` must be plain JSON of at most 1 MB. Rejects with `not_available` or `unavailable` as the
   * internal database does, and with `unavailable` when too many jobs wait.
   */
  add(kind: string, payload: unknown, options?: AddOptions): Promise<void>;
  /** Removes the job with this key if it waits. One that runs goes on, but is not tried again. */
  remove(kind: string, key: string): Promise<void>;
  describe(): JobsStatus;
}
