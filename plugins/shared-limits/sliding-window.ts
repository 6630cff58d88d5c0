/**
 * Counts requests by key over a window that slides: exact for each key, in memory that is bounded, and together with those
 * that other servers have told of.
 */

export interface WindowOptions {
  /** Requests in any window. */
  readonly limit: number;
  readonly windowMs: number;
  /** Keys that are counted at a time; beyond them a newcomer takes over the window of a quiet key. */
  readonly maxKeys: number;
}

/** Requests that another server has let pass, and when they came at the latest, on this server's clock. */
export interface RemoteRequests {
  readonly atMs: number;
  readonly count: number;
}

/** When the requests of one key came, oldest first. Those before `first` have left the window. */
interface Requests {
  times: number[];
  first: number;
  /** Oldest first. */
  remote?: readonly RemoteRequests[];
}

/** Keys looked at when one has to make room. */
const CANDIDATES = 8;
/** Keys looked at for each request, to drop those that have gone quiet: faster than new ones can come. */
const DROPPED_AT_ONCE = 2;

export class SlidingWindow {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #maxKeys: number;
  readonly #keys = new Map<string, Requests>();
  /** Goes round all keys, some at each request. A search from the start would pass all that were deleted since. */
  #round = this.#keys.entries();

  constructor({ limit, windowMs, maxKeys }: WindowOptions) {
    this.#limit = limit;
    this.#windowMs = windowMs;
    this.#maxKeys = maxKeys;
  }

  get size(): number {
    return this.#keys.size;
  }

  /**
   * Counts a request of `key` at `nowMs`, on a clock that never goes back. 0: it may pass; else the milliseconds until
   * one may, and it is not counted.
   */
  take(key: string, nowMs: number): number {
    this.#dropQuiet(nowMs);
    let requests = this.#keys.get(key);
    if (requests === undefined) {
      requests = this.#room(nowMs);
      this.#keys.set(key, requests);
    }
    const count = this.#countIn(requests, nowMs);
    if (count >= this.#limit) return nthOldest(requests, count - this.#limit + 1) + this.#windowMs - nowMs;
    // A literal takes the room of one number, a first push that of many.
    if (requests.times.length === 0) requests.times = [nowMs];
    else requests.times.push(nowMs);
    return 0;
  }

  /** Replaces what is known of a key's requests to other servers. */
  learn(key: string, remote: readonly RemoteRequests[]): void {
    const requests = this.#keys.get(key);
    if (requests === undefined) return;
    if (remote.length === 0) delete requests.remote;
    else requests.remote = remote.toSorted((a, b) => a.atMs - b.atMs);
  }

  /** How many requests of the key came to this server in each of the last `steps` parts of the window, latest first. */
  counts(key: string, steps: number, nowMs: number): number[] {
    const { times, first } = this.#keys.get(key) ?? { times: [], first: 0 };
    let after = times.length;
    return Array.from({ length: steps }, (_, step) => {
      const from = Math.max(first, indexAfter(times, nowMs - ((step + 1) * this.#windowMs) / steps));
      const count = Math.max(0, after - from);
      after = Math.min(after, from);
      return count;
    });
  }

  /** Requests in the window that ends now. What has left it is let go of once it is the greater part. */
  #countIn(requests: Requests, nowMs: number): number {
    const { times } = requests;
    while (requests.first < times.length && (times[requests.first] as number) + this.#windowMs <= nowMs) {
      requests.first += 1;
    }
    if (requests.first * 2 > times.length) {
      requests.times = times.slice(requests.first);
      requests.first = 0;
    }
    const own = requests.times.length - requests.first;
    return requests.remote === undefined ? own : own + this.#countRemote(requests, nowMs);
  }

  #countRemote(requests: Requests, nowMs: number): number {
    const remote = requests.remote?.filter(({ atMs }) => atMs + this.#windowMs > nowMs) ?? [];
    if (remote.length > 0) requests.remote = remote;
    else delete requests.remote;
    return remote.reduce((sum, { count }) => sum + count, 0);
  }

  /** The next key on the round; `undefined` when there is none at all. */
  #next(): [string, Requests] | undefined {
    const { value } = this.#round.next();
    if (value !== undefined) return value;
    this.#round = this.#keys.entries();
    return this.#round.next().value;
  }

  #dropQuiet(nowMs: number): void {
    for (let looked = 0; looked < DROPPED_AT_ONCE; looked += 1) {
      const next = this.#next();
      if (next !== undefined && this.#countIn(next[1], nowMs) === 0) this.#keys.delete(next[0]);
    }
  }

  /**
   * The requests that a new key starts with: none, or those of a quiet key when there is no room. They are taken over
   * and not forgotten, so flooding with keys gains no request; and the one with the fewest of several makes
   * room, so that a busy key keeps its place.
   */
  #room(nowMs: number): Requests {
    if (this.#keys.size < this.#maxKeys) return { times: [], first: 0 };
    let quiet = this.#next() as [string, Requests];
    for (let looked = 1; looked < CANDIDATES; looked += 1) {
      const other = this.#next() as [string, Requests];
      if (this.#countIn(other[1], nowMs) < this.#countIn(quiet[1], nowMs)) quiet = other;
    }
    this.#keys.delete(quiet[0]);
    return quiet[1];
  }
}

/** Index of the first time after `ms`. */
function indexAfter(times: readonly number[], ms: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] as number) > ms) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** When the `nth` oldest request came, of those to this and to other servers. */
function nthOldest({ times, first, remote = [] }: Requests, nth: number): number {
  let left = nth;
  for (const { atMs, count } of remote) {
    const own = times[first + left - 1];
    if (own !== undefined && own <= atMs) return own;
    left -= count;
    // With those that came here before it.
    if (left <= 0 || (times[first + left - 1] ?? Number.POSITIVE_INFINITY) <= atMs) return atMs;
  }
  return times[first + left - 1] as number;
}
