/** Declares the service of the `internal-db` plugin. */
import type { Knex } from 'knex';
import type { Route } from '../../kernel/index.ts';
import type { RowWrite } from './row-types.ts';
import type { DatabaseTarget } from './url.ts';

export interface AppliedMigration {
  readonly plugin: string;
  readonly name: string;
  /** ISO 8601; `undefined`: not yet applied. */
  readonly appliedAt: string | undefined;
}

export interface InternalDb {
  /** False without a URL: everything that needs the database is then `not_available`. */
  readonly configured: boolean;
  /** Says nothing while no database is configured. */
  readonly dialect: 'postgres' | 'sqlite';
  /** Where the database is, with its password: for what copies it as a whole. `undefined` while none is configured. */
  readonly target: DatabaseTarget | undefined;
  /**
   * `undefined` while the database answers, or is not configured. In doubt a promise, which rejects with `unavailable`
   * within seconds if it does not.
   */
  check(): Promise<void> | undefined;
  /**
   * Milliseconds since the epoch by the clock of the database, which so is the same for all servers, without asking it: how far
   * that is ahead of this server's is learned twice a second.
   */
  now(): number;
  /**
   * Runs `work` on the one knex instance. Rejects with `not_available` (404) when no database is configured and with
   * `unavailable` (503) when it cannot be reached or written, or has not answered for some seconds; other errors of the database pass as they are. Inside a
   * `transaction` it rejects at once: use the transaction, or there would be two that wait for each other.
   */
  run<T>(work: (db: Knex) => PromiseLike<T>): Promise<T>;
  /** The same in a transaction, which is rolled back when `work` rejects. */
  transaction<T>(work: (trx: Knex.Transaction) => PromiseLike<T>): Promise<T>;
  /**
   * Runs work that only reads in a transaction that sees the database as it is at its first statement, without holding
   * up others that write.
   */
  snapshot<T>(work: (trx: Knex.Transaction) => PromiseLike<T>): Promise<T>;
  /**
   * Writes rows in one commit with others that come at about the same time, at less than half the cost of `run`. All of
   * these are written or none; of each statement in the order of the calls. Rejects as `run` does, and with
   * `unavailable` when too many wait.
   */
  write(rows: readonly RowWrite[]): Promise<void>;
  /** The routes, made to answer `not_available` while no database is configured, before anything is validated. */
  routes(routes: readonly Route[]): Route[];
  /** Every migration that the composition brings, in order. */
  migrations(): Promise<readonly AppliedMigration[]>;
  /** Applies those that are missing, under a lock that other servers respect. Resolves to those applied now. */
  migrate(): Promise<readonly AppliedMigration[]>;
  /** Encrypts secrets at rest. `purpose` is bound to the text: what was sealed for one opens for no other. */
  readonly secrets: {
    /** Ids of the keys that open what they have sealed. */
    readonly keyIds: readonly string[];
    /** Rejects with `configuration_error` when there is no key. */
    seal(plain: string, purpose: string): Promise<string>;
    /** Rejects with `configuration_error` when the key is unknown or the text was changed. */
    open(sealed: string, purpose: string): Promise<string>;
  };
}
