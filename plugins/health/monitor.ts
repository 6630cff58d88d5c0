/**
 * Caches the health items, so that a request never waits for a database that hangs: checks run one at a time in the
 * background, and a caller gets the newest result.
 */
import { AtlasError, type Collected, type HealthItem, messageOf, withTimeout } from '../../kernel/index.ts';
import { withoutCredentials } from '../redaction-kit/index.ts';
import type { HealthOptions } from './options.ts';

export interface Checked {
  readonly items: readonly Collected<HealthItem>[];
  /** Milliseconds since the epoch; `undefined` before the first check. */
  readonly checkedAt: number | undefined;
}

/** The share of its time after which a result is renewed, while it is still served. */
const RENEWED_AT = 0.75;

export class Monitor {
  readonly #check: () => Promise<readonly Collected<HealthItem>[]>;
  readonly #now: () => number;
  readonly #options: HealthOptions;
  #last: Checked = { items: [], checkedAt: undefined };
  /** On the monotonic clock, since the app's clock may be fixed. */
  #finishedAt = Number.NEGATIVE_INFINITY;
  #startedAt = 0;
  #running: Promise<void> | undefined;

  constructor(check: () => Promise<readonly Collected<HealthItem>[]>, now: () => number, options: HealthOptions) {
    this.#check = check;
    this.#now = now;
    this.#options = options;
  }

  /** Starts a check unless one is running. Never rejects. */
  refresh(): Promise<void> {
    if (this.#running === undefined) {
      this.#startedAt = performance.now();
      this.#running = this.#run().finally(() => {
        this.#running = undefined;
        this.#finishedAt = performance.now();
      });
    }
    return this.#running;
  }

  /**
   * The newest items. When they are stale it waits until the new check has had a moment; they are renewed before that, so
   * that frequent callers do not wait.
   */
  async read(): Promise<Checked> {
    const { cacheTtlMs, waitMs, firstWaitMs } = this.#options;
    const age = performance.now() - this.#finishedAt;
    const check = age >= cacheTtlMs * RENEWED_AT ? this.refresh() : undefined;
    if (check !== undefined && age >= cacheTtlMs) {
      const isFirst = this.#last.checkedAt === undefined;
      const leftMs = isFirst ? firstWaitMs : this.#startedAt + waitMs - performance.now();
      if (leftMs > 0) await withTimeout(check, leftMs, () => {});
    }
    return { ...this.#last, items: this.#last.items.map(shown) };
  }

  /** Takes over what one plugin's check has just said, and returns it as it is shown. */
  note(plugin: string, items: readonly Collected<HealthItem>[]): readonly HealthItem[] {
    const others = this.#last.items.filter((item) => item.plugin !== plugin);
    this.#last = { ...this.#last, items: [...others, ...items] };
    return items.map((item) => shown(item).value);
  }

  async #run(): Promise<void> {
    try {
      this.#last = { items: await this.#check(), checkedAt: this.#now() };
    } catch (error) {
      this.#last = { items: withFailure(this.#last.items, error), checkedAt: this.#now() };
    }
  }
}

/**
 * Anybody may read the report, and what a check throws may be a driver's error with its connection string. When it is
 * read, because the fields of some items are read on access, too.
 */
function shown({ plugin, value }: Collected<HealthItem>): Collected<HealthItem> {
  const { message } = value;
  return { plugin, value: message === undefined ? value : { ...value, message: withoutCredentials(message) } };
}

/** After a check that failed as a whole: the culprit's items become errors, those of the others are kept. */
function withFailure(before: readonly Collected<HealthItem>[], error: unknown): Collected<HealthItem>[] {
  const plugin = (error instanceof AtlasError ? error.plugin : undefined) ?? 'health';
  const silent = { status: 'error', message: messageOf(error) } as const;
  const own = before.filter((item) => item.plugin === plugin);
  const replaced: HealthItem[] =
    own.length > 0 ? own.map(({ value }) => ({ ...value, ...silent })) : [{ component: plugin, ...silent }];
  return [...before.filter((item) => item.plugin !== plugin), ...replaced.map((value) => ({ plugin, value }))];
}
