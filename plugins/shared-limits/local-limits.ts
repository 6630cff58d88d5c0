/** Counts on this server alone: what limits are without a store that servers share. */
import type { SharedLimits } from './api.ts';
import { LocalAttempts } from './local-attempts.ts';
import { SlidingWindow } from './sliding-window.ts';

/** `now`: milliseconds since the epoch. Windows go by a clock that does not jump, as no step of time may lock people out. */
export function localLimits(now: () => number): SharedLimits {
  return {
    window(_name, options) {
      const windows = new SlidingWindow(options);
      return { take: (key) => windows.take(key, performance.now()) };
    },
    // Each with a memory of its own, so that a flood of one kind displaces no counts of another.
    attempts: () => new LocalAttempts(now),
  };
}
