/** The order of a hook's taps: stage, then the plugins' boot order, bent only as far as `before` and `after` ask. */
import type { BootProblem } from '../errors.ts';

export interface TapOrder {
  /** `pre` runs before every `normal` tap, `post` after. Default `normal`. */
  readonly stage?: 'pre' | 'normal' | 'post';
  /** Names of plugins whose tap must come later, or sooner. Names that do not tap the hook are ignored. */
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

export interface TapOptions extends TapOrder {
  /** Of a gate that has to be sealed: the tap refuses every payload that its plugin has not checked itself. */
  readonly seals?: boolean;
}

const STAGES = { pre: 0, normal: 1, post: 2 } as const;

export interface Orderable {
  readonly plugin: string;
  readonly order: TapOrder;
}

/** Sorts `taps`, given in boot order. A contradiction is reported and leaves them as they are. */
export function sortTaps<T extends Orderable>(hookId: string, taps: readonly T[], problems: BootProblem[]): T[] {
  const staged = taps
    .map((tap, index) => ({ tap, index, stage: STAGES[tap.order.stage ?? 'normal'] }))
    .sort((a, b) => a.stage - b.stage || a.index - b.index)
    .map(({ tap }) => tap);
  const present = new Map(staged.map((tap) => [tap.plugin, tap]));
  const earlier = new Map<T, Set<T>>(staged.map((tap) => [tap, new Set()]));
  for (const tap of staged) {
    for (const name of tap.order.after ?? []) {
      const other = present.get(name);
      if (other !== undefined) earlier.get(tap)?.add(other);
    }
    for (const name of tap.order.before ?? []) {
      const other = present.get(name);
      if (other !== undefined) earlier.get(other)?.add(tap);
    }
  }
  const sorted: T[] = [];
  const waiting = new Set(staged);
  while (waiting.size > 0) {
    let found: T | undefined;
    for (const tap of waiting) {
      if ([...(earlier.get(tap) ?? [])].every((other) => !waiting.has(other))) {
        found = tap;
        break;
      }
    }
    if (found === undefined) {
      const names = [...waiting].map((tap) => tap.plugin).join(', ');
      problems.push({
        plugin: undefined,
        message: `The order of hook "${hookId}" contradicts itself among: ${names}.`,
      });
      return staged;
    }
    waiting.delete(found);
    sorted.push(found);
  }
  return sorted;
}
