/** Yields to the event loop during long work, so that other requests run in between. */
import { Turns } from './turns.ts';

/** Of the whole process: much long work at once would otherwise take up a turn together. */
const turns = new Turns();

/**
 * Returns a function to call and await between steps. Once `sliceMs` have passed since the last time, it waits for a turn
 * of the event loop in which no other long work goes on, and rejects if `signal` is aborted by then.
 */
export function timeSlicer(signal?: AbortSignal, sliceMs = 6): () => Promise<void> | undefined {
  let sliceStart = performance.now();
  return () => {
    if (performance.now() - sliceStart < sliceMs) return undefined;
    return turns.next().then(() => {
      signal?.throwIfAborted();
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
