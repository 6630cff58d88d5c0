/** Authenticates requests of a channel, in constant time. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { AtlasError, RouteRequest } from '../../kernel/index.ts';
import { rejectedCredentials } from '../auth-kit/index.ts';
import type { ChannelOptions } from './options.ts';

type Headers = RouteRequest['headers'];

const SHA256_HEX = /^[0-9a-f]{64}$/i;
const UNIX_SECONDS = /^\d{1,12}$/;

const sha256 = (text: string) => createHash('sha256').update(text).digest();

function refused(what: string, hint: string): AtlasError {
  return rejectedCredentials(what, hint);
}

function timestampOf(headers: Headers, windowSeconds: number, nowMs: number): string {
  const timestamp = headers['x-webhook-timestamp'];
  if (typeof timestamp !== 'string' || !UNIX_SECONDS.test(timestamp)) {
    throw refused(
      'The timestamp of the webhook is missing or not valid.',
      'Send the time in seconds since 1970 in X-Webhook-Timestamp.',
    );
  }
  if (Math.abs(nowMs / 1000 - Number(timestamp)) > windowSeconds) {
    throw refused(
      `The timestamp of the webhook is more than ${windowSeconds} s away from the time of the server.`,
      'Sign each request when it is sent, and keep the clock of the sender right.',
    );
  }
  return timestamp;
}

/** Everything that can be decided without the body: the secret, or the form of the signature. Throws `auth_error`. */
export function checkHeaders(channel: ChannelOptions, headers: Headers, nowMs: number): void {
  const { authType, secret, replayWindowSeconds } = channel;
  if (authType === 'api-key') {
    const given = headers['x-webhook-secret'];
    // Hashes have the same length, so that the comparison tells nothing about that of the secret.
    if (typeof given === 'string' && timingSafeEqual(sha256(given), sha256(secret))) return;
    throw refused('The secret of the webhook is missing or wrong.', 'Send it in X-Webhook-Secret.');
  }
  const signature = headers['x-webhook-signature'];
  if (typeof signature !== 'string' || !SHA256_HEX.test(signature)) {
    throw refused(
      'The signature of the webhook is missing or not valid.',
      'Send the hex HMAC-SHA256 of the request body in X-Webhook-Signature.',
    );
  }
  if (replayWindowSeconds !== undefined) timestampOf(headers, replayWindowSeconds, nowMs);
}

/**
 * Checks the signature of the bytes of the body, after `checkHeaders`. Throws `auth_error`. Resolves to what names the
 * signed request where it counts only once, else `undefined`.
 */
export function checkSignature(
  channel: ChannelOptions,
  headers: Headers,
  body: Buffer,
  nowMs: number,
): string | undefined {
  const { authType, secret, channelId, replayWindowSeconds } = channel;
  if (authType !== 'hmac') return undefined;
  const hmac = createHmac('sha256', secret);
  if (replayWindowSeconds !== undefined) hmac.update(`${timestampOf(headers, replayWindowSeconds, nowMs)}.`);
  const wanted = hmac.update(body).digest();
  const given = Buffer.from(String(headers['x-webhook-signature']), 'hex');
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) {
    throw refused(
      'The signature of the webhook does not match its body.',
      'Sign the bytes that are sent, with the secret of the channel.',
    );
  }
  return replayWindowSeconds === undefined
    ? undefined
    : sha256(`${channelId}.${wanted.toString('hex')}`).toString('hex');
}
