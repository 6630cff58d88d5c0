/**
 * Keeps the last known health items, so that a request never waits for a database that hangs: checks run one at a
 * time in the background, and a caller gets the newest result that is there.
 */
import { AtlasError, type Collected, type HealthItem, messageOf, withTimeout } from '../../kernel/index.ts';

export interface Checked {
  readonly items: readonly Collected<HealthItem>[];
  /** Milliseconds since the epoch; `undefined`: not checked yet. */
  readonly checkedAt: number | undefined;
}

export interface MonitorOptions {
  readonly freshMs: number;
  readonly patienceMs: number;
  readonly firstPatienceMs: number;
}

export class Monitor {
  readonly #check: () => Promise<readonly Collected<HealthItem>[]>;
  readonly #now: () => number;
  readonly #options: MonitorOptions;
  #last: Checked = { items: [], checkedAt: undefined };
  /** On the steady clock, as the app's own may be fixed. */
  #finishedAt = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | undefined;

  constructor(check: () => Promise<readonly Collected<HealthItem>[]>, now: () => number, options: MonitorOptions) {
    this.#check = check;
    this.#now = now;
    this.#options = options;
  }

  /** Begins a check unless one runs. Never rejects. */
  refresh(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      this.#finishedAt = performance.now();
    });
    return this.#running;
  }

  /** The newest items; a stale result is renewed first when that is quick. */
  async read(): Promise<Checked> {
    if (performance.now() - this.#finishedAt < this.#options.freshMs) return this.#last;
    const { patienceMs, firstPatienceMs } = this.#options;
    const waitMs = this.#last.checkedAt === undefined ? firstPatienceMs : patienceMs;
    await withTimeout(this.refresh(), waitMs, () => {});
    return this.#last;
  }

  async #run(): Promise<void> {
    try {
      this.#last = { items: await this.#check(), checkedAt: this.#now() };
    } catch (error) {
      this.#last = { items: blamed(this.#last.items, error), checkedAt: this.#now() };
    }
  }
}

/** All checks together were too slow: what the culprit said before no longer counts, the others' items do. */
function blamed(before: readonly Collected<HealthItem>[], error: unknown): Collected<HealthItem>[] {
  const plugin = (error instanceof AtlasError ? error.plugin : undefined) ?? 'health';
  const silent = { status: 'error', message: messageOf(error) } as const;
  const own = before.filter((item) => item.plugin === plugin);
  const replaced: HealthItem[] =
    own.length > 0 ? own.map(({ value }) => ({ ...value, ...silent })) : [{ component: plugin, ...silent }];
  return [...before.filter((item) => item.plugin !== plugin), ...replaced.map((value) => ({ plugin, value }))];
}
