/** Decides which IP addresses lie on the public internet. */
import ipaddr from 'ipaddr.js';

/** The only part of IPv6 that is assigned to the public internet. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** Azure's machines reach their metadata and agent services at this public address. */
const AZURE_HOST = '168.63.129.16';

/**
 * Whether an address may be called. IPv6 addresses that carry an IPv4 one (mapped, NAT64, 6to4, Teredo) are not public,
 * whatever they carry.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv6 ? address.match(GLOBAL_IPV6) : address.toString() !== AZURE_HOST;
}
