/** Keeps what is read of each organization for a moment, so that requests need no look-up of their own. */
import { LRUCache } from 'lru-cache';
import type { Awaitable } from '../../kernel/index.ts';

/** After this a change on another server holds here. */
const FRESH_MS = 2_000;
const MAX_ORGANIZATIONS = 10_000;

export class FreshValues<Value extends object> {
  readonly #values: LRUCache<string, Value>;

  /** `load` is called once for all who ask meanwhile; while it rejects, so does `of`. */
  constructor(load: (orgId: string | null) => Promise<Value>) {
    this.#values = new LRUCache({
      // Unlike `max`, it takes no memory in advance.
      maxSize: MAX_ORGANIZATIONS,
      sizeCalculation: () => 1,
      ttl: FRESH_MS,
      // Who waits when a value is forgotten gets what was read; it is not kept.
      ignoreFetchAbort: true,
      fetchMethod: async (key, _stale, { options }) => {
        const startedAt = performance.now();
        const value = await load(key === '' ? null : key);
        options.ttl = Math.max(1, FRESH_MS - (performance.now() - startedAt));
        return value;
      },
    });
  }

  of(orgId: string | null): Awaitable<Value> {
    return this.#values.get(orgId ?? '') ?? this.#values.forceFetch(orgId ?? '');
  }

  /** After a change was committed: what is being read may be from before it. */
  forget(orgId: string | null): void {
    this.#values.delete(orgId ?? '');
  }
}
