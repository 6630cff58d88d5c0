import { setImmediate } from 'node:timers/promises';

/**
 * Cuts long work into slices, so that other requests run in between: call and await the returned function between steps.
 * It gives the event loop a turn once `sliceMs` have passed since the last turn, and rejects once `signal` is aborted.
 */
export function pacer(signal?: AbortSignal, sliceMs = 6): () => Promise<void> | undefined {
  let sliceStart = performance.now();
  return () => {
    if (performance.now() - sliceStart < sliceMs) return undefined;
    return setImmediate(undefined, signal && { signal }).then(() => {
      sliceStart = performance.now();
    });
  };
}
