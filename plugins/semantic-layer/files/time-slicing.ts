/** Yields to the event loop during long work, so that other requests run in between. */
import { setImmediate } from 'node:timers/promises';

/**
 * Returns a function to call and await between steps. It yields once `sliceMs` have passed since the last time, and
 * rejects once `signal` is aborted.
 */
export function timeSlicer(signal?: AbortSignal, sliceMs = 6): () => Promise<void> | undefined {
  let sliceStart = performance.now();
  return () => {
    if (performance.now() - sliceStart < sliceMs) return undefined;
    return setImmediate(undefined, signal && { signal }).then(() => {
      sliceStart = performance.now();
    });
  };
}

/** What the steps return, without a pause between them. */
export function atOnce<T>(steps: Generator<void, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** What the steps return; other requests run in between. */
export async function inTurns<T>(steps: Generator<void, T>): Promise<T> {
  const pause = timeSlicer();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await pause();
  }
}

/** Lets those who have waited for the same thing go on one after the other, each in a turn of the event loop of its own. */
export class OneByOne {
  #last: Promise<void> = Promise.resolve();

  async after<T>(waited: Promise<T>): Promise<T> {
    const result = await waited;
    this.#last = this.#last.then(() => setImmediate());
    await this.#last;
    return result;
  }
}

/** Keeps what is made of an object, as long as that lives. */
export class MadeOnce<K extends object, T> {
  readonly #make: (of: K) => Generator<void, T>;
  readonly #made = new WeakMap<K, T>();
  readonly #beingMade = new WeakMap<K, Promise<T>>();
  readonly #waiters = new OneByOne();

  constructor(make: (of: K) => Generator<void, T>) {
    this.#make = make;
  }

  atOnce(of: K): T {
    const known = this.#made.get(of);
    if (known !== undefined) return known;
    const made = atOnce(this.#make(of));
    this.#made.set(of, made);
    return made;
  }

  /** Concurrent callers share the work. */
  async inTurns(of: K): Promise<T> {
    const known = this.#made.get(of);
    if (known !== undefined) return known;
    const making = this.#beingMade.get(of) ?? inTurns(this.#make(of));
    this.#beingMade.set(of, making);
    const made = await this.#waiters.after(making);
    this.#made.set(of, made);
    return made;
  }
}
