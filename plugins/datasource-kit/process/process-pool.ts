/**
 * The processes of one connection and the statements that wait for them, first come first served. The first process
 * starts with the first statement and stays; more are started when statements wait, and end when they have idled.
 */

import type { Awaitable } from '../../../kernel/index.ts';
import { cancelled, closing, timedOut, tooBusy } from '../errors.ts';
import { WaitingQueue } from '../waiting-queue.ts';
import { type Arrived, DatabaseProcess, type Program, type Reply } from './database-process.ts';
import type { ProcessWatcher } from './process-watcher.ts';

/** Another process is started when every running statement has taken this long and more are waiting. */
const GROW_AFTER_MS = 200;
/** A cancelled statement may finish by itself in this time, which saves a new process. */
const CANCEL_GRACE_MS = 100;
/** How often the memory of processes is looked at while a statement runs for longer than that. */
const LOOK_EVERY_MS = 25;
/** A process that was asked to stop by itself may take this long. */
const INTERRUPT_GRACE_MS = 500;
const MIB = 1024 * 1024;

export interface ProcessPoolOptions {
  readonly connection: string;
  readonly program: Program;
  readonly maxProcesses: number;
  readonly queueLimit: number;
  readonly acquireTimeoutMs: number;
  readonly idleTimeoutMs: number;
}

/** What a process is asked. */
export interface ProcessCall {
  /** Made when a process is free. */
  request(): Awaitable<object>;
  readonly arrived?: Arrived;
}

/** One call on its way: waiting, then running, settled once. */
class Job {
  readonly call: ProcessCall;
  readonly timeoutMs: number;
  readonly queuedAt = performance.now();
  readonly promise: Promise<Reply>;
  process: DatabaseProcess | undefined;
  startedAt = 0;
  settled = false;
  timer: NodeJS.Timeout | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort: () => void;
  #resolve!: (reply: Reply) => void;
  #reject!: (error: unknown) => void;

  constructor(call: ProcessCall, timeoutMs: number, signal: AbortSignal | undefined, onAbort: (job: Job) => void) {
    this.call = call;
    this.timeoutMs = timeoutMs;
    this.#signal = signal;
    this.#onAbort = () => onAbort(this);
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  get abortReason(): unknown {
    return this.#signal?.reason;
  }

  resolve(reply: Reply): void {
    if (this.#settle()) this.#resolve(reply);
  }

  reject(error: unknown): void {
    if (this.#settle()) this.#reject(error);
  }

  #settle(): boolean {
    if (this.settled) return false;
    this.settled = true;
    clearTimeout(this.timer);
    this.#signal?.removeEventListener('abort', this.#onAbort);
    return true;
  }
}

export class ProcessPool {
  readonly #options: ProcessPoolOptions;
  readonly #watcher: ProcessWatcher;
  readonly #processes = new Set<DatabaseProcess>();
  /** Used from the end, so that the surplus stays idle at the front. */
  readonly #idle: { readonly process: DatabaseProcess; readonly since: number }[] = [];
  readonly #running = new Set<Job>();
  readonly #queue: WaitingQueue<Job>;
  #starting = 0;
  #growing: NodeJS.Timeout | undefined;
  #shrinking: NodeJS.Timeout | undefined;
  #looking: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: ProcessPoolOptions, watcher: ProcessWatcher) {
    this.#options = options;
    this.#queue = new WaitingQueue(options);
    this.#watcher = watcher;
  }

  get hasIdle(): boolean {
    return this.#idle.length > 0;
  }

  /**
   * Makes one call. `timeoutMs` counts from now, waiting included. Rejects with `sql_timeout`, `sql_cancelled` or
   * the signal's own reason, `overloaded` when too many wait, and when the process fails.
   */
  async run(call: ProcessCall, timeoutMs: number, signal?: AbortSignal): Promise<Reply> {
    if (this.#closed) throw closing(this.#options.connection);
    if (signal?.aborted) throw cancelled(signal.reason);
    if (!this.hasIdle) this.#queue.checkRoom(this.#free);
    const job = new Job(call, timeoutMs, signal, (aborted) => this.#abort(aborted));
    this.#queue.add(job);
    this.#pump();
    if (job.process === undefined) this.#limitWait(job);
    return job.promise;
  }

  /** Stops what runs, refuses what waits, and resolves when every process has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#growing);
    clearTimeout(this.#shrinking);
    clearTimeout(this.#looking);
    const refusal = closing(this.#options.connection);
    for (const job of this.#queue.removeAll()) job.reject(refusal);
    for (const job of this.#running) {
      job.reject(refusal);
      job.process?.kill();
    }
    this.#idle.length = 0;
    await Promise.all([...this.#processes].map((process) => process.end()));
  }

  /** Places that waiting statements will have without anybody finishing. */
  get #free(): number {
    return this.#options.maxProcesses - this.#processes.size + this.#starting;
  }

  #pump(): void {
    while (this.#queue.size > 0) {
      const idle = this.#idle.pop();
      if (idle === undefined) break;
      const job = this.#queue.take();
      if (job !== undefined) void this.#dispatch(job, idle.process);
    }
    if (this.#queue.size === 0 || this.#closed) return;
    if (this.#processes.size === 0) this.#start();
    else if (this.#processes.size < this.#options.maxProcesses) {
      this.#growing ??= setTimeout(() => this.#grow(), GROW_AFTER_MS);
    }
  }

  /** Many short statements share one process; only long ones are worth the memory of another. */
  #grow(): void {
    this.#growing = undefined;
    if (this.#queue.size === 0 || this.#closed) return;
    const now = performance.now();
    const allLong = [...this.#running].every(({ startedAt }) => now - startedAt >= GROW_AFTER_MS);
    if (allLong && this.#starting === 0 && this.#processes.size < this.#options.maxProcesses) this.#start();
    this.#pump();
  }

  #start(): void {
    let process: DatabaseProcess;
    try {
      process = new DatabaseProcess(this.#options.program, this.#watcher);
    } catch (cause) {
      // Without memory left the system refuses at once.
      this.#notStarted(cause);
      return;
    }
    this.#processes.add(process);
    this.#starting += 1;
    process.ready.then(
      () => {
        this.#starting -= 1;
        this.#release(process);
      },
      (cause) => {
        this.#starting -= 1;
        this.#processes.delete(process);
        this.#notStarted(cause);
      },
    );
    void process.exited.then(() => {
      this.#processes.delete(process);
      const at = this.#idle.findIndex((entry) => entry.process === process);
      if (at !== -1) this.#idle.splice(at, 1);
      this.#pump();
    });
  }

  /** Rejects what waits when no process is left to serve it: trying again would fail again. */
  #notStarted(cause: unknown): void {
    if (this.#processes.size > 0) return;
    for (const job of this.#queue.removeAll()) job.reject(this.#options.program.errors.notStarted(cause));
  }

  async #dispatch(job: Job, process: DatabaseProcess): Promise<void> {
    const request = await this.#requestOf(job);
    if (request === undefined) {
      this.#release(process);
      return;
    }
    job.process = process;
    clearTimeout(job.timer);
    job.startedAt = performance.now();
    const leftMs = Math.max(1, job.timeoutMs - (job.startedAt - job.queuedAt));
    job.timer = setTimeout(() => {
      job.reject(timedOut(job.timeoutMs));
      this.#stop(job, process, 0);
    }, leftMs);
    this.#running.add(job);
    this.#lookLater();
    process.hold(true);
    try {
      const reply = await process.request(request, job.call.arrived ?? (() => true));
      job.resolve(reply);
      if (reply.retire) void process.end();
      else this.#release(process);
    } catch (error) {
      job.reject(error);
    } finally {
      this.#running.delete(job);
    }
  }

  #lookLater(): void {
    if (this.#options.program.sharedMemoryMib === undefined || this.#running.size === 0 || this.#closed) return;
    this.#looking ??= setTimeout(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  /** Ends the largest process, and with it what it runs, while all together have more memory than they may. */
  #look(): void {
    this.#looking = undefined;
    const { sharedMemoryMib = 0, errors } = this.#options.program;
    const now = performance.now();
    if ([...this.#running].some(({ startedAt }) => now - startedAt >= LOOK_EVERY_MS)) {
      const sizes = new Map([...this.#processes].map((process) => [process, process.privateBytes]));
      const sizeOf = (process: DatabaseProcess | undefined) => (process && sizes.get(process)) ?? 0;
      let surplus = [...sizes.values()].reduce((sum, size) => sum + size, 0) - sharedMemoryMib * MIB;
      while (surplus > 0 && this.#idle.length > 0) {
        const process = this.#idle.shift()?.process;
        surplus -= sizeOf(process);
        void process?.end();
      }
      for (const job of [...this.#running].sort((a, b) => sizeOf(b.process) - sizeOf(a.process))) {
        if (surplus <= 0) break;
        surplus -= sizeOf(job.process);
        job.reject(errors.outOfMemory());
        job.process?.kill();
      }
    }
    this.#lookLater();
  }

  /** `undefined`: the call has been given up, or its request could not be made. */
  async #requestOf(job: Job): Promise<object | undefined> {
    try {
      const request = await job.call.request();
      return job.settled ? undefined : request;
    } catch (error) {
      job.reject(error);
      return undefined;
    }
  }

  #release(process: DatabaseProcess): void {
    if (this.#closed) return;
    process.hold(false);
    this.#idle.push({ process, since: performance.now() });
    this.#pump();
    this.#shrinkLater();
  }

  #shrinkLater(): void {
    if (this.#processes.size <= 1) return;
    this.#shrinking ??= setTimeout(() => this.#shrink(), this.#options.idleTimeoutMs).unref();
  }

  #shrink(): void {
    this.#shrinking = undefined;
    const now = performance.now();
    for (let surplus = this.#processes.size - 1; surplus > 0; surplus -= 1) {
      const oldest = this.#idle[0];
      if (oldest === undefined || now - oldest.since < this.#options.idleTimeoutMs) break;
      this.#idle.shift();
      void oldest.process.end();
    }
    this.#shrinkLater();
  }

  #limitWait(job: Job): void {
    const { acquireTimeoutMs, connection } = this.#options;
    const ownTimeout = job.timeoutMs <= acquireTimeoutMs;
    job.timer = setTimeout(
      () => {
        this.#queue.remove(job);
        job.reject(ownTimeout ? timedOut(job.timeoutMs) : tooBusy(connection));
      },
      ownTimeout ? job.timeoutMs : acquireTimeoutMs,
    );
  }

  #abort(job: Job): void {
    const { process } = job;
    job.reject(cancelled(job.abortReason));
    if (process === undefined) this.#queue.remove(job);
    else this.#stop(job, process, CANCEL_GRACE_MS);
  }

  /** Ends what a job runs, in its process or together with it. */
  #stop(job: Job, process: DatabaseProcess, graceMs: number): void {
    const { isInterruptible } = this.#options.program;
    if (isInterruptible) process.interrupt();
    const waitMs = isInterruptible ? INTERRUPT_GRACE_MS : graceMs;
    if (waitMs === 0) process.kill();
    else setTimeout(() => this.#running.has(job) && process.kill(), waitMs);
  }
}
