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
