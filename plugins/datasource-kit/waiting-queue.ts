/** Queues the statements that wait for a place on a connection, and refuses those that would wait too long. */
import { tooBusy } from './errors.ts';

/** Departures that the expected wait is computed from. */
const MEASURED_DEPARTURES = 32;
/** With fewer, or over a shorter time, there is no expectation yet: the first statements of a process are slow. */
const FEWEST_DEPARTURES = 8;
const SHORTEST_MEASURE_MS = 1_000;

export interface WaitingQueueOptions {
  /** Id of the connection, for messages. */
  readonly connection: string;
  /** Entries that may wait at all, which bounds the memory they take. */
  readonly queueLimit: number;
  /** Longest wait; an entry that is expected to wait longer is refused at once. */
  readonly acquireTimeoutMs: number;
}

/** First in, first out. Entries that give up leave in constant time. */
export class WaitingQueue<T> {
  readonly #options: WaitingQueueOptions;
  readonly #entries = new Set<T>();
  /** When the latest entries got their place, since the queue was last empty. Milliseconds of `performance.now()`. */
  #departures: number[] = [];

  constructor(options: WaitingQueueOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  /**
   * Throws `overloaded` when no entry can be added: too many wait, or the expected wait, that is the time between
   * two departures times the entries ahead, is longer than `acquireTimeoutMs`. `freePlaces` are not waited for.
   */
  checkRoom(freePlaces: number): void {
    const { connection, queueLimit, acquireTimeoutMs } = this.#options;
    const ahead = this.size - freePlaces;
    const expectedMs = ahead * this.#msPerDeparture;
    if (ahead >= queueLimit || expectedMs > acquireTimeoutMs) throw tooBusy(connection, expectedMs);
  }

  add(entry: T): void {
    this.#entries.add(entry);
  }

  /** The entry that has waited longest. */
  take(): T | undefined {
    for (const entry of this.#entries) {
      this.#entries.delete(entry);
      if (this.#departures.push(performance.now()) > MEASURED_DEPARTURES) this.#departures.shift();
      this.#forgetWhenEmpty();
      return entry;
    }
    return undefined;
  }

  /** For an entry that gives up. */
  remove(entry: T): void {
    this.#entries.delete(entry);
    this.#forgetWhenEmpty();
  }

  removeAll(): T[] {
    const entries = [...this.#entries];
    this.#entries.clear();
    this.#forgetWhenEmpty();
    return entries;
  }

  get #msPerDeparture(): number {
    const [first = 0] = this.#departures;
    const measuredMs = (this.#departures.at(-1) ?? first) - first;
    if (this.#departures.length < FEWEST_DEPARTURES || measuredMs < SHORTEST_MEASURE_MS) return 0;
    return measuredMs / (this.#departures.length - 1);
  }

  /** What a queue measured that has emptied says nothing about the next one. */
  #forgetWhenEmpty(): void {
    if (this.#entries.size === 0) this.#departures = [];
  }
}
