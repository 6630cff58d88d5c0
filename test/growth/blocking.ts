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

/** Nothing that is accepted may hold up the event loop for longer, where fixed work takes `FIXED_WORK_MS`. */
const MAX_BLOCKING_MS = 50;
const FIXED_WORK_MS = 3;
/** What the measurement itself adds on a busy machine. */
const NOISE = 1.5;
const FIXED_WORK = JSON.stringify(Array.from({ length: 20_000 }, (_, id) => ({ id, name: 'x'.repeat(20) })));

/** The limit for this machine as busy as it is now, in milliseconds. */
export function maxBlockingMs(): number {
  let fixedWorkMs = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const startedAt = performance.now();
    JSON.parse(FIXED_WORK);
    fixedWorkMs = Math.min(fixedWorkMs, performance.now() - startedAt);
  }
  return MAX_BLOCKING_MS * NOISE * Math.max(1, fixedWorkMs / FIXED_WORK_MS);
}

function now(): { readonly clock: number; readonly processor: number } {
  const { user, system } = process.cpuUsage();
  return { clock: performance.now(), processor: (user + system) / 1000 };
}
