/** Groups writes that arrive during a commit into the next one. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AtlasError } from '../../kernel/index.ts';
import { unavailable } from './errors.ts';

interface Waiting<T> {
  readonly item: T;
  readonly bytes: number;
  resolve(): void;
  reject(error: unknown): void;
}

/** Many more than come in while one commit takes place. */
const MAX_WAITING = 10_000;
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
/** A statement of this size costs no more for each item than one of many. */
const MAX_COMMIT_BYTES = 4 * 1024 * 1024;

const isUnavailable = (error: unknown) => error instanceof AtlasError && error.code === 'unavailable';

export interface GroupCommitOptions<T> {
  /** Most items of one commit. */
  readonly maxItems?: number;
  /** About how much memory an item takes. */
  readonly bytesOf?: (item: T) => number;
  /** How long a commit waits for more items, asked before each. */
  readonly delayMs?: () => number;
}

export class GroupCommit<T> {
  readonly #write: (items: readonly T[]) => Promise<unknown>;
  readonly #maxItems: number;
  readonly #bytesOf: (item: T) => number;
  readonly #delayMs: () => number;
  #queue: Waiting<T>[] = [];
  #waitingBytes = 0;
  #isWriting = false;

  /** `write` stores all of the items or none. */
  constructor(write: (items: readonly T[]) => Promise<unknown>, options: GroupCommitOptions<T> = {}) {
    this.#write = write;
    this.#maxItems = options.maxItems ?? 500;
    this.#bytesOf = options.bytesOf ?? (() => 0);
    this.#delayMs = options.delayMs ?? (() => 0);
  }

  /**
   * Resolves when the item is committed; rejects when it cannot be, with `unavailable` when too many wait already. Items
   * are written in the order of the calls.
   */
  add(item: T): Promise<void> {
    const bytes = this.#bytesOf(item);
    return new Promise((resolve, reject) => {
      if (this.#queue.length >= MAX_WAITING || this.#waitingBytes + bytes > MAX_WAITING_BYTES) {
        reject(unavailable('too many writes wait for it'));
        return;
      }
      this.#waitingBytes += bytes;
      this.#queue.push({ item, bytes, resolve, reject });
      if (this.#isWriting) return;
      this.#isWriting = true;
      // What else comes in this turn of the event loop shares the commit.
      setImmediate(() => void this.#drain());
    });
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      const delayMs = this.#delayMs();
      if (delayMs > 0) await sleep(delayMs);
      await this.#commit(this.#next());
    }
    this.#isWriting = false;
  }

  /** The longest waiting items that fit into one commit, at least one. */
  #next(): Waiting<T>[] {
    let bytes = 0;
    let count = 0;
    for (const waiting of this.#queue) {
      bytes += waiting.bytes;
      if (count === this.#maxItems || (count > 0 && bytes > MAX_COMMIT_BYTES)) break;
      count += 1;
    }
    const group = this.#queue.splice(0, count);
    for (const waiting of group) this.#waitingBytes -= waiting.bytes;
    return group;
  }

  async #commit(group: readonly Waiting<T>[]): Promise<void> {
    try {
      await this.#write(group.map(({ item }) => item));
      for (const { resolve } of group) resolve();
    } catch (error) {
      // A database that is away is away for each of them: trying one after the other would only make them wait.
      if (isUnavailable(error) || group.length === 1) for (const { reject } of group) reject(error);
      else await this.#oneByOne(group);
    }
  }

  /** One that cannot be written must not take the others with it. */
  async #oneByOne(group: readonly Waiting<T>[]): Promise<void> {
    let away: unknown;
    for (const { item, resolve, reject } of group) {
      if (away !== undefined) reject(away);
      else {
        await this.#write([item]).then(resolve, (error: unknown) => {
          if (isUnavailable(error)) away = error;
          reject(error);
        });
      }
    }
  }
}
