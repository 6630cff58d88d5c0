/** Writes an agent's events as server-sent events: kept alive while nothing happens, ended properly by a failure. */
import type { RouteReply, Scope } from '../../kernel/index.ts';
import type { AgentEvent } from '../agent/index.ts';
import type { AnswerLine } from './answer-line.ts';
import { HEADERS_WITHIN_MS } from './header-wait.ts';

export interface ClientError {
  readonly error: string;
  readonly message: string;
}

/** A part of the stream: text, or text around a value in JSON, which is written as the client takes it. */
export type StreamPart = string | { readonly before: string; readonly json: unknown; readonly after: string };

/** One stream format. An encoder may keep state, so each answer has its own. */
export interface EventEncoder {
  readonly headers: Readonly<Record<string, string>>;
  /** Empty for what the format leaves out, and for `start`, whose names are kept for the first piece. */
  encode(event: AgentEvent): StreamPart;
  /** Says that the answer broke off, and ends the stream. */
  failure(error: ClientError): string;
}

export interface EventStreamInit {
  readonly scope: Scope;
  readonly encoder: EventEncoder;
  readonly pingEveryMs: number;
  /** Of a client that can take the answer up again. */
  readonly line?: Pick<AnswerLine, 'isKept' | 'left' | 'begin' | 'end'> | undefined;
  failure(error: unknown): ClientError;
}

const PING = ': ping\n\n';
const QUIET = Symbol('quiet');

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

type Next = IteratorResult<AgentEvent, unknown>;

async function* encoded(
  events: AsyncIterator<AgentEvent>,
  first: Promise<Next>,
  { scope, encoder, pingEveryMs, line, failure }: EventStreamInit,
): AsyncGenerator<StreamPart> {
  const signal = line === undefined ? scope.signal : AbortSignal.any([scope.signal, line.left]);
  let pending = first;
  let sentAt = performance.now();
  let isSent = false;
  try {
    for (;;) {
      const next = await orQuiet(pending, pingEveryMs, signal);
      if (next !== QUIET && next.done === true) break;
      const piece = next === QUIET ? PING : encoder.encode(next.value);
      // A format without reasoning has nothing to send while a model reasons.
      if (piece !== '' || performance.now() - sentAt >= pingEveryMs) {
        yield piece === '' ? PING : piece;
        sentAt = performance.now();
      }
      if (next !== QUIET) pending = events.next();
    }
    isSent = true;
  } catch (error) {
    if (line?.left.aborted) return;
    yield encoder.failure(failure(error));
    isSent = true;
  } finally {
    if (isSent) line?.end();
    // Left before its end, an answer that may go on is up to its line. Not awaited: an agent that has been cancelled may
    // take its time to notice, or to begin.
    if (isSent || line === undefined) Promise.resolve(events.return?.()).catch(() => {});
  }
}

/**
 * The reply that streams the events. Waits for the first piece of the answer, so that a failure before it rejects and
 * keeps its HTTP status, but no longer than headers may take.
 */
export async function eventStream(answer: AsyncIterable<AgentEvent>, init: EventStreamInit): Promise<RouteReply> {
  const events = answer[Symbol.asyncIterator]();
  let conversationId: string | undefined;
  const begin = async (): Promise<Next> => {
    const next = await events.next();
    if (next.done === true || next.value.type !== 'start') return next;
    ({ conversationId } = next.value);
    init.encoder.encode(next.value);
    return events.next();
  };
  const first = begin();
  // Its failure is met where it is waited for.
  first.catch(() => {});
  try {
    await orQuiet(first, Math.min(HEADERS_WITHIN_MS, init.pingEveryMs), init.scope.signal);
  } catch (error) {
    // Not awaited, as at the end of the stream.
    Promise.resolve(events.return?.()).catch(() => {});
    throw error;
  }
  const line = init.line?.isKept ? init.line : undefined;
  line?.begin(events);
  return {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      ...init.encoder.headers,
      ...(conversationId !== undefined && { 'x-conversation-id': conversationId }),
    },
    stream: encoded(events, first, { ...init, line }),
  };
}
