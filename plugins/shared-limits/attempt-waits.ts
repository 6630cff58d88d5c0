/** Decides how long a key waits after an attempt. */
import type { AttemptLimit } from './api.ts';

export const FIRST_WAIT_MS = 1_000;
/** Beyond this the wait is the longest anyway, and the number would grow past what a number holds. */
export const MOST_DOUBLINGS = 30;

/** Time until when no further attempt is let through after this one, 0 where the next may follow at once. */
export function blockedUntil(
  { free, longestWaitMs }: AttemptLimit,
  attempts: number,
  now: number,
  forgetAt: number,
): number {
  const beyond = attempts - free;
  if (beyond < 0) return 0;
  if (longestWaitMs === undefined) return forgetAt;
  return now + Math.min(FIRST_WAIT_MS * 2 ** Math.min(beyond, MOST_DOUBLINGS), longestWaitMs);
}
