import { atOnce, inTurns } from './time-slices.ts';
import { Turns } from './turns.ts';

/** Keeps what is made of an object, as long as that lives. */
export class MadeOnce<K extends object, T> {
  readonly #make: (of: K) => Generator<void, T>;
  readonly #made = new WeakMap<K, T>();
  readonly #beingMade = new WeakMap<K, Promise<T>>();
  readonly #turns = new Turns();

  constructor(make: (of: K) => Generator<void, T>) {
    this.#make = make;
  }

  atOnce(of: K): T {
    const known = this.#made.get(of);
    if (known !== undefined) return known;
    const made = atOnce(this.#make(of));
    this.#made.set(of, made);
    return made;
  }

  /** Concurrent callers share the work, and go on one in each turn. */
  async inTurns(of: K): Promise<T> {
    const known = this.#made.get(of);
    if (known !== undefined) return known;
    const making = this.#beingMade.get(of) ?? inTurns(this.#make(of));
    this.#beingMade.set(of, making);
    const made = await making;
    this.#made.set(of, made);
    await this.#turns.next();
    return made;
  }
}
