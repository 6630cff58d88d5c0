/** The sessions of one connection and those who wait for one, first come first served. */
import { withTimeout } from '../../../kernel/index.ts';
import { cancelled, closing, timedOut, tooBusy } from '../errors.ts';
import { WaitingQueue } from '../waiting-queue.ts';
import type { Driver, Session } from './session.ts';

/** Longest time to end a statement on the server and to undo what a session kept. */
const RESET_TIMEOUT_MS = 5_000;
/** A session that is being reset is worth this much waiting before another one is opened. */
const USUAL_RESET_MS = 50;

export interface PoolOptions {
  /** Id of the connection, for messages. */
  readonly connection: string;
  readonly maxConnections: number;
  readonly queueLimit: number;
  readonly acquireTimeoutMs: number;
  readonly idleTimeoutMs: number;
}

interface Waiting {
  resolve(session: Session): void;
  reject(error: unknown): void;
}

interface Idle {
  readonly session: Session;
  readonly since: number;
}

export class SessionPool {
  readonly #options: PoolOptions;
  readonly #open: Driver['open'];
  /** Every session there is, idle, used or being reset. */
  readonly #sessions = new Set<Session>();
  /** Used from the end, so that the surplus stays idle at the front. */
  #idle: Idle[] = [];
  readonly #queue: WaitingQueue<Waiting>;
  #opening = 0;
  /** Sessions that will soon be free. */
  #resetting = 0;
  readonly #emptied = Promise.withResolvers<void>();
  #sweeping: NodeJS.Timeout | undefined;
  readonly #closing = new AbortController();

  constructor(options: PoolOptions, open: Driver['open']) {
    this.#options = options;
    this.#queue = new WaitingQueue(options);
    this.#open = open;
  }

  /**
   * A session of one's own until `release`. Rejects with `overloaded` when too many wait or the wait is too long,
   * `sql_timeout` after `timeoutMs`, the reason of `signal`, or why no session could be opened.
   */
  async acquire(timeoutMs: number, signal?: AbortSignal): Promise<Session> {
    if (this.#closed) throw closing(this.#options.connection);
    if (signal?.aborted) throw cancelled(signal.reason);
    const idle = this.takeIdle();
    if (idle !== undefined) return idle;
    this.#queue.checkRoom(this.#free + this.#opening);
    return this.#wait(timeoutMs, signal);
  }

  /** An unused session, if there is one; not when others wait for it. */
  takeIdle(): Session | undefined {
    return this.#queue.size === 0 ? this.#idle.pop()?.session : undefined;
  }

  /** Resets the session in the background and gives it to the next. */
  release(session: Session): void {
    void this.#reset(session);
  }

  /** Refuses those who wait and resolves when every session has ended; the used ones are for their users to release. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#sweeping);
    const refusal = closing(this.#options.connection);
    for (const waiting of this.#queue.removeAll()) waiting.reject(refusal);
    for (const { session } of this.#idle.splice(0)) this.#discard(session);
    this.#checkEmpty();
    await this.#emptied.promise;
  }

  get #closed(): boolean {
    return this.#closing.signal.aborted;
  }

  #checkEmpty(): void {
    if (this.#closed && this.#sessions.size + this.#opening === 0) this.#emptied.resolve();
  }

  /** Sessions that may still be opened. */
  get #free(): number {
    return this.#options.maxConnections - this.#sessions.size - this.#opening;
  }

  #wait(timeoutMs: number, signal: AbortSignal | undefined): Promise<Session> {
    const { connection, acquireTimeoutMs } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<Session>();
    const waiting: Waiting = { resolve, reject };
    const leave = (error: unknown) => {
      this.#queue.remove(waiting);
      reject(error);
    };
    const onAbort = () => leave(cancelled(signal?.reason));
    const tooLate = timeoutMs <= acquireTimeoutMs ? timedOut(timeoutMs) : tooBusy(connection);
    const timer = setTimeout(() => leave(tooLate), Math.min(timeoutMs, acquireTimeoutMs));
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#queue.add(waiting);
    this.#serve();
    return promise.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    });
  }

  #serve(): void {
    while (this.#queue.size > 0) {
      const idle = this.#idle.pop();
      if (idle === undefined) break;
      this.#queue.take()?.resolve(idle.session);
    }
    while (this.#opening + this.#resetting < this.#queue.size && this.#free > 0 && !this.#closed) void this.#grow();
  }

  async #grow(): Promise<void> {
    this.#opening += 1;
    let session: Session | undefined;
    let ended = false;
    try {
      session = await this.#open(() => {
        ended = true;
        if (session !== undefined) this.#discard(session);
      }, this.#closing.signal);
    } catch (error) {
      // The longest waiting caller is told; the next one tries again.
      this.#queue.take()?.reject(error);
    } finally {
      this.#opening -= 1;
    }
    if (session !== undefined) {
      this.#sessions.add(session);
      if (ended || this.#closed) this.#discard(session);
      else this.#putBack(session);
    }
    this.#checkEmpty();
    this.#serve();
  }

  async #reset(session: Session): Promise<void> {
    let counted = 1;
    this.#resetting += counted;
    const uncount = () => {
      this.#resetting -= counted;
      counted = 0;
    };
    const unusual = setTimeout(() => {
      uncount();
      this.#serve();
    }, USUAL_RESET_MS);
    const reset = session.reset().catch(() => false);
    const clean = await withTimeout(reset, RESET_TIMEOUT_MS, () => false);
    clearTimeout(unusual);
    uncount();
    if (clean && session.usable && !this.#closed) this.#putBack(session);
    else this.#discard(session);
  }

  #putBack(session: Session): void {
    this.#idle.push({ session, since: performance.now() });
    this.#serve();
    this.#sweepLater();
  }

  #discard(session: Session): void {
    this.#sessions.delete(session);
    this.#idle = this.#idle.filter((idle) => idle.session !== session);
    session.destroy();
    this.#checkEmpty();
    this.#serve();
  }

  #sweepLater(): void {
    if (this.#idle.length === 0 || this.#closed) return;
    this.#sweeping ??= setTimeout(() => this.#sweep(), this.#options.idleTimeoutMs).unref();
  }

  #sweep(): void {
    this.#sweeping = undefined;
    const oldest = performance.now() - this.#options.idleTimeoutMs;
    for (const { session } of this.#idle.filter(({ since }) => since <= oldest)) this.#discard(session);
    this.#sweepLater();
  }
}
