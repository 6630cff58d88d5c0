/** Looks for changes of all servers once a second, and publishes those of this one. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Knex } from 'knex';
import { type Logger, messageOf } from '../../kernel/index.ts';
import type { ChangeHandler, Changes } from './api.ts';
import { type Change, type ChangeStore, KEPT_MS, MOST_READ } from './store.ts';

/** Age of the last look beyond which changes may be unknown. */
const CURRENT_MS = 2_000;
/** Changes that are told at once, or wait for a database that does not answer; beyond them only their topics are told. */
const MOST_WAITING = 1_000;
const PURGE_EVERY_MS = 60_000;

export class ChangeFeed implements Changes {
  readonly #store: ChangeStore;
  readonly #log: Logger;
  readonly #pollMs: number;
  /** Leaves the transaction that a caller may be in. */
  readonly #outside = AsyncLocalStorage.snapshot();
  readonly #handlers = new Map<string, ChangeHandler[]>();
  #waiting: Change[] = [];
  #sending: Promise<void> | undefined;
  #lastId = 0;
  /** Start of the last look that succeeded, by `performance.now()`. */
  #knownUntil = Number.NEGATIVE_INFINITY;
  #purgedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #isFailing = false;

  constructor(store: ChangeStore, log: Logger, pollMs: number) {
    this.#store = store;
    this.#log = log;
    this.#pollMs = pollMs;
  }

  subscribe(topic: string, handler: ChangeHandler): void {
    this.#handlers.set(topic, [...(this.#handlers.get(topic) ?? []), handler]);
  }

  isCurrent(): boolean {
    return performance.now() - this.#knownUntil <= CURRENT_MS;
  }

  publish(topic: string, subject?: string): void {
    this.#waiting = bounded([...this.#waiting, { topic, subject: subject ?? null }]);
    void this.#outside(() => this.flush());
  }

  async publishWith(trx: Knex.Transaction, topic: string, subjects: readonly string[]): Promise<void> {
    await this.#store.add(bounded(subjects.map((subject) => ({ topic, subject }))), trx);
  }

  /** Never rejects. What could not be sent is sent with the next look. */
  flush(): Promise<void> {
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  /** Begins to look, where anybody listens. The first look tells of all changes that are stored. */
  async start(): Promise<void> {
    if (this.#handlers.size > 0) await this.#look();
  }

  stop(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #send(): Promise<void> {
    // With what else is published at this moment.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const sent = this.#waiting;
      this.#waiting = [];
      try {
        await this.#store.add(sent);
      } catch (error) {
        this.#waiting = [...sent, ...this.#waiting];
        this.#failed(error);
        return;
      }
    }
    await this.#purge();
  }

  async #purge(): Promise<void> {
    const now = performance.now();
    if (now - this.#purgedAt < PURGE_EVERY_MS) return;
    this.#purgedAt = now;
    await this.#store.purge().catch((error) => this.#failed(error));
  }

  async #look(): Promise<void> {
    const startedAt = performance.now();
    try {
      if (this.#waiting.length > 0) await this.flush();
      let found: Awaited<ReturnType<ChangeStore['after']>>;
      do {
        found = await this.#store.after(this.#lastId);
        this.#lastId = found.at(-1)?.id ?? this.#lastId;
        for (const { topic, subject, id } of found) this.#tell(topic, subject ?? undefined, id);
      } while (found.length === MOST_READ);
      const isGap = Number.isFinite(this.#knownUntil) && startedAt - this.#knownUntil > KEPT_MS;
      if (isGap) for (const topic of this.#handlers.keys()) this.#tell(topic, undefined, undefined);
      this.#knownUntil = startedAt;
      if (this.#isFailing) this.#log.info({}, 'Changes of other servers are learned of again.');
      this.#isFailing = false;
    } catch (error) {
      this.#failed(error);
    }
    if (this.#isClosed) return;
    const restMs = Math.max(0, this.#pollMs - (performance.now() - startedAt));
    this.#timer = setTimeout(() => void this.#look(), restMs).unref();
  }

  #tell(topic: string, ...change: Parameters<ChangeHandler>): void {
    for (const handler of this.#handlers.get(topic) ?? []) {
      try {
        handler(...change);
      } catch (error) {
        this.#log.error({ topic, error: messageOf(error) }, 'A change was not taken over.');
      }
    }
  }

  #failed(error: unknown): void {
    if (this.#isFailing || this.#isClosed) return;
    this.#isFailing = true;
    this.#log.warn({ error: messageOf(error) }, 'Changes cannot be exchanged with other servers.');
  }
}

function bounded(changes: Change[]): Change[] {
  if (changes.length <= MOST_WAITING) return changes;
  return [...new Set(changes.map(({ topic }) => topic))].map((topic) => ({ topic, subject: null }));
}
