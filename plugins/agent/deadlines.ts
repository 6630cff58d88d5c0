/** Limits the time of a question and of each of its model calls. */
import { AtlasError, type Scope } from '../../kernel/index.ts';

const seconds = (ms: number) => `${ms < 1000 ? (ms / 1000).toFixed(1) : Math.round(ms / 1000)} s`;

function tooLong(what: string, ms: number): AtlasError {
  return new AtlasError(`${what} ${seconds(ms)}.`, {
    code: 'provider_timeout',
    reason: 'E_AGENT_DEADLINE',
    hint: 'Ask a narrower question, choose a faster model, or raise SVC_MODEL_TIMEOUT_MS.',
  });
}

/** An abort controller with a timeout that also aborts with its parent. */
class Deadline {
  readonly #controller = new AbortController();
  readonly #parent: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  readonly #follow = () => this.#controller.abort(this.#parent.reason);

  constructor(parent: AbortSignal, ms: number, what: string) {
    this.#parent = parent;
    if (parent.aborted) this.#follow();
    else parent.addEventListener('abort', this.#follow, { once: true });
    this.#timer = setTimeout(() => this.#controller.abort(tooLong(what, ms)), ms);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Clears the timeout. `abandon` also aborts whatever is still running. */
  end(abandon: boolean): void {
    clearTimeout(this.#timer);
    this.#parent.removeEventListener('abort', this.#follow);
    if (abandon) this.#controller.abort(new AtlasError('The question was cancelled.', { code: 'request_cancelled' }));
  }
}

/** The deadline of one question. Hooks and tools get its scope, so that what they started ends with the question. */
export class QuestionDeadline {
  readonly scope: Scope;
  readonly #deadline: Deadline;

  constructor(parent: Scope, requestTimeoutMs: number) {
    this.#deadline = new Deadline(parent.signal, requestTimeoutMs, 'The question was not answered within');
    this.scope = parent.part(this.#deadline.signal);
  }

  /** Starts the deadline of one model call. */
  step(stepTimeoutMs: number): Deadline {
    return new Deadline(this.scope.signal, stepTimeoutMs, 'The model did not answer within');
  }

  end(abandon: boolean): void {
    this.#deadline.end(abandon);
  }
}

/** The error of an aborted wait: the signal's reason when it is an `AtlasError`. */
export function abortError(signal: AbortSignal): AtlasError {
  if (signal.reason instanceof AtlasError) return signal.reason;
  return new AtlasError('The request was cancelled.', { code: 'request_cancelled', cause: signal.reason });
}

/** Waits for work, but rejects at the abort even when the work itself ignores the signal. */
export function untilAborted<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(abortError(signal));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    const done = () => signal.removeEventListener('abort', stop);
    work.then(
      (value) => {
        done();
        resolve(value);
      },
      (error) => {
        done();
        reject(signal.aborted ? abortError(signal) : error);
      },
    );
  });
}
