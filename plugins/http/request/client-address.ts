/**
 * Reads where a request comes from. Fastify decides how far the proxies on the way are trusted; here addresses get one
 * spelling, and entries that are no address end the search.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { isIP, SocketAddress } from 'node:net';
import type { FastifyServerOptions } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { AtlasError } from '../../../kernel/index.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The client's: IPv4, or IPv6 in its one canonical form, without zone or port. */
    address: string;
  }
}

/** `undefined` for what is no address. IPv4 that came as IPv6 is IPv4. */
function canonical(text: string): string | undefined {
  const address = text.split('%', 1)[0] as string;
  const family = isIP(address);
  if (family !== 6) return family === 4 ? address : undefined;
  const short = new SocketAddress({ address, family: 'ipv6' }).address;
  return short.startsWith('::ffff:') && isIP(short.slice(7)) === 4 ? short.slice(7) : short;
}

/** An address as proxies write it: `192.0.2.1`, `192.0.2.1:443`, `2001:db8::1`, `[2001:db8::1]:443`. */
function readAddress(text: string): string | undefined {
  const withPort = /^\[([^\]]+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text);
  return canonical(withPort?.[1] ?? withPort?.[2] ?? text);
}

function checkProxy(proxy: string): string {
  const [address = '', bits, ...rest] = proxy.split('/');
  const longest = isIP(address) === 6 ? 128 : 32;
  const isPrefix = bits === undefined || (/^\d+$/.test(bits) && Number(bits) > 0 && Number(bits) <= longest);
  if (isIP(address) !== 0 && isPrefix && rest.length === 0) return proxy;
  throw new AtlasError(`"${proxy}" in trustProxy is neither an address nor a network.`, {
    code: 'configuration_error',
    reason: 'E_HTTP_TRUST_PROXY',
    hint: 'Write them like 10.0.0.7, 10.0.0.0/8 or fd00::/8; behind one proxy at any address, use true.',
  });
}

/**
 * The option as Fastify takes it: `true` trusts the connection's peer alone, as one proxy; a list those at these
 * addresses. Throws `configuration_error` for a list that is malformed.
 */
export function trustedProxies(
  trustProxy: boolean | readonly string[],
): Exclude<FastifyServerOptions['trustProxy'], undefined> {
  if (trustProxy === true) return (_address, hop) => hop === 0;
  return trustProxy === false ? false : trustProxy.map(checkProxy);
}

function entriesOf(header: string | string[] | undefined): string[] {
  const entries = String(header ?? '').split(',');
  return entries.map((entry) => entry.trim()).filter((entry) => entry !== '');
}

/**
 * Leaves in `X-Forwarded-For` what can be read, from the last unreadable entry on: further left, the client may have
 * written it. `X-Real-IP` stands in where there is none.
 */
export function normalizeForwarded(headers: IncomingHttpHeaders): void {
  const forwarded = entriesOf(headers['x-forwarded-for']);
  const entries = forwarded.length > 0 ? forwarded : entriesOf(headers['x-real-ip']).slice(-1);
  const read = entries.map(readAddress);
  headers['x-forwarded-for'] = read.slice(read.lastIndexOf(undefined) + 1).join(', ');
}

export interface ClientAddressOptions {
  readonly isBehindProxy: boolean;
}

/** Once, before anything is done for the request: a socket that has closed no longer knows its peer. */
export const clientAddress = fastifyPlugin<ClientAddressOptions>(
  async (app, { isBehindProxy }) => {
    app.decorateRequest('address', '');
    app.addHook('onRequest', (request, _reply, done) => {
      if (isBehindProxy) normalizeForwarded(request.raw.headers);
      request.address = canonical(request.ip ?? '') ?? '';
      done();
    });
  },
  { name: 'client-address' },
);
