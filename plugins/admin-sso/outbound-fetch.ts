/** Sends what the authentication library fetches from identity providers through the service for outgoing calls. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Outbound } from '../outbound/index.ts';

export interface OutboundFetch {
  /** Inside `work` every `fetch` obeys the rules of outgoing calls. `origins`: those of the provider that is called. */
  run<T>(origins: readonly string[], work: () => Promise<T>): Promise<T>;
  /** Origins of the call that is made. */
  origins(): readonly string[];
  close(): void;
}

const WITHOUT_BODY: readonly number[] = [204, 205, 304];

/**
 * Replaces the global `fetch`, as the library calls that one and takes none of ours. Outside `run` nothing changes:
 * what is called there goes to the one before.
 */
export function outboundFetch(outbound: Outbound): OutboundFetch {
  const calls = new AsyncLocalStorage<readonly string[]>();
  const before = globalThis.fetch;
  const routed: typeof fetch = async (input, init) => {
    if (calls.getStore() === undefined) return before(input, init);
    const request = new Request(input, init);
    const body = await request.text();
    const { status, headers, text } = await outbound.fetch({
      url: request.url,
      method: request.method,
      headers: Object.fromEntries(request.headers),
      ...(body !== '' && { body }),
      signal: request.signal,
    });
    return new Response(WITHOUT_BODY.includes(status) ? null : text, { status, headers });
  };
  globalThis.fetch = routed;
  return {
    run: (origins, work) => calls.run(origins, work),
    origins: () => calls.getStore() ?? [],
    close() {
      if (globalThis.fetch === routed) globalThis.fetch = before;
    },
  };
}
