/** Measures how long work keeps the event loop to itself. */

/**
 * Milliseconds of the longest stretch without a turn of the event loop. The processor's time counts where it is less
 * than the clock's: another process may have had the processor meanwhile. What the work throws is no matter.
 */
export async function blockingTime(work: () => unknown): Promise<number> {
  let longest = 0;
  let last = now();
  const turn = () => {
    const next = now();
    longest = Math.max(longest, Math.min(next.clock - last.clock, next.processor - last.processor));
    last = next;
  };
  let turns: NodeJS.Immediate | undefined;
  const watch = () => {
    turn();
    turns = setImmediate(watch);
  };
  turns = setImmediate(watch);
  try {
    await work();
  } catch {
    // A refusal is an answer.
  }
  turn();
  clearImmediate(turns);
  return longest;
}

function now(): { readonly clock: number; readonly processor: number } {
  const { user, system } = process.cpuUsage();
  return { clock: performance.now(), processor: (user + system) / 1000 };
}
