/** Reads networks in CIDR notation, and tells which addresses they hold. */
import { isIP } from 'node:net';
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';

export interface Network {
  /** Canonical: host bits cleared, IPv6 in its shortest form, IPv4 within IPv6 as IPv4. */
  readonly cidr: string;
  holds(address: string): boolean;
}

const MAPPED_PREFIX_BITS = 96;

/** Addresses are compared as IPv4 where they are, also when they came within IPv6. */
function read(address: string): IPv4 | IPv6 | undefined {
  const version = isIP(address);
  if (version === 4) return ipaddr.IPv4.parse(address);
  if (version !== 6 || address.includes('%')) return undefined;
  const parsed = ipaddr.IPv6.parse(address);
  return parsed.isIPv4MappedAddress() ? parsed.toIPv4Address() : parsed;
}

/**
 * `undefined` for what is no network of IPv4 or IPv6. A single address is a network of one; host bits are cleared. Node
 * decides what an address is, as ipaddr.js also takes octal numbers and short forms.
 */
export function readNetwork(text: string): Network | undefined {
  const [, address = '', bits] = /^([^/]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? [];
  const parsed = read(address);
  if (parsed === undefined) return undefined;
  const given = isIP(address) === 4 ? 32 : 128;
  const prefix = bits === undefined ? given : Number(bits);
  if (prefix > given) return undefined;
  if (parsed instanceof ipaddr.IPv4) {
    // A network that holds more than the mapped addresses is none of IPv4.
    const length = given === 32 ? prefix : prefix - MAPPED_PREFIX_BITS;
    if (length < 0) return undefined;
    return networkOf(ipaddr.IPv4.networkAddressFromCIDR(`${parsed}/${length}`), length);
  }
  return networkOf(ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/${prefix}`), prefix);
}

function networkOf(network: IPv4 | IPv6, prefix: number): Network {
  const text = network instanceof ipaddr.IPv4 ? network.toString() : network.toRFC5952String();
  return {
    cidr: `${text}/${prefix}`,
    holds(address) {
      const parsed = read(address);
      if (parsed instanceof ipaddr.IPv4 && network instanceof ipaddr.IPv4) return parsed.match(network, prefix);
      return parsed instanceof ipaddr.IPv6 && network instanceof ipaddr.IPv6 && parsed.match(network, prefix);
    },
  };
}
