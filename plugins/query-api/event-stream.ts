/** An agent's events as server-sent events: kept alive while nothing happens, and closed properly by a failure. */
import type { RouteReply, Scope } from '../../kernel/index.ts';
import type { AgentEvent } from '../agent/index.ts';

export interface ClientError {
  readonly error: string;
  readonly message: string;
}

/** One stream format. An encoder may keep state, so each answer has its own. */
export interface EventEncoder {
  readonly headers: Readonly<Record<string, string>>;
  encode(event: AgentEvent): string;
  /** Says that the answer broke off, and ends the stream. */
  failure(error: ClientError): string;
}

/** An answer that has begun: its events, and how they are written. */
export interface OpenAnswer {
  readonly events: AsyncIterable<AgentEvent>;
  readonly encoder: EventEncoder;
  /** Of the response, where they are known before it begins. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface EventStreamInit {
  readonly scope: Scope;
  /** Writes what goes wrong before there is an answer; its headers stand for every answer of this format. */
  readonly encoder: EventEncoder;
  readonly pingEveryMs: number;
  failure(error: unknown): ClientError;
}

const PING = ': ping\n\n';
const QUIET = Symbol('quiet');
/** Proxies and clients give up on a server that stays silent. Headers must leave within a second. */
const HEADERS_WITHIN_MS = 900;

/** Settles like `pending`, with `QUIET` when that takes longer, and rejects when the signal aborts. */
function orQuiet<T>(pending: Promise<T>, afterMs: number, signal: AbortSignal): Promise<T | typeof QUIET> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => settle(() => resolve(QUIET)), afterMs);
    const onAbort = () => settle(() => reject(signal.reason));
    const settle = (how: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      how();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    pending.then(
      (value) => settle(() => resolve(value)),
      (error) => settle(() => reject(error)),
    );
    if (signal.aborted) onAbort();
  });
}

/** An answer with its first event on the way. */
interface Begun extends OpenAnswer {
  readonly iterator: AsyncIterator<AgentEvent>;
  readonly first: Promise<IteratorResult<AgentEvent>>;
}

async function* encoded(begin: Promise<Begun>, init: EventStreamInit): AsyncGenerator<string> {
  const { scope, pingEveryMs, failure } = init;
  let { encoder } = init;
  let iterator: AsyncIterator<AgentEvent> | undefined;
  let pending: Promise<IteratorResult<AgentEvent> | Begun> = begin;
  try {
    for (;;) {
      const next = await orQuiet(pending, pingEveryMs, scope.signal);
      if (next === QUIET) {
        yield PING;
      } else if ('first' in next) {
        ({ encoder, iterator } = next);
        pending = next.first;
      } else {
        if (next.done === true) return;
        yield encoder.encode(next.value);
        pending = (iterator as AsyncIterator<AgentEvent>).next();
      }
    }
  } catch (error) {
    yield encoder.failure(failure(error));
  } finally {
    // Not awaited: an agent that has been cancelled may take its time to notice, or to begin.
    begin.then((begun) => begun.iterator.return?.()).catch(() => {});
  }
}

/**
 * The reply that streams the events. Waits for the first event, so that a failure before it rejects and keeps its
 * HTTP status, but no longer than headers may take.
 */
export async function eventStream(opening: Promise<OpenAnswer>, init: EventStreamInit): Promise<RouteReply> {
  let headers: OpenAnswer['headers'] = {};
  const begin = opening.then((answer): Begun => {
    headers = answer.headers;
    const iterator = answer.events[Symbol.asyncIterator]();
    const first = iterator.next();
    // Whoever waits for it hears of its failure.
    first.catch(() => {});
    return { ...answer, iterator, first };
  });
  await orQuiet(
    begin.then(({ first }) => first),
    Math.min(HEADERS_WITHIN_MS, init.pingEveryMs),
    init.scope.signal,
  );
  return {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      ...init.encoder.headers,
      ...headers,
    },
    stream: encoded(begin, init),
  };
}
