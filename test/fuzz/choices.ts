/**
 * Everything random is drawn from one list of small numbers. A generator that takes the simplest way at 0 can then be
 * shrunk without knowing it: shorter lists and smaller numbers make smaller cases.
 */

/** A stream of numbers in [0, 1), the same for the same seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export class Choices {
  /** What was drawn so far. */
  readonly taken: number[] = [];
  private readonly next: (below: number) => number;

  private constructor(next: (below: number) => number) {
    this.next = next;
  }

  static seeded(seed: number): Choices {
    const random = randomNumbers(seed);
    return new Choices((below) => Math.floor(random() * below));
  }

  /** Draws the numbers of the list again, and 0 after its end. */
  static replay(list: readonly number[]): Choices {
    let index = 0;
    return new Choices((below) => Math.min(list[index++] ?? 0, below - 1));
  }

  /** An integer from 0 to `limit - 1`. */
  below(limit: number): number {
    if (limit <= 1) return 0;
    const value = this.next(limit);
    this.taken.push(value);
    return value;
  }

  /** True in `percent` of the cases; false is simpler. */
  chance(percent: number): boolean {
    return this.below(100) >= 100 - percent;
  }

  /** One of the items; the first is the simplest. */
  pick<T>(items: readonly [T, ...T[]] | readonly T[]): T {
    if (items.length === 0) throw new Error('There is nothing to choose from.');
    return items[this.below(items.length)] as T;
  }

  /** Between `least` and `most` items. */
  list<T>(least: number, most: number, item: (index: number) => T): T[] {
    return Array.from({ length: least + this.below(most - least + 1) }, (_, index) => item(index));
  }
}

/** The smallest list found, within `budget` attempts, for which `fails` still holds. */
export async function shrink(
  start: readonly number[],
  fails: (list: readonly number[]) => Promise<boolean>,
  budget = 1_500,
): Promise<readonly number[]> {
  let best = start;
  let left = budget;
  const accept = async (list: readonly number[]) => {
    if (left <= 0) return false;
    left -= 1;
    if (!(await fails(list))) return false;
    best = list;
    return true;
  };
  for (let before = -1; before !== size(best) && left > 0; ) {
    before = size(best);
    for (let length = best.length; length >= 1; length = Math.floor(length / 2)) {
      for (let from = Math.max(0, best.length - length); from >= 0; from -= length) {
        if (await accept(best.toSpliced(from, length))) continue;
        const part = best.slice(from, from + length);
        if (part.some((value) => value > 0)) await accept(best.toSpliced(from, length, ...part.map(() => 0)));
      }
    }
    for (let index = 0; index < best.length; index += 1) {
      const value = best[index] ?? 0;
      for (const smaller of new Set([Math.floor(value / 2), value - 1])) {
        if (smaller >= 0 && smaller < value && (await accept(best.with(index, smaller)))) break;
      }
    }
  }
  return best;
}

const size = (list: readonly number[]) => list.reduce((sum, value) => sum + value, list.length);
