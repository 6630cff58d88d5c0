/** Keeps results in memory as bytes, so that nothing that reads one can change what another gets. */
import { deserialize, serialize } from 'node:v8';
import { LRUCache } from 'lru-cache';
import type { SqlResult } from '../../kernel/index.ts';
import type { CachedResult } from '../datasource-kit/index.ts';
import { sizeOf } from '../model-kit/index.ts';
import type { ResultKey } from './key.ts';
import type { ResultCacheOptions } from './options.ts';

interface Entry {
  readonly bytes: Buffer;
  readonly readAt: number;
}

export class ResultCache {
  readonly #options: ResultCacheOptions;
  readonly #now: () => number;
  readonly #entries: LRUCache<string, Entry>;

  constructor(options: ResultCacheOptions, now: () => number) {
    this.#options = options;
    this.#now = now;
    this.#entries = new LRUCache({
      max: options.maxEntries,
      maxSize: options.maxBytes,
      sizeCalculation: ({ bytes }, key) => bytes.length + key.length,
    });
  }

  /** A copy of the result, unless it is older than this cache or the reader takes it. */
  find({ key, withinMs }: ResultKey): CachedResult | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    const ageMs = Math.max(0, this.#now() - entry.readAt);
    if (ageMs < Math.min(this.#options.ttlMs, withinMs))
      return { ...(deserialize(entry.bytes) as SqlResult), cached: { ageMs } };
    this.#entries.delete(key);
    return undefined;
  }

  /** Keeps a copy, unless it is incomplete or too large. */
  add({ key }: ResultKey, result: SqlResult): void {
    const most = this.#options.maxResultBytes;
    if (result.truncated || sizeOf(result.rows, most) > most) return;
    const bytes = serialize(result);
    if (bytes.length <= most) this.#entries.set(key, { bytes, readAt: this.#now() });
  }

  clear(): void {
    this.#entries.clear();
  }
}
