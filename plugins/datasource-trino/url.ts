/** Trino URLs: a coordinator or what stands before it, a catalog and a schema. */
import { isIP } from 'node:net';
import {
  assertRemote,
  invalidUrl,
  maskServerUrl,
  parseServerUrl,
  type UrlDialect,
  type UrlTls,
  urlFlag,
  urlTls,
} from '../datasource-kit/index.ts';
import { TRINO_SCHEMES } from './schemes.ts';

/** Parameters that name files of this server. */
const FILE_PARAMS = ['ca_cert', 'client_cert', 'client_cert_key'];

const DIALECT: UrlDialect = {
  name: 'Trino',
  schemes: TRINO_SCHEMES,
  params: ['tls', 'ssl', 'verify', ...FILE_PARAMS],
  ignoredParams: ['applicationnameprefix', 'clientinfo', 'disablecompression', 'source'],
  example: 'trino://user@host:8080/catalog/schema',
};

/** What a header of HTTP holds as it is. */
const HEADER_TEXT = /^[\x20-\x7e]+$/;

export interface TrinoTarget {
  readonly user: string;
  readonly password: string;
  /** Without the brackets of an IPv6 address. */
  readonly host: string;
  readonly port: number;
  readonly catalog: string;
  readonly schema: string;
  /** `undefined`: never encrypted. */
  readonly tls: UrlTls | undefined;
  readonly maskedUrl: string;
}

/** `isRemote`: it may name no file of this server. Throws `configuration_error`, without repeating the URL. */
export function parseTrinoUrl(text: string, isRemote = false): TrinoTarget {
  const url = parseServerUrl(text, DIALECT);
  assertRemote(url, isRemote ? FILE_PARAMS : [], DIALECT);
  if (url.host.startsWith('/')) throw invalidUrl(DIALECT, 'it names a socket, which Trino does not have');
  const isTlsScheme = /^\s*trinos:/i.test(text);
  const isSecure = urlFlag(url, DIALECT, 'tls', 'ssl') ?? isTlsScheme;
  if (isTlsScheme && !isSecure) throw invalidUrl(DIALECT, 'it begins with "trinos://" and turns encryption off');
  if (url.password !== '' && !isSecure) {
    throw invalidUrl(DIALECT, 'it has a password and no encryption, and Trino takes passwords over TLS only');
  }
  const [catalog = '', schema = '', ...more] = url.database.split('/');
  if (catalog === '' || schema === '' || more.length > 0) {
    throw invalidUrl(DIALECT, 'it does not end with a catalog and a schema');
  }
  if (url.user === '') throw invalidUrl(DIALECT, 'it names no user');
  if (url.user.includes(':')) throw invalidUrl(DIALECT, 'its user holds a colon');
  if (![url.user, catalog, schema].every((part) => HEADER_TEXT.test(part))) {
    throw invalidUrl(DIALECT, 'user, catalog and schema can hold plain letters and signs only');
  }
  const host = url.host === '' ? 'localhost' : url.host;
  // Some spellings of an address are a name to others, such as those who check where it leads.
  const address = URL.parse(`http://${isIP(host) === 6 ? `[${host}]` : host}`)?.hostname.replace(/^\[|\]$/g, '');
  if (address === undefined || isIP(address) !== isIP(host)) throw invalidUrl(DIALECT, 'its host is no name');
  const port = url.port ?? (isSecure ? 8443 : 8080);
  if (port < 1) throw invalidUrl(DIALECT, 'its port is no port number');
  return {
    user: url.user,
    password: url.password,
    host,
    port,
    catalog: catalog.toLowerCase(),
    schema: schema.toLowerCase(),
    tls: isSecure ? urlTls(url, DIALECT) : undefined,
    maskedUrl: maskServerUrl(
      isSecure ? 'trinos' : 'trino',
      { ...url, host, port },
      `${catalog}/${schema}`.toLowerCase(),
    ),
  };
}

/** The name as `X-Trino-User` can hold it; `undefined` for one that it cannot. */
export const headerUser = (label: string): string | undefined =>
  HEADER_TEXT.test(label) && label.trim() === label && label.length <= 200 ? label : undefined;
