/** Turns the status of an HTTP answer into the end of a delivery: sent, failed for good, or to be tried again. */
import { DeliveryError } from './errors.ts';

/** A receiver that wants to be left alone for longer is not waited for. */
const LONGEST_WAIT_MS = 3_600_000;

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Throws unless the status is a success. 4xx but 408 and 429 is final; the rest may be tried again. */
export function throwUnlessSent(receiver: string, { status, headers }: Answer): void {
  if (status >= 200 && status < 300) return;
  const isRefusal = status >= 400 && status < 500 && status !== 408 && status !== 429;
  throw retriable(`${receiver} answered with the status ${status}.`, headers, isRefusal);
}

/** The failure of an answer that may ask to wait. */
export function retriable(message: string, headers: Answer['headers'], isRefusal = false): DeliveryError {
  const waitMs = waitOf(headers['retry-after']);
  if (isRefusal || waitMs === undefined) return new DeliveryError(message, { final: isRefusal });
  if (waitMs <= LONGEST_WAIT_MS) return new DeliveryError(message, { final: false, retryAfterMs: waitMs });
  return new DeliveryError(`${message.slice(0, -1)} and asks to wait for more than an hour.`, { final: true });
}

/** Seconds, or a date. */
function waitOf(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  // `Date.parse` makes a date of nearly anything; those of HTTP end in GMT.
  const atMs = / GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1_000 : atMs - Date.now();
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}
