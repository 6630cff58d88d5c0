/** Finds the domain of cookies that a web application and its API on two subdomains share. */
import { isIP } from 'node:net';
import { getDomain } from 'tldts';

/** Hosts whose subdomains, of whatever depth, belong to different customers, and which the public suffix list lacks. */
const UNLISTED_HOSTS = new Set(
  (
    'amazonaws.com app.github.dev azurecontainerapps.io azurewebsites.net cloudapp.azure.com devtunnels.ms ' +
    'elasticbeanstalk.com gitpod.io glitch.me herokuspace.com koyeb.app loca.lt nip.io scw.cloud sslip.io ' +
    'webcontainer.io windows.net'
  ).split(' '),
);

/** By the public suffix list, on which strangers share "co.uk", and "github.io" too. */
const registrableDomain = (host: string) => getDomain(host, { allowPrivateDomains: true });

function parentOf(first: string, second: string): string | undefined {
  const registrable = registrableDomain(first);
  if (registrable === null || registrable !== registrableDomain(second)) return undefined;
  const a = first.split('.').reverse();
  const b = second.split('.').reverse();
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  const labels = a.slice(0, length).reverse();
  const isShared = labels.some((_, index) => UNLISTED_HOSTS.has(labels.slice(index).join('.')));
  return isShared ? undefined : labels.join('.');
}

function hostOf(url: string): string | undefined {
  const host = URL.parse(url)?.hostname;
  const isName = host !== undefined && host !== '' && !/^\[|\.$/.test(host) && isIP(host) === 0;
  return isName ? host : undefined;
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
