/**
 * Deadlines for many short waits with one timer. A wait joins a linked list and leaves it when it is done; a coarse
 * timer that runs only while somebody waits calls those that stayed too long. No clock is read on the way in or out.
 */
const TICK_MS = 50;

export abstract class Wait {
  previous: Wait | undefined;
  next: Wait | undefined;
  expiresAtTick = 0;
  /** Called at most once, up to 50 ms late. */
  abstract expire(): void;
}

export class Deadlines {
  #head: Wait | undefined;
  #tick = 0;
  #timer: NodeJS.Timeout | undefined;

  add(wait: Wait, afterMs: number): void {
    wait.expiresAtTick = this.#tick + Math.ceil(afterMs / TICK_MS) + 1;
    const head = this.#head;
    wait.next = head;
    if (head !== undefined) head.previous = wait;
    this.#head = wait;
    this.#timer ??= setInterval(() => this.#sweep(), TICK_MS).unref();
  }

  remove(wait: Wait): void {
    const { previous, next } = wait;
    if (previous !== undefined) previous.next = next;
    else if (this.#head === wait) this.#head = next;
    if (next !== undefined) next.previous = previous;
    wait.previous = undefined;
    wait.next = undefined;
  }

  #sweep(): void {
    this.#tick += 1;
    if (this.#head === undefined) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    for (let wait: Wait | undefined = this.#head; wait !== undefined; ) {
      const next: Wait | undefined = wait.next;
      if (wait.expiresAtTick <= this.#tick) {
        this.remove(wait);
        wait.expire();
      }
      wait = next;
    }
  }
}
