/** The domain of cookies that a web application and its API on two subdomains share. */
import { isIP } from 'node:net';

/** Second-level names below which countries register: `co.uk`, `com.au`. */
const REGISTRY_NAMES = new Set(
  (
    'ac ad asn asso biz co com conf coop cri csiro edu ed firm fm gen geek go gob gouv gov govt gr gub health id idv in ' +
    'inf info int iwi jus k12 kiwi lg ltd maori me med mil mod mus name ne net nhs nic nom nsn or org oz pe plc police ' +
    'pp press priv pro pub rec res sa sch school sec soc store tm tur tv web'
  ).split(' '),
);

/** Hosts whose subdomains belong to different customers. */
const SHARED_HOSTS = new Set(
  (
    'amazonaws.com amplifyapp.com appspot.com azurecontainerapps.io azureedge.net azurestaticapps.net azurewebsites.net ' +
    'blogspot.com cloudapp.net cloudflare.net cloudfront.net ddns.net deno.dev duckdns.org dyndns.org elasticbeanstalk.com ' +
    'firebaseapp.com fly.dev github.io gitlab.io gitpod.io glitch.me googleapis.com hasura.app herokuapp.com ' +
    'herokuspace.com hosted.app koyeb.app netlify.app ngrok-free.app ngrok-free.dev ngrok.app ngrok.dev ngrok.io nip.io ' +
    'no-ip.org now.sh onrender.com pages.dev pythonanywhere.com r2.dev railway.app render.com repl.co replit.app ' +
    'replit.dev run.app sslip.io surge.sh trafficmanager.net trycloudflare.com up.railway.app vercel.app web.app ' +
    'webcontainer.io windows.net workers.dev'
  ).split(' '),
);

function isShared(labels: readonly string[]): boolean {
  const [second = '', top = ''] = labels.slice(-2);
  if (labels.length === 2 && top.length === 2 && REGISTRY_NAMES.has(second)) return true;
  // What lies below such a host may be a region or a product, and only then a customer: none of it is taken.
  return labels.some((_, index) => SHARED_HOSTS.has(labels.slice(index).join('.')));
}

function parentOf(first: string, second: string): string | undefined {
  const a = first.split('.').reverse();
  const b = second.split('.').reverse();
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  const labels = a.slice(0, length).reverse();
  const named = labels.length >= 2 && labels.at(-1) !== 'localhost' && /^[a-z]|^xn--/.test(labels.at(-1) ?? '');
  return named && !isShared(labels) ? labels.join('.') : undefined;
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
