/** Declares the service of the `health` plugin. */
import type { Collected, HealthItem, Scope } from '../../kernel/index.ts';

export interface Health {
  /** What every plugin's check said last; waits a moment for newer ones. */
  items(): Promise<readonly Collected<HealthItem>[]>;
  /** Runs the check of one plugin, at most for the deadline of the hook; one that fails is an item. `undefined`: it has none. */
  check(plugin: string, scope: Scope): Promise<readonly HealthItem[] | undefined>;
}
