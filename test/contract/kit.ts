/** A contract kit is a list of named checks: registered as tests for an author, run one by one on bad fixtures. */
import { describe, it } from 'vitest';

export interface Check {
  readonly name: string;
  /** Rejects when the subject breaks this rule. */
  run(): Promise<void>;
}

/** `timeoutMs`: for each check; default the runner's. */
export function registerChecks(title: string, checks: readonly Check[], timeoutMs?: number): void {
  describe(title, () => {
    for (const check of checks) it(check.name, () => check.run(), timeoutMs);
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
