/** Declares what both engines provide: a knex instance, its time limits and its migration lock. */
import type { Knex } from 'knex';
import type { Logger } from '../../kernel/index.ts';
import type { BatchStatement } from './row-types.ts';

export interface EngineSettings {
  readonly poolSize: number;
  readonly acquireTimeoutMs: number;
  readonly statementTimeoutMs: number;
  readonly busyTimeoutMs: number;
  readonly silenceMs: number;
  readonly migrationWaitMs: number;
  readonly log: Logger;
  /** This server's clock, in milliseconds since the epoch. */
  readonly now: () => number;
}

export interface Engine {
  readonly knex: Knex;
  readonly dialect: 'postgres' | 'sqlite';
  /** False while there is certainly no database yet, so that looking does not create one. */
  exists(): boolean;
  /**
   * Runs `work`, which may create the database and take long. Statements then have no time limit and wait
   * `migrationWaitMs` for other servers.
   */
  migrating<T>(work: () => Promise<T>): Promise<T>;
  /** While migrations are applied, statements may take as long as they like. */
  readonly isMigrating: boolean;
  /** Longest silence of a database that is taken to be there. */
  readonly silenceMs: number;
  /**
   * Whether the database serves, or at least refuses to at once. False, or pending for as long as that takes, while it
   * says nothing or is locked by another process. Does not wait for the connections that others use.
   */
  answers(): Promise<boolean>;
  /** Milliseconds by which the clock of the database was ahead of this server's when it last answered. */
  readonly clockAheadMs: number;
  /** Runs the statements in one transaction; what they answer is not looked at. */
  execute(batch: readonly BatchStatement[]): Promise<void>;
  /** Gives up every statement that waits for an answer. */
  abandon(): void;
  close(): Promise<void>;
  /** First statements of a migration's transaction: no other server is in one at the same time. */
  lock(trx: Knex.Transaction): Promise<void>;
}

/** Whether migrations are being applied, by any number of callers at once. */
export class MigratingPhase {
  #running = 0;

  get on(): boolean {
    return this.#running > 0;
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
    }
  }
}

/** The part of the configuration of knex that does not depend on the engine. */
export function knexConfig(settings: EngineSettings, poolSize: number): Knex.Config {
  const quiet = (message: unknown) => settings.log.debug({ detail: String(message) }, 'The database library speaks.');
  return {
    // Values of statements must not stand in messages of errors.
    compileSqlOnError: false,
    connection: {},
    pool: { min: 0, max: poolSize, acquireTimeoutMillis: settings.acquireTimeoutMs, propagateCreateError: true },
    log: { warn: quiet, error: quiet, deprecate: quiet, debug: quiet },
  };
}
