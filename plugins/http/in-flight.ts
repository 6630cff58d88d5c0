/** The requests that run now, so that a stop can wait for them and then cancel what is left. */
import { AtlasError, type Scope } from '../../kernel/index.ts';

export class InFlight {
  readonly #scopes = new Set<Scope>();
  #whenIdle: (() => void) | undefined;

  get size(): number {
    return this.#scopes.size;
  }

  enter(scope: Scope): void {
    this.#scopes.add(scope);
  }

  leave(scope: Scope): void {
    this.#scopes.delete(scope);
    if (this.#scopes.size === 0) this.#whenIdle?.();
  }

  /** Waits until nothing runs; `false` when the time was over before. */
  async idle(timeoutMs: number): Promise<boolean> {
    if (this.#scopes.size === 0) return true;
    let timer: NodeJS.Timeout | undefined;
    const idle = await new Promise<boolean>((resolve) => {
      this.#whenIdle = () => resolve(true);
      timer = setTimeout(resolve, timeoutMs, false);
    });
    clearTimeout(timer);
    return idle;
  }

  /** Cancels everything that still runs: model calls and statements end with this error. */
  cancel(): void {
    for (const scope of this.#scopes) {
      scope.abort(
        new AtlasError('Atlas is stopping and has cancelled this request.', {
          code: 'unavailable',
          retryAfterSeconds: 5,
          hint: 'Try again shortly.',
        }),
      );
    }
  }
}
