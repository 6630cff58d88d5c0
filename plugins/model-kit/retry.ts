/** Repeats a model call after a temporary failure, as long as nothing of an answer has arrived. */
import { setTimeout as sleep } from 'node:timers/promises';
import { networkCodeOf, providerCodeOf, retryAfterSecondsOf, statusOf } from './provider-errors.ts';

const FIRST_WAIT_MS = 250;
/** When a provider asks to wait longer than this, the call fails and the client is told when to ask again. */
const LONGEST_WAIT_MS = 5_000;
const PASSING_STATUS = new Set([408, 409, 429]);
const PASSING_NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'EAI_AGAIN',
  'EMFILE',
  'ENFILE',
  'EADDRNOTAVAIL',
  'UND_ERR_SOCKET',
]);

/** How long to wait before the next attempt; `undefined` when another attempt would not help or might pay twice. */
function waitBeforeRetryMs(error: unknown, attempt: number): number | undefined {
  const status = statusOf(error);
  const passing =
    status === undefined
      ? PASSING_NETWORK.has(networkCodeOf(error) ?? '')
      : PASSING_STATUS.has(status) || status >= 500;
  if (!passing || providerCodeOf(error) === 'insufficient_quota') return undefined;
  const asked = retryAfterSecondsOf(error);
  // Between half and all of the doubled time, so that clients who failed together do not return together.
  const waitMs = asked === undefined ? FIRST_WAIT_MS * 2 ** attempt * (0.5 + Math.random() / 2) : asked * 1000;
  return waitMs <= LONGEST_WAIT_MS ? waitMs : undefined;
}

/** Rejects with the error that tells the client most: a rate limit met on the way, else the last one. */
export async function withRetries<T>(
  call: () => PromiseLike<T>,
  maxRetries: number,
  signal: AbortSignal | undefined,
): Promise<T> {
  let rateLimit: unknown;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (signal?.aborted) throw error;
      if (statusOf(error) === 429) rateLimit = error;
      const waitMs = attempt < maxRetries ? waitBeforeRetryMs(error, attempt) : undefined;
      if (waitMs === undefined) throw rateLimit ?? error;
      await sleep(waitMs, undefined, signal === undefined ? {} : { signal });
    }
  }
}
