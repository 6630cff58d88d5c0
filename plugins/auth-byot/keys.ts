/** Fetches the issuer's public keys when needed, and keeps them while the issuer is away. */
import { type CryptoKey, createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey, type RemoteJWKSet } from 'jose';
import { AtlasError, type Logger, messageOf } from '../../kernel/index.ts';
import type { ByotOptions } from './options.ts';

/** Far more than any issuer's keys need. */
const MAX_BYTES = 1024 * 1024;

/** The answer, read to its end. Throws for a longer one as soon as it turns out to be. */
async function readWhole(response: Response): Promise<Response> {
  if (response.status !== 200 || response.body === null) return response;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new Error('The answer is larger than 1 MiB.');
    chunks.push(chunk);
  }
  return new Response(Buffer.concat(chunks));
}

export interface IssuerKeysInit {
  readonly url: URL;
  readonly options: Pick<ByotOptions, 'keysMaxAgeMs' | 'keysCooldownMs' | 'keysTimeoutMs'>;
  readonly log: Logger;
  /** Milliseconds on a clock that never goes back. */
  now(): number;
}

export class IssuerKeys {
  readonly #init: IssuerKeysInit;
  readonly #remote: RemoteJWKSet;
  readonly #closing = new AbortController();
  #fetching: Promise<void> | undefined;
  #attemptedAt = Number.NEGATIVE_INFINITY;
  /** When a key that a token named was last looked for. */
  #searchedAt = Number.NEGATIVE_INFINITY;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  /** Why the last fetch failed. */
  #problem: string | undefined;

  constructor(init: IssuerKeysInit) {
    this.#init = init;
    const { signal: closing } = this.#closing;
    this.#remote = createRemoteJWKSet(init.url, {
      timeoutDuration: init.options.keysTimeoutMs,
      // When to fetch is decided here: the library asks again at once after a failure, and drops keys by age.
      cacheMaxAge: Number.POSITIVE_INFINITY,
      cooldownDuration: Number.POSITIVE_INFINITY,
      [customFetch]: async (url, request) =>
        readWhole(await fetch(url, { ...request, signal: AbortSignal.any([request.signal, closing]) })),
    });
  }

  /** Why keys could not be fetched the last time; `undefined` when all is well. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** How many keys there are. */
  get count(): number {
    return this.#remote.jwks()?.keys.length ?? 0;
  }

  /**
   * The key for a token, for jose. A key that is not known is looked for at the issuer, at most once in the cool-down.
   * Throws jose's error when there is none, and `unavailable` when that cannot be told.
   */
  readonly find: JWTVerifyGetKey = async (header, token): Promise<CryptoKey> => {
    const { keysMaxAgeMs } = this.#init.options;
    if (this.#init.now() - this.#fetchedAt >= keysMaxAgeMs) {
      const refreshed = this.refresh();
      // Not awaited for an issuer that was away before, as long as there are keys.
      if (this.count === 0 || this.#problem === undefined) await refreshed;
    }
    if (this.count === 0 && this.#problem !== undefined) throw this.#unavailable();
    try {
      return await this.#remote(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      if (!(await this.#search()) && this.#problem === undefined) throw error;
      // The issuer may have this key by now, and cannot be asked.
      if (this.#problem !== undefined) throw this.#unavailable();
      return this.#remote(header, token);
    }
  };

  /** A key may have been rotated just after the keys were fetched, so only searches hold searches up. */
  async #search(): Promise<boolean> {
    const { now, options } = this.#init;
    if (now() - this.#searchedAt >= options.keysCooldownMs) {
      this.#searchedAt = now();
      this.#attemptedAt = Number.NEGATIVE_INFINITY;
    }
    return this.refresh();
  }

  /** Fetches the keys unless that was tried a moment ago. Whether it was tried now; a failure is logged. */
  async refresh(): Promise<boolean> {
    if (this.#fetching === undefined) {
      if (this.#init.now() - this.#attemptedAt < this.#init.options.keysCooldownMs) return false;
      this.#fetching = this.#fetch().finally(() => {
        this.#fetching = undefined;
      });
    }
    await this.#fetching;
    return true;
  }

  close(): void {
    this.#closing.abort();
  }

  async #fetch(): Promise<void> {
    const { now, log, url } = this.#init;
    this.#attemptedAt = now();
    try {
      await this.#remote.reload();
      this.#fetchedAt = now();
      this.#problem = undefined;
    } catch (error) {
      this.#problem = `The token keys could not be fetched from ${url.host}.`;
      if (this.#closing.signal.aborted) return;
      const cause = error instanceof Error && error.cause !== undefined ? `: ${messageOf(error.cause)}` : '';
      log.warn({ url: `${url.origin}${url.pathname}`, error: `${messageOf(error)}${cause}` }, this.#problem);
    }
  }

  #unavailable(): AtlasError {
    const { now, options } = this.#init;
    const waitMs = this.#attemptedAt + options.keysCooldownMs - now();
    return new AtlasError('The token cannot be checked: the identity provider does not give its keys.', {
      code: 'unavailable',
      reason: 'E_JWKS_UNAVAILABLE',
      retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
      hint: 'Try again shortly.',
    });
  }
}
