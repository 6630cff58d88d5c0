/** Posts JSON to an address that a user chose, signed where there is a secret. */
import { createHmac } from 'node:crypto';
import { type Outbound, userHeaders } from '../outbound/index.ts';
import { DeliveryError, deliveryErrorOf } from './errors.ts';
import { throwUnlessSent } from './retry-after.ts';

export interface WebhookCall {
  readonly url: string;
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
  /** Signs the body. */
  readonly secret?: string | undefined;
  /** JSON. */
  readonly body: string;
  /** The same at every try, so that the receiver can tell a repetition: `Idempotency-Key`. */
  readonly key: string;
  /** Time of the call, in milliseconds since the epoch. */
  readonly now: number;
  readonly signal: AbortSignal;
}

/** `X-Atlas-Signature`: hex HMAC-SHA256 of `timestamp.body`, the timestamp as it stands in `X-Atlas-Timestamp`. */
export function webhookSignature(secret: string, timestamp: string, body: string): string {
  return createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
}

/** Resolves with the status, a success. Rejects with a `DeliveryError`. */
export async function postWebhook(outbound: Outbound, call: WebhookCall): Promise<number> {
  const { url, body, secret, key, signal } = call;
  const timestamp = String(Math.floor(call.now / 1_000));
  const headers = {
    ...userHeaders(call.headers),
    'content-type': 'application/json',
    'idempotency-key': key,
    ...(secret && { 'x-atlas-timestamp': timestamp, 'x-atlas-signature': webhookSignature(secret, timestamp, body) }),
  };
  const answer = await outbound.fetch({ url, method: 'POST', headers, body, signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw deliveryErrorOf(error);
  });
  if (answer.method !== 'POST') {
    throw new DeliveryError('The receiver redirects with a status that drops the body.', {
      final: true,
      hint: 'Give the address that it redirects to, or let it redirect with 307 or 308.',
    });
  }
  throwUnlessSent('The receiver', answer);
  return answer.status;
}
