/** Names the network that requests from an address are counted by. */

const NETWORK_GROUPS = 4;

/** The IPv4 address itself; of an IPv6 address the /64, since one subscriber has all of it: `2001:db8:0:7`. */
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
