/** Runs queries and transactions on the one knex instance and translates their errors. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Knex } from 'knex';
import { AtlasError, type Logger, withTimeout } from '../../kernel/index.ts';
import type { Engine } from './engine.ts';
import { nestedUse, translated, unavailable } from './errors.ts';
import { Liveness } from './liveness.ts';
import type { BatchStatement } from './row-types.ts';

/** Longest wait of a close for running transactions; a server must stop although its database hangs. */
const CLOSE_MS = 1_000;

export class Database {
  readonly engine: Engine;
  readonly liveness: Liveness;
  readonly #transaction = new AsyncLocalStorage<{ open: boolean }>();
  #closed = false;
  #isInDoubt = false;

  constructor(engine: Engine, log: Logger) {
    this.engine = engine;
    this.liveness = new Liveness(engine, log);
  }

  /** Whether it has failed to serve since it was last seen to take writes. */
  get isInDoubt(): boolean {
    return this.#isInDoubt;
  }

  /** Notes that it takes writes. */
  trust(): void {
    this.#isInDoubt = false;
  }

  /** See `InternalDb.run`. */
  async run<T>(work: (db: Knex) => PromiseLike<T>): Promise<T> {
    this.#admit();
    try {
      return await this.liveness.call(async () => work(this.engine.knex));
    } catch (error) {
      throw this.#translated(error);
    }
  }

  /** Runs the statements in one transaction. */
  async execute(batch: readonly BatchStatement[]): Promise<void> {
    this.#admit();
    try {
      await this.liveness.call(() => this.engine.execute(batch));
    } catch (error) {
      throw this.#translated(error);
    }
  }

  /** See `InternalDb.transaction`. */
  async transaction<T>(
    work: (trx: Knex.Transaction) => PromiseLike<T>,
    config: Knex.TransactionConfig = {},
  ): Promise<T> {
    this.#admit();
    const context = { open: true };
    const faults: unknown[] = [];
    // Asynchronous, so that knex commits although `work` returns a query or throws at once.
    const container = async (trx: Knex.Transaction): Promise<T> => {
      try {
        // knex calls it although the transaction could not begin, and rejects with the reason after that.
        if (trx.isCompleted()) return undefined as T;
        return await this.#transaction.run(context, () => work(trx));
      } catch (error) {
        faults.push(error);
        throw error;
      }
    };
    try {
      const settings = { doNotRejectOnRollback: false, ...config };
      return await this.liveness.call(() => this.engine.knex.transaction(container, settings));
    } catch (error) {
      // The fault of the work says more than that of a rollback which then failed too.
      throw this.#translated(faults.length > 0 ? faults[0] : error);
    } finally {
      context.open = false;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.liveness.stop();
    await withTimeout(this.engine.close(), CLOSE_MS, () => {});
  }

  #translated(error: unknown): unknown {
    const fault = translated(error);
    if (fault instanceof AtlasError && fault.code === 'unavailable') this.#isInDoubt = true;
    return fault;
  }

  #admit(): void {
    if (this.#closed) throw unavailable('it is closed');
    if (this.#transaction.getStore()?.open === true) throw nestedUse();
  }
}
