/**
 * Deadlines for many short waits with one timer: a wait is only appended on the way in; a coarse timer that runs
 * while somebody waits drops those that have settled and calls those that stayed too long. No clock is read.
 */
const TICK_MS = 50;

export interface Wait {
  settled: boolean;
  /** Set by `add`. */
  expiresAtTick: number;
  /** Called at most once, up to 100 ms late, and only while not settled. */
  expire(): void;
}

export class Deadlines {
  private waits: Wait[] = [];
  private tick = 0;
  private timer: NodeJS.Timeout | undefined;

  add(wait: Wait, afterMs: number): void {
    wait.expiresAtTick = this.tick + Math.ceil(afterMs / TICK_MS) + 1;
    this.waits.push(wait);
    this.timer ??= setInterval(() => this.sweep(), TICK_MS).unref();
  }

  private sweep(): void {
    this.tick += 1;
    const open = this.waits.filter((wait) => !wait.settled);
    this.waits = open.filter((wait) => wait.expiresAtTick > this.tick);
    for (const wait of open) if (wait.expiresAtTick <= this.tick) wait.expire();
    if (this.waits.length > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
