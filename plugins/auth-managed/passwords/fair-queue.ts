/** Runs work a few at a time, in turns by address: many requests from one do not delay others. */
import { AtlasError } from '../../../kernel/index.ts';

export interface FairQueueInit {
  readonly atOnce: number;
  /** Limit for all keys together. */
  readonly mostWaiting: number;
}

interface Waiting {
  start(): void;
  refuse(error: unknown): void;
  readonly signal: AbortSignal | undefined;
}

function overloaded(): AtlasError {
  return new AtlasError('Too many people sign in or sign up right now.', {
    code: 'overloaded',
    hint: 'Try again in a few seconds.',
    retryAfterSeconds: 5,
  });
}

export class FairQueue {
  readonly #init: FairQueueInit;
  /** By key, in the order of their turns. */
  readonly #waiting = new Map<string, Waiting[]>();
  #running = 0;
  #count = 0;

  constructor(init: FairQueueInit) {
    this.#init = init;
  }

  /** Throws `overloaded` where there is no place; work whose `signal` aborts while it waits is not begun. */
  async run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#running < this.#init.atOnce) this.#running += 1;
    else await this.#turnOf(key, signal);
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  #turnOf(key: string, signal: AbortSignal | undefined): Promise<void> {
    const own = this.#waiting.get(key) ?? [];
    if (this.#count >= this.#init.mostWaiting) this.#makeRoom(own.length);
    return new Promise((start, refuse) => {
      own.push({ start, refuse, signal });
      this.#waiting.set(key, own);
      this.#count += 1;
    });
  }

  /** The address with the most waiting gives a place to one with less. Throws `overloaded` where none has more. */
  #makeRoom(own: number): void {
    const longest = [...this.#waiting.values()].reduce((a, b) => (b.length > a.length ? b : a));
    if (longest.length <= own + 1) throw overloaded();
    longest.pop()?.refuse(overloaded());
    this.#count -= 1;
  }

  /** The place goes to the next in turn without becoming free in between. */
  #next(): void {
    for (const [key, own] of this.#waiting) {
      const next = own.shift() as Waiting;
      this.#count -= 1;
      this.#waiting.delete(key);
      if (own.length > 0) this.#waiting.set(key, own);
      if (next.signal?.aborted !== true) {
        next.start();
        return;
      }
      next.refuse(next.signal.reason);
    }
    this.#running -= 1;
  }
}
