/**
 * Counts requests on this server, and tells other servers of the counts in one batch from time to time. A request is decided
 * by what is known at that moment and waits for nothing.
 */
import type { RequestWindow } from './api.ts';
import type { Availability } from './availability.ts';
import { type CountStore, type SentCounts, STEPS, storedKey } from './count-store.ts';
import { type RemoteRequests, SlidingWindow, type WindowOptions } from './sliding-window.ts';

/** Keys of one batch; the others follow at once. */
const MOST_SENT = 1_000;
/** Keys of a window that wait for the next batch. Of those beyond it others learn with their next request. */
const MOST_WAITING = 100_000;

class SharedWindow implements RequestWindow {
  readonly name: string;
  readonly windowMs: number;
  readonly local: SlidingWindow;
  /** Keys that have had a request since they were last sent. */
  readonly waiting = new Set<string>();
  readonly #wake: () => void;

  constructor(name: string, options: WindowOptions, wake: () => void) {
    this.name = name;
    this.windowMs = options.windowMs;
    this.local = new SlidingWindow(options);
    this.#wake = wake;
  }

  take(key: string): number {
    const waitMs = this.local.take(key, performance.now());
    // A refused request is not counted, so there is nothing to tell: a flood costs the store nothing.
    if (waitMs === 0 && this.waiting.size < MOST_WAITING) {
      this.waiting.add(key);
      this.#wake();
    }
    return waitMs;
  }
}

export class Exchange {
  readonly #store: CountStore;
  readonly #availability: Availability;
  readonly #everyMs: number;
  readonly #windows: SharedWindow[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(store: CountStore, availability: Availability, everyMs: number) {
    this.#store = store;
    this.#availability = availability;
    this.#everyMs = everyMs;
  }

  window(name: string, options: WindowOptions): RequestWindow {
    const window = new SharedWindow(name, options, () => this.#wake());
    this.#windows.push(window);
    return window;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** Without requests there is no timer. */
  #wake(): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    const waitMs = Math.max(this.#everyMs, this.#availability.pauseMs);
    this.#timer = setTimeout(() => void this.#run(), waitMs).unref();
  }

  async #run(): Promise<void> {
    for (const window of this.#windows) {
      // What comes meanwhile waits its time, as under load there is always some.
      for (let left = window.waiting.size; left > 0 && this.#availability.pauseMs === 0; left -= MOST_SENT)
        await this.#exchange(window);
    }
    this.#timer = undefined;
    if (this.#windows.some(({ waiting }) => waiting.size > 0)) this.#wake();
  }

  async #exchange({ name, windowMs, local, waiting }: SharedWindow): Promise<void> {
    const keys = [...waiting.values().take(MOST_SENT)];
    for (const key of keys) waiting.delete(key);
    const now = performance.now();
    const byStored = new Map(keys.map((key) => [storedKey(`${name} ${key}`), key]));
    const sent = [...byStored].map(
      ([stored, key]): SentCounts => ({ key: stored, windowMs, counts: local.counts(key, STEPS, now) }),
    );
    try {
      const received = await this.#store.exchange(sent);
      this.#availability.works();
      const knownAt = performance.now();
      const remote = Map.groupBy(received, ({ key }) => key);
      for (const [stored, key] of byStored) {
        const others = remote.get(stored) ?? [];
        local.learn(
          key,
          others.flatMap(({ counts, ageMs }) => requestsOf(counts, knownAt - ageMs, windowMs / STEPS)),
        );
      }
    } catch (error) {
      this.#availability.failed(error);
      for (const key of keys) waiting.add(key);
    }
  }
}

/** As if all of a part had come at its end: no request is forgotten too early. */
function requestsOf(counts: readonly number[], sentAtMs: number, stepMs: number): RemoteRequests[] {
  return counts.flatMap((count, step) => (count > 0 ? [{ atMs: sentAtMs - step * stepMs, count }] : []));
}
