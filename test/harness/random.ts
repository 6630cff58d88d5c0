/** Generates random numbers from a seed (mulberry32): the same seed gives the same sequence on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** At least 0, below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from `low` to `high`, both included. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.next() * items.length)] as T;
  }

  weighted<T>(choices: Weighted<T>): T {
    return choices.items[this.index(choices.cumulative)] as T;
  }

  /** An index drawn in proportion to its weight; only the first `count` take part. */
  index(cumulative: readonly number[], count: number = cumulative.length): number {
    const target = this.next() * (cumulative[count - 1] ?? 0);
    let low = 0;
    let high = count - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((cumulative[middle] as number) > target) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

export interface Weighted<T> {
  readonly items: readonly T[];
  readonly cumulative: readonly number[];
}

/** Running totals of weights, as `Random.index` takes them. */
export function cumulate(weights: readonly number[]): number[] {
  let total = 0;
  return weights.map((weight) => (total += weight));
}

export const weigh = <T>(choices: readonly (readonly [item: T, weight: number])[]): Weighted<T> => ({
  items: choices.map(([item]) => item),
  cumulative: cumulate(choices.map(([, weight]) => weight)),
});
