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
