/** Runs the moments of a plugin's life, each with a time limit, and keeps track of running work. */
import { AtlasError } from './errors.ts';
import { blame } from './hooks/dispatch.ts';
import type { Awaitable } from './hooks/kinds.ts';
import { withTimeout } from './with-timeout.ts';

export type Moment = 'setup' | 'onReady' | 'onDrain' | 'onClose';

export interface LifecycleStep<T = void> {
  readonly plugin: string;
  readonly timeoutMs: number;
  run(): Awaitable<T>;
}

/** Runs one step; rejects with an error that names plugin and moment when it throws or is late. */
export async function runStep<T>(moment: Moment, { plugin, timeoutMs, run }: LifecycleStep<T>): Promise<T> {
  const work = (async () => run())();
  try {
    return await withTimeout(work, timeoutMs, () => {
      throw new AtlasError(`Plugin "${plugin}" did not finish ${moment} within ${timeoutMs} ms.`, {
        reason: 'E_LIFECYCLE_TIMEOUT',
        hint: 'Look at what it waits for: a server that does not answer, or a promise that never settles.',
      });
    });
  } catch (error) {
    throw blame(error, plugin, moment, moment);
  }
}

/** Work that a graceful close waits for. */
export class InFlight {
  readonly #work = new Map<Promise<unknown>, string>();

  track<T>(label: string, work: Promise<T>): Promise<T> {
    this.#work.set(work, label);
    const done = () => this.#work.delete(work);
    work.then(done, done);
    return work;
  }

  /** Waits until nothing runs or the time is over; returns the labels of what still runs. */
  async settle(timeoutMs: number): Promise<string[]> {
    const idle = async () => {
      while (this.#work.size > 0) await Promise.allSettled(this.#work.keys());
    };
    await withTimeout(idle(), timeoutMs, () => {});
    return [...this.#work.values()];
  }
}
