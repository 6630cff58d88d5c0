/** Reads host names of `Host` and `Origin` headers, and tells those that always lead to the machine of the client. */
import { isIPv4 } from 'node:net';

/** Neither credentials nor a path, which a URL could have. */
const HOST = /^(?:\[[0-9a-f:.]+\]|[\w.-]+)(?::\d*)?$/i;

/** Without its port, in lower case, an address in its one canonical form; `undefined` for what is no host. */
export function hostNameOf(host: string): string | undefined {
  return HOST.test(host) ? URL.parse(`http://${host}`)?.hostname.replace(/\.$/, '') : undefined;
}

/** Whether the name or address leads nowhere but to this machine: `localhost`, `a.localhost`, `127.0.0.1`, `::1`. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  const address = name.replace(/^::ffff:/, '');
  return /(?:^|\.)localhost$/.test(name) || name === '::1' || (isIPv4(address) && address.startsWith('127.'));
}

/** Whether the page of the origin was loaded from the host, as `Host` names it. */
export function isOriginOf(origin: string, host: string): boolean {
  const page = URL.parse(origin);
  if (page === null || !/^https?:$/.test(page.protocol) || !HOST.test(host)) return false;
  return page.host === URL.parse(`${page.protocol}//${host}`)?.host;
}
