/** A contract kit is a list of named checks: registered as tests for an author, run one by one on bad fixtures. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, it } from 'vitest';

export interface Check {
  readonly name: string;
  /** Rejects when the subject breaks this rule. */
  run(): Promise<void>;
}

/** Most checks start and stop an app, some several times. */
const CHECK_TIMEOUT_MS = 120_000;

export function registerChecks(title: string, checks: readonly Check[]): void {
  describe(title, () => {
    for (const check of checks) it(check.name, () => check.run(), CHECK_TIMEOUT_MS);
  });
}

/** Names of the checks that fail, for the tests of the kits themselves. */
export async function failingChecks(checks: readonly Check[]): Promise<string[]> {
  const failing: string[] = [];
  for (const check of checks) {
    await check.run().catch(() => failing.push(check.name));
  }
  return failing;
}

/** Freezes what a subject is given, so that a change to it throws. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value) && !ArrayBuffer.isView(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) deepFreeze(item);
  }
  return value;
}

/** Long enough for a busy machine, short enough to tell what hangs. */
export const HANG_MS = 6_000;

/** Rejects where the promise has not settled in time. */
export function within<T>(what: string, ms: number, promise: Promise<T>): Promise<T> {
  const late = new AbortController();
  const timer = sleep(ms, undefined, { signal: late.signal }).then(() => assert.fail(`${what} took over ${ms} ms`));
  return Promise.race([promise, timer]).finally(() => {
    timer.catch(() => {});
    late.abort();
  });
}
