/** Declares what an engine of the queue provides: durable jobs with leases. */
import type { Knex } from 'knex';

export interface NewJob {
  readonly kind: string;
  readonly key: string | undefined;
  /** JSON. */
  readonly payload: string;
  /** `undefined`: at once. */
  readonly startAt: Date | undefined;
}

/** A job that this server holds until its lease runs out. */
export interface LeasedJob {
  readonly id: string;
  readonly kind: string;
  readonly key: string | undefined;
  /** JSON. */
  readonly payload: string;
  /** From 1. */
  readonly attempt: number;
  /** Different for each attempt. */
  readonly lease: string;
}

/** Every method rejects with `unavailable` while the database is away. */
export interface Queue {
  /** For the health report. */
  readonly engine: string;
  /** Makes ready for jobs of these kinds. */
  open(kinds: readonly string[]): Promise<void>;
  /** Does nothing when a job with the key waits or runs. */
  add(job: NewJob, transaction: Knex.Transaction | undefined): Promise<void>;
  remove(kind: string, key: string): Promise<void>;
  /** Leases due jobs, and those whose lease has run out, up to the number for each kind. */
  take(free: ReadonlyMap<string, number>): Promise<readonly LeasedJob[]>;
  /** Renews the leases; resolves to those that are still this server's. */
  renew(jobs: readonly LeasedJob[]): Promise<ReadonlySet<string>>;
  /** Deletes the job, if the lease is still this server's. */
  finish(job: LeasedJob): Promise<void>;
  /** Gives the lease up, if it is still this server's: the job is due again after the delay. */
  putBack(job: LeasedJob, delayMs: number, isCounted: boolean): Promise<void>;
  /** Number of jobs that wait or run. */
  size(): Promise<number>;
  close(): Promise<void>;
}
