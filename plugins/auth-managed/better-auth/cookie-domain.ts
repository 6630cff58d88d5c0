/** Finds the domain of cookies that a web application and its API on two subdomains share. */
import { isIP } from 'node:net';
import { getDomain } from 'tldts';

function parentOf(first: string, second: string): string | undefined {
  const a = first.split('.').reverse();
  const b = second.split('.').reverse();
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  const common = a.slice(0, length).reverse().join('.');
  // By the public suffix list: strangers share "co.uk", and "github.io" too.
  return getDomain(common, { allowPrivateDomains: true }) === null ? undefined : common;
}

function hostOf(url: string): string | undefined {
  const host = URL.parse(url)?.hostname;
  return host === undefined || host === '' || host.startsWith('[') || isIP(host) !== 0 ? undefined : host;
}

/**
 * The narrowest domain that `url` shares with every one of `origins` that shares any with it; `undefined` where the
 * cookie may stay on the host itself, and where the common part is, or may be, one that strangers share.
 */
export function cookieDomain(url: string | undefined, origins: readonly string[]): string | undefined {
  const own = url === undefined ? undefined : hostOf(url);
  if (own === undefined) return undefined;
  const parents = origins.flatMap((origin) => {
    const host = hostOf(origin);
    return host === undefined || host === own ? [] : (parentOf(own, host) ?? []);
  });
  return parents.sort((a, b) => a.length - b.length)[0];
}
