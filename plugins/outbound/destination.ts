/** Reads a URL to be called, and refuses those that are wrong or private by their text alone. */
import { isIP } from 'node:net';
import { isPublicAddress } from './addresses.ts';
import { refused, refusedAsPrivate } from './errors.ts';

export interface Destination {
  readonly url: URL;
  /** The operator allowed this host and port, wherever it leads. */
  readonly isAllowed: boolean;
}

const LONGEST_URL = 4_096;
/** Names that lead into the own machine or network: RFC 6761, 6762, 8375, and ICANN's reservation of `internal`. */
const LOCAL_NAME = /(^|\.)(localhost|local|internal|home\.arpa)$/;

/** `host:port` as `destinationOf` compares it: the spelling of the URL standard, with the scheme's default port. */
const hostAndPort = ({ protocol, hostname, port }: URL) =>
  `${hostname}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`;

/** The allowed `host:port` texts in the spelling of the URL standard. */
export function allowedHosts(list: readonly string[]): ReadonlySet<string> {
  const urls = list.map((item) => URL.parse(`http://${item}`));
  return new Set(urls.flatMap((url) => (url === null ? [] : [hostAndPort(url)])));
}

/** `base`: what a redirect is relative to. */
export function destinationOf(text: string, allowed: ReadonlySet<string>, base?: URL): Destination {
  const url = text.length > LONGEST_URL ? null : URL.parse(text, base?.href);
  if (url === null) throw refused('The URL is not valid.', 'Give a complete URL, such as https://example.com/hook.');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw refused(`URLs of the scheme ${url.protocol} are not allowed.`, 'Give an http or https URL.');
  }
  if (url.username !== '' || url.password !== '') {
    throw refused('The URL holds a user name or a password.', 'Give the URL without what stands before the @.');
  }
  if (url.port === '0') throw refused('The port 0 cannot be called.', 'Give the port of the server.');
  const isAllowed = allowed.has(hostAndPort(url));
  if (!isAllowed && !mayBePublic(hostOf(url))) throw refusedAsPrivate(url.host);
  return { url, isAllowed };
}

/** The name or address, without the brackets of IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** A public address, or a name that may lead to one. Names without a dot belong to the local network. */
function mayBePublic(host: string): boolean {
  if (isIP(host) !== 0) return isPublicAddress(host);
  const name = host.replace(/\.+$/, '');
  return name.includes('.') && !LOCAL_NAME.test(name);
}
