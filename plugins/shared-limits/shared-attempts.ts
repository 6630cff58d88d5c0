/** Counts attempts in the store, and in the memory of this server while the store does not answer. */
import type { AttemptCount, Attempts, CountedKey } from './api.ts';
import type { Availability } from './availability.ts';
import { storedKey } from './count-store.ts';

export class SharedAttempts implements Attempts {
  readonly #name: string;
  readonly #store: Attempts;
  readonly #local: Attempts;
  readonly #availability: Availability;

  constructor(name: string, store: Attempts, local: Attempts, availability: Availability) {
    this.#name = name;
    this.#store = store;
    this.#local = local;
    this.#availability = availability;
  }

  count(keys: readonly CountedKey[], remembered?: string): Promise<AttemptCount> {
    const stored = keys.map((counted) => ({ ...counted, key: this.#keyOf(counted.key) }));
    const name = remembered === undefined ? undefined : this.#nameOf(remembered);
    return this.#with((attempts) => attempts.count(stored, name));
  }

  undo(keys: readonly string[]): Promise<void> {
    return this.#with((attempts) => attempts.undo(keys.map((key) => this.#keyOf(key))));
  }

  forget(key: string): Promise<void> {
    return this.#with((attempts) => attempts.forget(this.#keyOf(key)));
  }

  remember(name: string, forMs: number): Promise<void> {
    return this.#with((attempts) => attempts.remember(this.#nameOf(name), forMs));
  }

  #keyOf(key: string): string {
    return storedKey(`${this.#name} attempts ${key}`);
  }

  #nameOf(name: string): string {
    return storedKey(`${this.#name} remembered ${name}`);
  }

  async #with<T>(work: (attempts: Attempts) => Promise<T>): Promise<T> {
    if (this.#availability.pauseMs > 0) return work(this.#local);
    try {
      const done = await work(this.#store);
      this.#availability.works();
      return done;
    } catch (error) {
      this.#availability.failed(error);
      return work(this.#local);
    }
  }
}
