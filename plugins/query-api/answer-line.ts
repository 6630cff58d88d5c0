/** Lets an answer go on when its client leaves, where a plugin stores it, so that its stream can be taken up again. */
import { type Scope, scopeValue } from '../../kernel/index.ts';
import type { AgentEvent } from '../agent/index.ts';
import type { HttpServer, OutlastingWork } from '../http/index.ts';

/** What stores the answer. */
export interface AnswerKeeper {
  /** The client has left. `false`: the answer ends with that. */
  clientLeft(): boolean;
  /** The client has got the end of the answer. */
  delivered(): void;
}

/** Lines of clients that can take an answer up again; each is set before the agent is asked. */
export const answerLines = scopeValue<AnswerLine>();

/** The connection between an answer and its client. */
export class AnswerLine implements OutlastingWork {
  readonly #scope: Scope;
  readonly #http: HttpServer;
  readonly #left = new AbortController();
  readonly #ended = Promise.withResolvers<void>();
  #keeper: AnswerKeeper | undefined;
  #events: AsyncIterator<AgentEvent> | undefined;

  constructor(scope: Scope, http: HttpServer) {
    this.#scope = scope;
    this.#http = http;
    answerLines.set(scope, this);
  }

  /** The answer is stored, and may go on without its client. */
  keep(keeper: AnswerKeeper): void {
    this.#keeper = keeper;
  }

  /** Ends the question, with its model call and statement. */
  abort(reason: unknown): void {
    this.#scope.abort(reason);
  }

  get isKept(): boolean {
    return this.#keeper !== undefined;
  }

  /** Aborts when the client has left and the answer goes on. */
  get left(): AbortSignal {
    return this.#left.signal;
  }

  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** The stream begins: from now on the keeper is asked when the client leaves. */
  begin(events: AsyncIterator<AgentEvent>): void {
    this.#events = events;
    // Also where the agent takes no notice of it.
    this.#scope.signal.addEventListener('abort', () => this.#ended.resolve(), { once: true });
    this.#http.outlast(this.#scope, this);
  }

  /** There are no further events. */
  end(): void {
    this.#events = undefined;
  }

  closed(isComplete: boolean): boolean {
    const events = this.#events;
    if (isComplete) this.#keeper?.delivered();
    else if (events !== undefined && this.#keeper?.clientLeft() === true) {
      this.#left.abort();
      void this.#goOn(events);
      return true;
    }
    Promise.resolve(events?.return?.()).catch(() => {});
    this.#ended.resolve();
    return false;
  }

  /** What records the answer meets each event on its way. */
  async #goOn(events: AsyncIterator<AgentEvent>): Promise<void> {
    try {
      while ((await events.next()).done !== true);
    } catch (error) {
      if (!this.#scope.signal.aborted) this.#http.failure(error, this.#scope);
    }
    this.#ended.resolve();
  }
}
