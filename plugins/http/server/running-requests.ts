/** Keeps the requests that run now, so that a stop can wait for them and then cancel what is left. */
import { AtlasError, type Scope, withTimeout } from '../../../kernel/index.ts';

export class RunningRequests {
  readonly #requests = new Map<Scope, (error: AtlasError) => void>();
  #idle = Promise.withResolvers<void>();

  get size(): number {
    return this.#requests.size;
  }

  /** `refuse` answers with an error, unless an answer has begun. */
  enter(scope: Scope, refuse: (error: AtlasError) => void): void {
    this.#requests.set(scope, refuse);
  }

  leave(scope: Scope): void {
    this.#requests.delete(scope);
    if (this.#requests.size === 0) this.#idle.resolve();
  }

  /** Waits until nothing runs; `false` when the time was over before. */
  async idle(timeoutMs: number): Promise<boolean> {
    if (this.#requests.size === 0) return true;
    this.#idle = Promise.withResolvers<void>();
    return withTimeout(
      this.#idle.promise.then(() => true),
      timeoutMs,
      () => false,
    );
  }

  /** Cancels everything that still runs: model calls and statements end with this error. */
  cancel(): void {
    for (const scope of this.#requests.keys()) scope.abort(stopping());
  }

  /** Answers with an error for handlers that ignore their cancellation. */
  abandon(): void {
    for (const refuse of this.#requests.values()) refuse(stopping());
  }
}

function stopping(): AtlasError {
  return new AtlasError('Atlas is stopping and has cancelled this request.', {
    code: 'unavailable',
    retryAfterSeconds: 5,
    hint: 'Try again shortly.',
  });
}
