/** Refuses a signed request that came before, on channels with a replay window. */
import { AtlasError } from '../../kernel/index.ts';
import { rejectedCredentials } from '../auth-kit/index.ts';
import type { WebhookStore } from './store.ts';

/** Signatures that are remembered at a time where there is no internal database. */
const MAX_REMEMBERED = 100_000;

export interface ReplayGuard {
  /** Rejects with `auth_error` unless the signature is new. */
  claim(signature: string, windowSeconds: number): Promise<void>;
  /** The request was refused after all: it may come again. */
  release(signature: string): Promise<void>;
}

/** A timestamp may be ahead of the clock by the window, and is then good for twice as long. */
const keptMs = (windowSeconds: number) => 2 * windowSeconds * 1000 + 1000;

function refused(): AtlasError {
  return rejectedCredentials('This signed request came before.', 'Sign each request with its own time.');
}

/** On all servers, and across restarts. */
export function storedReplayGuard(store: WebhookStore): ReplayGuard {
  return {
    async claim(signature, windowSeconds) {
      if (!(await store.claimSignature(signature, keptMs(windowSeconds)))) throw refused();
    },
    release: (signature) => store.releaseSignature(signature),
  };
}

/** On this server, until it stops. */
export function memoryReplayGuard(now: () => number): ReplayGuard {
  const expiries = new Map<string, number>();
  const forgetExpired = () => {
    for (const [signature, expiresAt] of expiries) if (expiresAt < now()) expiries.delete(signature);
  };
  return {
    async claim(signature, windowSeconds) {
      const expiresAt = expiries.get(signature);
      if (expiresAt !== undefined && expiresAt >= now()) throw refused();
      if (expiries.size >= MAX_REMEMBERED) forgetExpired();
      if (expiries.size >= MAX_REMEMBERED) {
        throw new AtlasError('Too many signed requests came in a short time.', {
          code: 'overloaded',
          reason: 'E_WEBHOOK_SIGNATURES',
          retryAfterSeconds: windowSeconds,
          hint: 'Try again later, or shorten the replay window of the channel.',
        });
      }
      expiries.set(signature, now() + keptMs(windowSeconds));
    },
    async release(signature) {
      expiries.delete(signature);
    },
  };
}
