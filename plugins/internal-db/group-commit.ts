/** Writes that arrive while others are being written go together with the next commit, which costs what one costs. */
import { AtlasError } from '../../kernel/index.ts';

interface Waiting<T> {
  readonly item: T;
  resolve(): void;
  reject(error: unknown): void;
}

export class GroupCommit<T> {
  private readonly write: (items: readonly T[]) => Promise<unknown>;
  private readonly maxItems: number;
  private queue: Waiting<T>[] = [];
  private isWriting = false;

  /** `write` stores all of the items or none. */
  constructor(write: (items: readonly T[]) => Promise<unknown>, maxItems = 500) {
    this.write = write;
    this.maxItems = maxItems;
  }

  /** Resolves when the item is committed; rejects when it cannot be. Items are written in the order of the calls. */
  add(item: T): Promise<void> {
    return new Promise((resolve, reject) => {
      this.queue.push({ item, resolve, reject });
      if (this.isWriting) return;
      this.isWriting = true;
      // What else comes in this turn of the event loop shares the commit.
      setImmediate(() => void this.drain());
    });
  }

  private async drain(): Promise<void> {
    while (this.queue.length > 0) await this.commit(this.queue.splice(0, this.maxItems));
    this.isWriting = false;
  }

  private async commit(group: readonly Waiting<T>[]): Promise<void> {
    try {
      await this.write(group.map(({ item }) => item));
      for (const { resolve } of group) resolve();
    } catch (error) {
      // A database that is away is away for each of them: trying one after the other would only make them wait.
      const isAway = error instanceof AtlasError && error.code === 'unavailable';
      if (isAway || group.length === 1) for (const { reject } of group) reject(error);
      // One that cannot be written must not take the others with it.
      else for (const one of group) await this.commit([one]);
    }
  }
}
