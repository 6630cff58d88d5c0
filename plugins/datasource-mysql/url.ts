/** MySQL and MariaDB URLs: hosts, sockets and modes of encryption, named as their command-line clients name them. */
import { isIP } from 'node:net';
import type { SslOptions } from 'mysql2';
import {
  assertRemote,
  invalidUrl,
  maskServerUrl,
  parseServerUrl,
  readUrlFile,
  type UrlDialect,
} from '../datasource-kit/index.ts';
import { MYSQL_SCHEMES } from './schemes.ts';

const DIALECT: UrlDialect = {
  name: 'MySQL',
  schemes: MYSQL_SCHEMES,
  params: ['socket', 'ssl-mode', 'sslmode', 'ssl', 'ssl-ca', 'ssl-cert', 'ssl-key'],
  ignoredParams: [
    'charset',
    'collation',
    'timezone',
    'servertimezone',
    'connect_timeout',
    'connection_limit',
    'pool_timeout',
    'allowpublickeyretrieval',
    'characterencoding',
    'useunicode',
    'zerodatetimebehavior',
  ],
  example: 'mysql://user:password@host:3306/database',
};

const MODES = ['DISABLED', 'PREFERRED', 'REQUIRED', 'VERIFY_CA', 'VERIFY_IDENTITY'] as const;
type SslMode = (typeof MODES)[number];

export interface MysqlTarget {
  readonly user: string;
  readonly password: string;
  readonly host: string;
  readonly port: number;
  /** One of the host's addresses, to connect to. */
  readonly address?: string;
  /** Path of a socket, used in place of host and port. */
  readonly socket: string | undefined;
  /** `undefined`: none is selected, tables need their database's name. */
  readonly database: string | undefined;
  /** `undefined`: never encrypted. */
  readonly tls: SslOptions | undefined;
  /** A server that cannot encrypt may be used without. */
  readonly plainAllowed: boolean;
  readonly maskedUrl: string;
}

function sslMode(params: ReadonlyMap<string, string>): SslMode {
  const named = params.get('ssl-mode') ?? params.get('sslmode');
  const switched = { true: 'REQUIRED', '1': 'REQUIRED', false: 'DISABLED', '0': 'DISABLED' }[params.get('ssl') ?? ''];
  const given = named ?? switched ?? params.get('ssl') ?? 'PREFERRED';
  const mode = MODES.find((name) => name === given.toUpperCase().replace('-', '_'));
  if (mode === undefined) throw invalidUrl(DIALECT, `its "ssl-mode" is none of ${MODES.join(', ')}`);
  return mode;
}

function tlsOptions(mode: SslMode, params: ReadonlyMap<string, string>): SslOptions {
  const files = Object.entries({ ca: 'ssl-ca', cert: 'ssl-cert', key: 'ssl-key' }).flatMap(([option, param]) => {
    const path = params.get(param);
    return path === undefined ? [] : [[option, readUrlFile(path, param, DIALECT)]];
  });
  return {
    rejectUnauthorized: mode.startsWith('VERIFY') || (mode === 'REQUIRED' && params.has('ssl-ca')),
    verifyIdentity: mode === 'VERIFY_IDENTITY',
    ...Object.fromEntries(files),
  };
}

/** Throws `configuration_error` for a URL that reads files or sockets of this server. */
export function assertRemoteMysqlUrl(text: string): void {
  assertRemote(parseServerUrl(text, DIALECT), ['socket', 'ssl-ca', 'ssl-cert', 'ssl-key'], DIALECT);
}

/** Throws `configuration_error`, without repeating the URL. */
export function parseMysqlUrl(text: string): MysqlTarget {
  const url = parseServerUrl(text, DIALECT);
  const mode = sslMode(url.params);
  const socket = url.params.get('socket') ?? (url.host.startsWith('/') ? url.host : undefined);
  const host = url.host === '' ? 'localhost' : url.host;
  const port = url.port ?? 3306;
  if (url.user === '') throw invalidUrl(DIALECT, 'it names no user');
  // For an address, the library compares the certificate with "localhost".
  if (mode === 'VERIFY_IDENTITY' && isIP(host) !== 0) {
    throw invalidUrl(DIALECT, 'its "ssl-mode" VERIFY_IDENTITY needs a host name in place of an address');
  }
  if (port < 1) throw invalidUrl(DIALECT, 'its port is no port number');
  return {
    user: url.user,
    password: url.password,
    host,
    port,
    socket,
    database: url.database === '' ? undefined : url.database,
    tls: mode === 'DISABLED' || socket !== undefined ? undefined : tlsOptions(mode, url.params),
    plainAllowed: mode === 'PREFERRED',
    maskedUrl: maskServerUrl('mysql', { ...url, host: socket ?? host }, url.database),
  };
}
