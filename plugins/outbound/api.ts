/** Types the service for calls to addresses that a user or the model chose. */
import type { LookupFunction } from 'node:net';

export interface OutboundRequest {
  readonly url: string;
  /** Default `GET`. */
  readonly method?: string;
  /** Headers that a user chose go through `userHeaders` first. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Default and largest value: the option. */
  readonly timeoutMs?: number | undefined;
  /** Default: the option. */
  readonly maxBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface OutboundResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** At most `maxBytes` of the body, as UTF-8. */
  readonly text: string;
  /** The method of the last request: a redirect may turn a POST into a GET, which has no body. */
  readonly method: string;
}

export interface Outbound {
  /**
   * Rejects with `invalid_request` when the address may not be called. A name that cannot be resolved now passes: what
   * it resolves to is checked again when it is called.
   */
  check(url: string): Promise<void>;
  /**
   * Resolves with the answer, whatever its status. Rejects with `invalid_request` before anything is sent when the
   * address, or that of a redirect, may not be called; with the reason `E_OUTBOUND_FAILED` when no answer came.
   */
  fetch(request: OutboundRequest): Promise<OutboundResponse>;
  /**
   * For clients that connect themselves, such as those that stream: the `lookup` to give to Node's `request`, which fails
   * for a name with a private address. Throws `invalid_request` for a URL that may not be called by its text. Ask again
   * for the address of a redirect, and use no proxy.
   */
  guard(url: URL): LookupFunction;
}
