/** Orders a hook's taps: by stage, then as the plugins start, changed only as far as `before` and `after` ask. */
import type { BootProblem } from '../errors.ts';

export interface TapOptions {
  /** `pre` runs before every `normal` tap, `post` after. Default `normal`. */
  readonly stage?: 'pre' | 'normal' | 'post';
  /** Names of plugins whose tap must come later, or sooner. Names that do not tap the hook are ignored. */
  readonly before?: readonly string[];
  readonly after?: readonly string[];
  /** Seals a gate: the tap refuses every payload that its plugin has not checked itself. */
  readonly seals?: boolean;
}

const STAGES = { pre: 0, normal: 1, post: 2 } as const;

/** Sorts `taps`, given in boot order. A contradiction is reported and leaves them as they are. */
export function sortTaps<T extends { readonly plugin: string; readonly order: TapOptions }>(
  hookId: string,
  taps: readonly T[],
  problems: BootProblem[],
): T[] {
  const stageOf = (tap: T) => STAGES[tap.order.stage ?? 'normal'];
  const staged = [...taps].sort((a, b) => stageOf(a) - stageOf(b));
  const isBefore = (a: T, b: T) => a.order.before?.includes(b.plugin) || b.order.after?.includes(a.plugin);
  const sorted: T[] = [];
  const waiting = new Set(staged);
  while (waiting.size > 0) {
    const next = waiting.values().find((tap) => !waiting.values().some((other) => isBefore(other, tap)));
    if (next === undefined) {
      const names = [...waiting].map((tap) => tap.plugin).join(', ');
      problems.push({ plugin: undefined, message: `The order of "${hookId}" contradicts itself among: ${names}.` });
      return staged;
    }
    waiting.delete(next);
    sorted.push(next);
  }
  return sorted;
}
