/** URLs of database servers. Errors never repeat them: they hold passwords. */
import { readFileSync } from 'node:fs';
import type { SecureContextOptions } from 'node:tls';
import { AtlasError } from '../../../kernel/index.ts';

const NO_HOST = 'no-host.invalid';

export interface ServerUrl {
  readonly user: string;
  readonly password: string;
  /** Without the brackets of an IPv6 address; the folder or path of a socket begins with "/". Empty: none. */
  readonly host: string;
  readonly port: number | undefined;
  readonly database: string;
  readonly params: ReadonlyMap<string, string>;
}

export interface UrlDialect {
  /** As it is named in messages: "PostgreSQL". */
  readonly name: string;
  readonly schemes: readonly string[];
  /** Parameters that mean something here, and those that other clients use and that change nothing here. */
  readonly params: readonly string[];
  readonly ignoredParams: readonly string[];
  readonly example: string;
}

export function invalidUrl(dialect: UrlDialect, why: string): AtlasError {
  return new AtlasError(`The ${dialect.name} URL cannot be used: ${why}.`, {
    code: 'configuration_error',
    reason: 'E_DATASOURCE_URL',
    hint: `Write "${dialect.example}"; in user and password, write characters such as "@", "/", "#" and "%" as "%40", "%2F", "%23" and "%25".`,
  });
}

/** Throws `configuration_error` for what is no such URL or holds a parameter that is not known. */
export function parseServerUrl(text: string, dialect: UrlDialect): ServerUrl {
  let url: URL;
  try {
    // The form "user@/database", for a socket that a parameter names, has a user and no host: no URL for the parser.
    url = new URL(text.trim().replace(/@(?=\/)/, `@${NO_HOST}`));
  } catch {
    throw invalidUrl(dialect, 'it is no URL');
  }
  if (!dialect.schemes.includes(url.protocol.slice(0, -1))) {
    throw invalidUrl(dialect, `it does not begin with "${dialect.schemes[0]}://"`);
  }
  if (url.hash !== '') throw invalidUrl(dialect, 'it holds a "#"');
  const decoded = (part: string) => {
    try {
      return decodeURIComponent(part);
    } catch {
      throw invalidUrl(dialect, 'it holds a "%" that encodes nothing');
    }
  };
  if (/\0|%00/.test(text)) throw invalidUrl(dialect, 'it holds a null byte');
  const params = new Map<string, string>();
  for (const [name, value] of url.searchParams) {
    const known = name.toLowerCase();
    if (dialect.ignoredParams.includes(known)) continue;
    if (!dialect.params.includes(known)) {
      throw invalidUrl(dialect, `it has a parameter that is not known; known are ${dialect.params.join(', ')}`);
    }
    params.set(known, value);
  }
  const host = decoded(url.hostname === NO_HOST ? '' : url.hostname).replace(/^\[(.*)\]$/, '$1');
  if (host.includes(',')) throw invalidUrl(dialect, 'it names several hosts; name one');
  return {
    user: decoded(url.username),
    password: decoded(url.password),
    host,
    port: url.port === '' ? undefined : Number(url.port),
    database: decoded(url.pathname.replace(/^\//, '')),
    params,
  };
}

/**
 * Throws `configuration_error` for a URL that names a socket of this server or has one of the parameters `local`: for URLs
 * that come from people without access to this server.
 */
export function assertRemote({ host, params }: ServerUrl, local: readonly string[], dialect: UrlDialect): void {
  const used = local.find((name) => params.has(name));
  if (used !== undefined) {
    throw invalidUrl(dialect, `its parameter "${used}" is only for connections of the configuration`);
  }
  if (![host, params.get('host')].some((name) => name?.startsWith('/'))) return;
  throw invalidUrl(dialect, 'it names a socket, which is only for connections of the configuration');
}

/** Which server and database it is: no user, no password, no parameter, no folder of a socket. */
export function maskServerUrl(scheme: string, url: ServerUrl, database: string): string {
  const host = url.host.includes(':') ? `[${url.host}]` : url.host;
  const user = url.user === '' && url.password === '' ? '' : '***@';
  const place = host.startsWith('/') ? '' : `${host}${url.port === undefined ? '' : `:${url.port}`}`;
  return `${scheme}://${user}${place}/${database}`;
}

/** The content of a file that a URL names, such as a certificate. */
export function readUrlFile(path: string, param: string, dialect: UrlDialect): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw invalidUrl(dialect, `the file of its parameter "${param}" cannot be read`);
  }
}

/** The first of the parameters that the URL has, as true or false; `undefined`: it has none of them. */
export function urlFlag({ params }: ServerUrl, dialect: UrlDialect, ...names: readonly string[]): boolean | undefined {
  const name = names.find((one) => params.has(one));
  if (name === undefined) return undefined;
  const value = { true: true, '1': true, yes: true, false: false, '0': false, no: false }[
    String(params.get(name)).toLowerCase()
  ];
  if (value === undefined) throw invalidUrl(dialect, `its "${name}" is neither true nor false`);
  return value;
}

export type UrlTls = SecureContextOptions & { readonly rejectUnauthorized: boolean };

/** Encryption by the parameters `verify`, `skip_verify`, `ca_cert`, `client_cert` and `client_cert_key`, and their other names. */
export function urlTls(url: ServerUrl, dialect: UrlDialect): UrlTls {
  const { params } = url;
  const read = (...names: readonly string[]) => {
    const name = names.find((one) => params.has(one));
    return name === undefined ? undefined : readUrlFile(String(params.get(name)), name, dialect);
  };
  const [ca, cert, key] = [
    read('ca_cert', 'ca_certs'),
    read('client_cert', 'certfile'),
    read('client_cert_key', 'keyfile'),
  ];
  return {
    rejectUnauthorized: urlFlag(url, dialect, 'verify') ?? !(urlFlag(url, dialect, 'skip_verify') ?? false),
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  };
}

/** Whether what is sent to the host leaves this computer by no network. */
export const isLoopback = (host: string): boolean =>
  /^(?:(?:[\w-]+\.)*localhost|127(?:\.\d+){3}|\[?::1\]?)$/i.test(host);
