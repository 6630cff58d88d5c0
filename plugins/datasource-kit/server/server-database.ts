/** Answers for one database behind a server, over any driver. */
import {
  AtlasError,
  type Awaitable,
  type ConnectionInfo,
  type DescribeRequest,
  type HealthItem,
  type SqlResult,
  type SqlStatement,
  type TableDescription,
  withTimeout,
} from '../../../kernel/index.ts';
import { cancelled, closing, noAnswer, timedOut, unchecked } from '../errors.ts';
import type { EstimateRequest } from '../estimate-request.ts';
import { HEALTH_TIMEOUT_MS, healthOf } from '../health.ts';
import { DEFAULT_LIMITS, ESTIMATE_TIMEOUT_MS } from '../limits.ts';
import { CountedSink, exceedsSink, type RowSink } from '../row-sink.ts';
import { type ResultMemory, withObjects } from '../values.ts';
import type { ViewDefinition } from '../view-definition.ts';
import type { Driver, Session } from './session.ts';
import { type PoolOptions, SessionPool } from './session-pool.ts';

const CATALOG_TIMEOUT_MS = 60_000;
/** The server's own timeout comes first; this one is for a server that does not keep it. */
const BACKSTOP_MS = 500;
/** For health, which anybody may read: the log has the names and the commands. */
const BEYOND_READING = 'The login may do more than read; the log of the start names what, and the commands to use.';

export class ServerDatabase {
  readonly info: ConnectionInfo;
  readonly runsAsUser: boolean;
  readonly #driver: Driver;
  readonly #pool: SessionPool;
  /** Rejects what is running, by running work. */
  readonly #running = new Set<(error: AtlasError) => void>();
  /** When it was last asked, the login could do more than read. */
  #isBeyondReading = false;

  /** Nothing is opened yet. */
  constructor(driver: Driver, options: Omit<PoolOptions, 'connection'>) {
    this.info = driver.info;
    this.runsAsUser = driver.runsAsUser ?? false;
    this.#driver = driver;
    this.#pool = new SessionPool({ ...options, connection: driver.info.id }, (...given) => driver.open(...given));
  }

  /**
   * Runs one checked statement. An abort of `signal` rejects at once; the server is then told to stop. `memory` is asked
   * when the statement has got its session. `user`: the label of the person who asks. A `sink` takes the rows while they
   * are read.
   */
  async execute(
    statement: SqlStatement,
    signal?: AbortSignal,
    memory?: () => Awaitable<ResultMemory | undefined>,
    user?: string,
    sink?: RowSink,
  ): Promise<SqlResult> {
    if (statement.tables === undefined) throw unchecked();
    if (sink !== undefined) {
      const limits = statement.limits ?? sink.limits;
      const counted = new CountedSink(sink);
      const whole = { ...limits, sink: counted, fail: exceedsSink };
      const run = (session: Session, timeoutMs: number) => session.run(statement, { ...whole, timeoutMs }, user);
      return counted.result(await this.#use(limits.timeoutMs, signal, run));
    }
    const limits = statement.limits ?? DEFAULT_LIMITS;
    const result = await this.#use(limits.timeoutMs, signal, async (session, leftMs) => {
      const room = await memory?.();
      const own = { ...limits, timeoutMs: leftMs, ...(room !== undefined && { memory: room }) };
      return session.run(statement, own, user);
    });
    return withObjects(result);
  }

  describe(signal?: AbortSignal, request: DescribeRequest = { schemas: [] }): Promise<readonly TableDescription[]> {
    return this.#use(CATALOG_TIMEOUT_MS, signal, (session, leftMs) => session.describe(leftMs, request));
  }

  /** `undefined`: the server cannot tell. */
  async estimate({ statement }: EstimateRequest, signal?: AbortSignal, user?: string): Promise<number | undefined> {
    if (statement.tables === undefined) throw unchecked();
    return this.#use(ESTIMATE_TIMEOUT_MS, signal, async (session, leftMs) =>
      session.estimate?.(statement, leftMs, user),
    );
  }

  /** `undefined`: the server does not tell. */
  views(signal?: AbortSignal): Promise<readonly ViewDefinition[] | undefined> {
    return this.#use(CATALOG_TIMEOUT_MS, signal, async (session, leftMs) => session.views?.(leftMs));
  }

  /** What the login may do beyond reading, one sentence each. Rejects when the server cannot be asked. */
  async warnings(signal?: AbortSignal): Promise<readonly string[]> {
    const found = await this.#use(CATALOG_TIMEOUT_MS, signal, (session, leftMs) => session.warnings(leftMs));
    this.#isBeyondReading = found.length > 0;
    return found.map((warning) => `Connection "${this.info.id}": ${warning}`);
  }

  health(): Promise<HealthItem> {
    return healthOf(this.info, () => this.check(), this.#isBeyondReading ? BEYOND_READING : undefined);
  }

  async close(): Promise<void> {
    for (const reject of this.#running) reject(closing(this.info.id));
    await this.#pool.close();
  }

  async #use<T>(
    timeoutMs: number,
    signal: AbortSignal | undefined,
    work: (session: Session, leftMs: number) => Promise<T>,
  ): Promise<T> {
    const startedAt = performance.now();
    const session = await this.#pool.acquire(timeoutMs, signal);
    const leftMs = Math.max(1, Math.ceil(timeoutMs - (performance.now() - startedAt)));
    const stopped = Promise.withResolvers<never>();
    const onAbort = () => stopped.reject(cancelled(signal?.reason));
    const timer = setTimeout(() => stopped.reject(timedOut(timeoutMs)), leftMs + BACKSTOP_MS);
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#running.add(stopped.reject);
    try {
      // It may have been aborted in the moment in which it got its session.
      signal?.throwIfAborted();
      return await Promise.race([work(session, leftMs), stopped.promise]);
    } catch (error) {
      if (signal?.aborted) throw cancelled(signal.reason);
      // The time that was given, not what was left of it.
      throw error instanceof AtlasError && error.code === 'sql_timeout' ? timedOut(timeoutMs) : error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      this.#running.delete(stopped.reject);
      this.#pool.release(session);
    }
  }

  /**
   * Rejects when the database does not answer. Never waits behind statements: when every session is used, one is opened
   * for this alone.
   */
  async check(): Promise<void> {
    const giveUp = new AbortController();
    const idle = this.#pool.takeIdle();
    const opening = idle === undefined ? this.#driver.open(() => {}, giveUp.signal) : Promise.resolve(idle);
    const ping = opening.then((session) => session.ping());
    try {
      await withTimeout(ping, HEALTH_TIMEOUT_MS, () => {
        giveUp.abort();
        throw noAnswer();
      });
    } finally {
      if (idle !== undefined) this.#pool.release(idle);
      // What was opened for this alone goes, even when it comes late.
      else opening.then((session) => session.destroy()).catch(() => {});
    }
  }
}
