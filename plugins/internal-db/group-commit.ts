/** Writes that arrive while others are being written go together with the next commit, which costs what one costs. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AtlasError } from '../../kernel/index.ts';

interface Waiting<T> {
  readonly item: T;
  resolve(): void;
  reject(error: unknown): void;
}

/** Many more than come in while one commit takes place. */
const MAX_WAITING = 10_000;

const isUnavailable = (error: unknown) => error instanceof AtlasError && error.code === 'unavailable';

export class GroupCommit<T> {
  private readonly write: (items: readonly T[]) => Promise<unknown>;
  private readonly maxItems: number;
  private queue: Waiting<T>[] = [];
  private readonly delayMs: () => number;
  private isWriting = false;

  /**
   * `write` stores all of the items or none. `delayMs`: how long a commit waits for more items, asked before each; for
   * those who know that more are about to come.
   */
  constructor(write: (items: readonly T[]) => Promise<unknown>, { maxItems = 500, delayMs = (): number => 0 } = {}) {
    this.write = write;
    this.maxItems = maxItems;
    this.delayMs = delayMs;
  }

  /**
   * Resolves when the item is committed; rejects when it cannot be, with `unavailable` when too many wait already. Items
   * are written in the order of the calls.
   */
  add(item: T): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.queue.length >= MAX_WAITING) {
        reject(new AtlasError('Too many writes wait for the internal database.', { code: 'unavailable' }));
        return;
      }
      this.queue.push({ item, resolve, reject });
      if (this.isWriting) return;
      this.isWriting = true;
      // What else comes in this turn of the event loop shares the commit.
      setImmediate(() => void this.drain());
    });
  }

  /** Takes an item back, which is then rejected with `reason`, unless it is being written already. */
  withdraw(item: T, reason: unknown): void {
    const at = this.queue.findIndex((waiting) => waiting.item === item);
    if (at !== -1) this.queue.splice(at, 1)[0]?.reject(reason);
  }

  private async drain(): Promise<void> {
    while (this.queue.length > 0) {
      const delayMs = this.delayMs();
      if (delayMs > 0) await sleep(delayMs);
      await this.commit(this.queue.splice(0, this.maxItems));
    }
    this.isWriting = false;
  }

  private async commit(group: readonly Waiting<T>[]): Promise<void> {
    try {
      await this.write(group.map(({ item }) => item));
      for (const { resolve } of group) resolve();
    } catch (error) {
      // A database that is away is away for each of them: trying one after the other would only make them wait.
      if (isUnavailable(error) || group.length === 1) for (const { reject } of group) reject(error);
      else await this.oneByOne(group);
    }
  }

  /** One that cannot be written must not take the others with it. */
  private async oneByOne(group: readonly Waiting<T>[]): Promise<void> {
    let away: unknown;
    for (const { item, resolve, reject } of group) {
      if (away !== undefined) reject(away);
      else {
        await this.write([item]).then(resolve, (error: unknown) => {
          if (isUnavailable(error)) away = error;
          reject(error);
        });
      }
    }
  }
}
