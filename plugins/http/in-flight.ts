/** The requests that run now, so that a stop can wait for them and then cancel what is left. */
import { AtlasError, type Scope } from '../../kernel/index.ts';

export class InFlight {
  readonly #requests = new Map<Scope, (error: AtlasError) => void>();
  #whenIdle: (() => void) | undefined;

  get size(): number {
    return this.#requests.size;
  }

  /** `refuse` answers with an error, unless an answer has begun. */
  enter(scope: Scope, refuse: (error: AtlasError) => void): void {
    this.#requests.set(scope, refuse);
  }

  leave(scope: Scope): void {
    this.#requests.delete(scope);
    if (this.#requests.size === 0) this.#whenIdle?.();
  }

  /** Waits until nothing runs; `false` when the time was over before. */
  async idle(timeoutMs: number): Promise<boolean> {
    if (this.#requests.size === 0) return true;
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
    for (const scope of this.#requests.keys()) scope.abort(stopping());
  }

  /** Answers in place of those who take no notice that they are cancelled. */
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
