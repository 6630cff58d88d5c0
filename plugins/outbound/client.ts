/** Calls addresses that a user or the model chose, and none that is private: checked where each connection goes. */
import type { IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AtlasError } from '../../kernel/index.ts';
import { isPublicAddress } from './addresses.ts';
import type { Outbound, OutboundRequest, OutboundResponse } from './api.ts';
import { allowedHosts, type Destination, destinationOf, hostOf } from './destination.ts';
import { failed, refused, refusedAsPrivate } from './errors.ts';
import { redirectHeaders } from './headers.ts';
import type { OutboundOptions } from './options.ts';
import { fewAtOnce, type Resolve, resolveName } from './resolve.ts';

// Not imported: the names that an import takes include those for which Node loads its WebSocket client, 50 ms at a start.
const { Agent: HttpAgent, request: requestHttp } = process.getBuiltinModule('node:http');

interface Hop {
  readonly to: Destination;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
const MOST_REDIRECTS = 5;
const CHECK_TIMEOUT_MS = 3_000;

export function openOutbound(options: OutboundOptions, resolver: Resolve = resolveName): Outbound {
  const resolve = fewAtOnce(resolver);
  const allowed = allowedHosts(options.allowPrivate);
  // Agents of its own: a proxy of the environment would connect in place of the address that was checked.
  const agents = { 'http:': new HttpAgent(), 'https:': new HttpsAgent() };

  /** Gives Node the addresses to connect to: none, when one of them is private. */
  const lookupFor =
    ({ url, isAllowed }: Destination): LookupFunction =>
    (name, { all }, callback) => {
      const found = resolve(name).then((addresses) => {
        if (!isAllowed && !addresses.every(({ address }) => isPublicAddress(address))) throw refusedAsPrivate(url.host);
        if (addresses[0] === undefined) throw failed(`The name ${name} has no address.`);
        return { addresses, first: addresses[0] };
      });
      found.then(
        ({ addresses, first }) => (all ? callback(null, [...addresses]) : callback(null, first.address, first.family)),
        (error) => callback(error, ''),
      );
    };

  /** Resolves when the headers of the answer are there. */
  const send = ({ to, method, headers, body }: Hop, signal: AbortSignal) =>
    new Promise<IncomingMessage>((take, reject) => {
      const secure = to.url.protocol === 'https:';
      const request = (secure ? requestHttps : requestHttp)(to.url, {
        method,
        headers: { 'user-agent': 'atlas', ...headers, 'accept-encoding': 'identity' },
        agent: secure ? agents['https:'] : agents['http:'],
        lookup: lookupFor(to),
        signal,
      });
      request.on('error', reject);
      request.on('response', (incoming) => {
        // A connection that breaks before the body is read must not become an uncaught error.
        incoming.on('error', () => {});
        take(incoming);
      });
      request.end(body);
    });

  async function follow(first: Hop, signal: AbortSignal, maxBytes: number): Promise<OutboundResponse> {
    let hop = first;
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
      const incoming = await send(hop, signal);
      const { statusCode = 0, headers } = incoming;
      const isRedirect = REDIRECTS.includes(statusCode) && headers.location !== undefined;
      if (!isRedirect) return { ...(await readAnswer(incoming, maxBytes)), method: hop.method };
      incoming.destroy();
      hop = redirected(hop, statusCode, destinationOf(headers.location ?? '', allowed, hop.to.url));
    }
    throw refused(`The address redirects more than ${MOST_REDIRECTS} times.`, 'Give the address that it leads to.');
  }

  return {
    guard: ({ href }) => lookupFor(destinationOf(href, allowed)),
    async check(text) {
      const { url, isAllowed } = destinationOf(text, allowed);
      if (isAllowed) return;
      const unknown = () => [];
      const late = sleep(CHECK_TIMEOUT_MS, [], { ref: false });
      const addresses = await Promise.race([resolve(hostOf(url)).catch(unknown), late]);
      if (!addresses.every(({ address }) => isPublicAddress(address))) throw refusedAsPrivate(url.host);
    },
    async fetch({ url, method = 'GET', headers = {}, body, ...limits }: OutboundRequest) {
      const to = destinationOf(url, allowed);
      const timeoutMs = Math.min(limits.timeoutMs ?? options.timeoutMs, options.timeoutMs);
      const timeout = AbortSignal.timeout(timeoutMs);
      const signal = AbortSignal.any([timeout, ...(limits.signal === undefined ? [] : [limits.signal])]);
      try {
        return await follow({ to, method, headers, body }, signal, limits.maxBytes ?? options.maxBytes);
      } catch (error) {
        limits.signal?.throwIfAborted();
        if (error instanceof AtlasError) throw error;
        if (timeout.aborted) throw failed(`${to.url.host} did not answer within ${timeoutMs} ms.`, error);
        throw failed(`${to.url.host} could not be reached${reasonOf(error)}.`, error);
      }
    },
  };
}

/** The request that a redirect asks for, as the Fetch standard has it. */
function redirected(hop: Hop, status: number, to: Destination): Hop {
  const turnsToGet = status === 303 ? !['GET', 'HEAD'].includes(hop.method) : status <= 302 && hop.method === 'POST';
  const isSameOrigin = to.url.origin === hop.to.url.origin;
  return {
    to,
    method: turnsToGet ? 'GET' : hop.method,
    headers: redirectHeaders(hop.headers, { isSameOrigin, keepsBody: !turnsToGet }),
    body: turnsToGet ? undefined : hop.body,
  };
}

async function readAnswer(incoming: IncomingMessage, maxBytes: number): Promise<Omit<OutboundResponse, 'method'>> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of incoming as AsyncIterable<Buffer>) {
    pieces.push(piece.subarray(0, maxBytes - bytes));
    bytes += piece.length;
    // Leaving the loop closes the connection.
    if (bytes >= maxBytes) break;
  }
  const headers = Object.entries(incoming.headersDistinct).map(([name, values]) => [name, values?.join(', ') ?? '']);
  return {
    status: incoming.statusCode ?? 0,
    headers: Object.fromEntries(headers),
    text: Buffer.concat(pieces).toString(),
  };
}

/** The system's code of a failed connection, such as `ECONNREFUSED`. */
function reasonOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  return code === undefined ? '' : ` (${code})`;
}
