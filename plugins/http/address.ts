/** Where a request comes from. What a proxy says of it counts only as far as the proxy is trusted. */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, SocketAddress } from 'node:net';
import { AtlasError } from '../../kernel/index.ts';

/** The client's address: IPv4, or IPv6 in its one canonical form, without zone or port. */
export type AddressOf = (request: IncomingMessage) => string;

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

/** Whether to believe what the sender at `address`, `hop` proxies from here, says of its own peer. */
type Trust = (address: string, hop: number) => boolean;

function trustIn(proxies: readonly string[]): Trust {
  const known = new BlockList();
  for (const proxy of proxies) {
    const [address = '', bits, ...rest] = proxy.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    const most = family === 'ipv6' ? 128 : 32;
    const prefix = bits === undefined ? most : Number(bits);
    if (isIP(address) === 0 || rest.length > 0 || bits === '' || !(prefix >= 0 && prefix <= most && prefix % 1 === 0)) {
      throw new AtlasError(`"${proxy}" in trustProxy is neither an address nor a network.`, {
        code: 'configuration_error',
        reason: 'E_HTTP_TRUST_PROXY',
        hint: 'Write them like 10.0.0.7, 10.0.0.0/8 or fd00::/8.',
      });
    }
    known.addSubnet(address, prefix, family);
  }
  return (address) => known.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

function entriesOf(header: string | string[] | undefined): string[] {
  const entries = String(header ?? '').split(',');
  return entries.map((entry) => entry.trim()).filter((entry) => entry !== '');
}

/**
 * Reads addresses with this trust: `false` none, `true` the connection's peer is one proxy, a list the proxies at
 * these addresses. Each proxy appends its peer to `X-Forwarded-For`, so the client is the right-most entry that no
 * trusted proxy has; anything left of it, the client may have written itself. Throws for a list that is malformed.
 */
export function addressReader(trustProxy: boolean | readonly string[]): AddressOf {
  const peerOf: AddressOf = ({ socket }) => canonical(socket.remoteAddress ?? '') ?? '';
  if (trustProxy === false) return peerOf;
  const trusts = trustProxy === true ? (_address: string, hop: number) => hop === 0 : trustIn(trustProxy);
  return (request) => {
    let address = peerOf(request);
    const forwarded = entriesOf(request.headers['x-forwarded-for']);
    const path = forwarded.length > 0 ? forwarded.reverse() : entriesOf(request.headers['x-real-ip']).slice(-1);
    for (const [hop, entry] of path.entries()) {
      const next = trusts(address, hop) ? readAddress(entry) : undefined;
      if (next === undefined) break;
      address = next;
    }
    return address;
  };
}

const NETWORK_GROUPS = 4;

/** By what requests from an address are counted. An IPv4 address; of an IPv6 address the /64, since one subscriber has all of it: `2001:db8:0:7`. */
export function addressKey(ip: string): string {
  const address = ip.split('%', 1)[0] as string;
  if (!address.includes(':')) return address;
  const [before = '', after] = address.split('::');
  const head = before === '' ? [] : before.split(':');
  const tail = after === undefined || after === '' ? [] : after.split(':');
  // An IPv4 address at the end stands for two groups; it is never among the first four.
  const missing = 8 - head.length - tail.length - (address.includes('.') ? 1 : 0);
  const groups = after === undefined ? head : [...head, ...Array<string>(Math.max(0, missing)).fill('0'), ...tail];
  const network = groups.slice(0, NETWORK_GROUPS).map((group) => Number.parseInt(group, 16).toString(16));
  return network.join(':');
}
