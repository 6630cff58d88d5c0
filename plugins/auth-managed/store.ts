/**
 * The way of this plugin and of the authentication library to the internal database. The library swallows errors of
 * its adapter and does not hand its transaction on, so both are kept here for each call into it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Knex } from 'knex';
import type { Role, Scope } from '../../kernel/index.ts';
import type { Audit, AuditedChange } from '../audit/index.ts';
import { type InternalDb, translated } from '../internal-db/index.ts';
import type { SessionCache } from './better-auth/session-cache.ts';
import { LOCKS } from './migrations.ts';
import type { HashTurn } from './passwords/password-hashing.ts';

/** What a call into the library is told, and tells. */
export interface CallInit {
  /** The hash of the password that the call is about, made before its transaction began. */
  readonly passwordHash?: string | undefined;
  /** Whose password is hashed on the way. */
  readonly turn?: HashTurn;
  /** Role of a user whom the call creates; default: as `Bootstrap` decides. */
  readonly newUserRole?: Role | undefined;
  /** Set by the call: the stored hash that the given password was found to match. */
  verifiedHash?: string;
}

interface OpenTransaction {
  readonly trx: Knex.Transaction;
  /** Ids of users whom it changes, until they are told of. */
  changed: Set<string> | undefined;
}

interface LibraryCall extends Omit<CallInit, 'verifiedHash'> {
  readonly init: CallInit;
  readonly open?: OpenTransaction;
  /** In the order in which they arose. */
  readonly faults: unknown[];
  /** As of `performance.now()`; nothing that the call knows has been read before. */
  readonly atMs: number;
}

export class Store {
  readonly #db: InternalDb;
  readonly #sessions: Pick<SessionCache, 'tellWith' | 'committed'> | undefined;
  readonly #calls = new AsyncLocalStorage<LibraryCall>();

  /** `sessions`: what is told of users whom transactions have changed. */
  constructor(db: InternalDb, sessions?: Pick<SessionCache, 'tellWith' | 'committed'>) {
    this.#db = db;
    this.#sessions = sessions;
  }

  get dialect(): InternalDb['dialect'] {
    return this.#db.dialect;
  }

  /** A time as a column keeps it. */
  date(date = new Date()): Date | string {
    return this.dialect === 'sqlite' ? date.toISOString() : date;
  }

  /** On the transaction that is open, if one is. */
  run<T>(work: (db: Knex) => PromiseLike<T>): Promise<T> {
    const trx = this.#calls.getStore()?.open?.trx;
    return this.noting(async () => (trx === undefined ? this.#db.run(work) : work(trx)));
  }

  /** Everything that `work` does through this store is one transaction; inside one, it becomes part of that. */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    const call = this.#calls.getStore();
    if (call?.open !== undefined) return work();
    let refused: unknown;
    const users = new Set<string>();
    const working = () =>
      work().catch((error: unknown) => {
        refused = error;
        throw error;
      });
    try {
      const done = await this.#db.transaction(async (trx) => {
        const open: OpenTransaction = { trx, changed: users };
        const result = await this.#calls.run({ init: {}, faults: [], atMs: performance.now(), ...call, open }, working);
        open.changed = undefined;
        if (users.size > 0) await this.#sessions?.tellWith(trx, users);
        return result;
      });
      this.#sessions?.committed(users);
      return done;
    } catch (error) {
      // What `work` threw it has either noted already, or it is a refusal and no fault.
      if (error !== refused) call?.faults.push(error);
      throw error;
    }
  }

  /** Notes that the transaction that is open changes the user; false where none is. */
  changes(userId: string): boolean {
    return this.#calls.getStore()?.open?.changed?.add(userId) !== undefined;
  }

  /** Within a transaction: until its end no other transaction, on any server, gets past the same lock. */
  async lock(name: string): Promise<void> {
    // A transaction on SQLite is the only one that writes from its beginning on.
    if (this.dialect === 'postgres') await this.run((db) => db(LOCKS.table).where({ name }).forUpdate().select('name'));
  }

  /** Records a change in the audit log, within the transaction that makes it. */
  async audited(
    audit: Audit | undefined,
    change: AuditedChange,
    scope: Pick<Scope, 'actor' | 'orgId' | 'requestId'>,
  ): Promise<void> {
    await this.run(async (db) => audit?.change(change, scope, db as Knex.Transaction));
  }

  /** Runs a call into the library, on the transaction that is open, if one is. `faults` are the errors that arose on the way. */
  async call<T>(work: () => Promise<T>, init: CallInit = {}): Promise<{ result: T; faults: readonly unknown[] }> {
    const open = this.#calls.getStore()?.open;
    const call: LibraryCall = { ...init, init, faults: [], atMs: performance.now(), ...(open && { open }) };
    return { result: await this.#calls.run(call, work), faults: call.faults };
  }

  /** When the call into the library began that this is part of. */
  get calledAtMs(): number {
    return this.#calls.getStore()?.atMs ?? 0;
  }

  get preparedHash(): string | undefined {
    return this.#calls.getStore()?.passwordHash;
  }

  /** Notes that the password that the call is about matches the stored hash. */
  verified(hash: string): void {
    const call = this.#calls.getStore();
    if (call !== undefined) call.init.verifiedHash = hash;
  }

  get turn(): HashTurn | undefined {
    return this.#calls.getStore()?.turn;
  }

  get newUserRole(): Role | undefined {
    return this.#calls.getStore()?.newUserRole;
  }

  /** Keeps an error for the caller of the library, which would only learn that something went wrong. */
  async noting<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      // Inside a transaction it comes from the driver as it is.
      const fault = translated(error);
      this.#calls.getStore()?.faults.push(fault);
      throw fault;
    }
  }
}
