/** The trace that a caller began: the headers of W3C Trace Context. */
import { createTraceState, isSpanContextValid, type SpanContext } from '@opentelemetry/api';

const FORMAT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;
const MAX_STATE_LENGTH = 512;

type Header = string | string[] | undefined;

/** `undefined` for none, and for one that is malformed: a new trace begins then. */
export function callerOf(traceparent: Header, tracestate: Header): SpanContext | undefined {
  const [, traceId = '', spanId = '', flags = ''] = (typeof traceparent === 'string' && FORMAT.exec(traceparent)) || [];
  // Version 00 has these four parts and no more.
  if (typeof traceparent === 'string' && traceparent.startsWith('00') && traceparent.length !== 55) return undefined;
  const state = typeof tracestate === 'string' && tracestate.length <= MAX_STATE_LENGTH ? tracestate : undefined;
  const context: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(state !== undefined && { traceState: createTraceState(state) }),
  };
  return isSpanContextValid(context) ? context : undefined;
}
