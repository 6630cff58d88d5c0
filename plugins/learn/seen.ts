/** Counts by how many people and on how many days the same is shown: statements of one person count once a day. */
import { MIN_SEEN, type Support } from './proposal.ts';

/** Something of the log that shows what can be proposed. */
export interface Sign {
  readonly id: string;
  /** Who is told apart: a user, or in a layer that organizations share, an organization. */
  readonly person: string;
  /** `2026-01-31`. */
  readonly day: string;
}

export interface Frequent<T> {
  readonly value: T;
  readonly seen: number;
  readonly support: Support;
}

class Signs {
  readonly ids = new Set<string>();
  readonly #people = new Set<string>();
  readonly #days = new Set<string>();
  readonly #personDays = new Set<string>();

  add({ id, person, day }: Sign): void {
    this.ids.add(id);
    this.#people.add(person);
    this.#days.add(day);
    this.#personDays.add(`${day} ${person}`);
  }

  get seen(): number {
    return this.#personDays.size;
  }

  get support(): Support {
    return { statements: this.ids.size, people: this.#people.size, days: this.#days.size };
  }
}

/** Counts, for each key, the signs that show it; keeps the first value seen. */
export class Seen<T> {
  readonly #found = new Map<string, { readonly value: T; readonly signs: Signs }>();
  readonly #minPeople: number;

  /** `minPeople`: by fewer nothing is shown, however often. */
  constructor({ minPeople }: { readonly minPeople: number }) {
    this.#minPeople = minPeople;
  }

  add(key: string, value: T, sign: Sign): void {
    const found = this.#found.get(key) ?? { value, signs: new Signs() };
    this.#found.set(key, found);
    found.signs.add(sign);
  }

  /** Whether everything that shows the one shows the other, too. */
  isWithin(key: string, other: string): boolean {
    const [own, others] = [this.#found.get(key), this.#found.get(other)];
    return own !== undefined && others !== undefined && own.signs.ids.isSubsetOf(others.signs.ids);
  }

  count(key: string): number {
    return this.#found.get(key)?.signs.seen ?? 0;
  }

  /** Those that were seen often enough, the most frequent first. */
  frequent(): Frequent<T>[] {
    return [...this.#found.values()]
      .map(({ value, signs }) => ({ value, seen: signs.seen, support: signs.support }))
      .filter(({ seen, support }) => seen >= MIN_SEEN && support.people >= this.#minPeople)
      .sort((a, b) => b.seen - a.seen);
  }
}
