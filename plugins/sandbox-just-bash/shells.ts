/** Runs each command in a thread of its own, which ends with the command: nothing stays for the next one. */
import { Worker } from 'node:worker_threads';
import { AtlasError } from '../../kernel/index.ts';
import { moduleBeside } from '../datasource-kit/index.ts';
import type { ExploreRequest } from '../semantic-layer/index.ts';

export interface ShellsOptions {
  readonly maxThreads: number;
  readonly memoryMb: number;
}

const THREAD = moduleBeside('thread', import.meta.url);
/** Questions wait as well, so that there are never many. */
const MAX_WAITING = 100;

export class Shells {
  readonly #options: ShellsOptions;
  readonly #running = new Set<Worker>();
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(options: ShellsOptions) {
    this.#options = options;
  }

  /** Resolves to what the command prints. Rejects with the reason of `signal` once that aborts. */
  async run(request: ExploreRequest, signal: AbortSignal): Promise<string> {
    await this.#acquire(signal);
    try {
      return await this.#inThread(request, signal);
    } finally {
      this.#taken -= 1;
      this.#waiting.shift()?.();
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running].map((worker) => worker.terminate()));
  }

  async #acquire(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#taken >= this.#options.maxThreads) {
      if (this.#waiting.length >= MAX_WAITING) {
        throw new AtlasError('Too many commands wait for the sandbox.', { code: 'overloaded', retryAfterSeconds: 5 });
      }
      const turn = Promise.withResolvers<void>();
      const leave = () => {
        const at = this.#waiting.indexOf(turn.resolve);
        if (at < 0) return;
        this.#waiting.splice(at, 1);
        turn.reject(signal.reason);
      };
      this.#waiting.push(turn.resolve);
      signal.addEventListener('abort', leave, { once: true });
      await turn.promise.finally(() => signal.removeEventListener('abort', leave));
    }
    this.#taken += 1;
  }

  async #inThread(request: ExploreRequest, signal: AbortSignal): Promise<string> {
    const worker = new Worker(THREAD, {
      workerData: request,
      // Nothing of the server's own: no variable, no flag, no stream.
      env: {},
      execArgv: [],
      stdin: false,
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: this.#options.memoryMb, maxYoungGenerationSizeMb: 8 },
    });
    this.#running.add(worker);
    const ended = Promise.withResolvers<string>();
    worker.once('message', ended.resolve);
    worker.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') ended.reject(error);
      else ended.resolve('The command was stopped: it takes too much memory. Ask for less.');
    });
    worker.once('exit', () => ended.resolve('The command was stopped.'));
    const stop = () => ended.reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      return await ended.promise;
    } finally {
      signal.removeEventListener('abort', stop);
      await worker.terminate();
      this.#running.delete(worker);
    }
  }
}
