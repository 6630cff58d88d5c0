/** An agent's events as server-sent events: kept alive while nothing happens, and closed properly by a failure. */
import type { RouteReply } from '../../kernel/index.ts';
import type { AgentEvent } from '../agent/events.ts';

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

const PING = ': ping\n\n';
const QUIET = Symbol('quiet');

/** Settles like `pending`, or with `QUIET` when that takes longer. */
async function orQuiet<T>(pending: Promise<T>, afterMs: number): Promise<T | typeof QUIET> {
  let timer: NodeJS.Timeout | undefined;
  const quiet = new Promise<typeof QUIET>((resolve) => {
    timer = setTimeout(resolve, afterMs, QUIET);
  });
  try {
    return await Promise.race([pending, quiet]);
  } finally {
    clearTimeout(timer);
  }
}

async function* encoded(
  events: AsyncIterator<AgentEvent>,
  first: Promise<IteratorResult<AgentEvent>>,
  encoder: EventEncoder,
  pingEveryMs: number,
  failure: (error: unknown) => ClientError,
): AsyncGenerator<string> {
  let pending = first;
  try {
    for (;;) {
      const next = await orQuiet(pending, pingEveryMs);
      if (next === QUIET) {
        yield PING;
        continue;
      }
      if (next.done === true) return;
      yield encoder.encode(next.value);
      pending = events.next();
    }
  } catch (error) {
    yield encoder.failure(failure(error));
  } finally {
    // Not awaited: an agent that has been cancelled may take its time to notice.
    events.return?.().catch(() => {});
  }
}

/**
 * The reply that streams the events. Waits for the first event, so that a failure before it rejects and keeps its
 * HTTP status, but no longer than one ping: proxies give up on a server that stays silent.
 */
export async function eventStream(
  source: AsyncIterable<AgentEvent>,
  encoder: EventEncoder,
  pingEveryMs: number,
  failure: (error: unknown) => ClientError,
): Promise<RouteReply> {
  const events = source[Symbol.asyncIterator]();
  const first = events.next();
  await orQuiet(first, pingEveryMs);
  return {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      ...encoder.headers,
    },
    stream: encoded(events, first, encoder, pingEveryMs, failure),
  };
}
