/** Snowflake URLs: an account, a database and a schema, named as the clients of Snowflake name them. */
import { isIP } from 'node:net';
import {
  assertRemote,
  invalidUrl,
  isLoopback,
  maskServerUrl,
  parseServerUrl,
  readUrlFile,
  type ServerUrl,
  type UrlDialect,
  type UrlTls,
  urlTls,
} from '../datasource-kit/index.ts';
import { SNOWFLAKE_SCHEMES } from './schemes.ts';

/** Parameters that name files of this server. */
const FILE_PARAMS = ['private_key_file', 'ca_cert'];

const DIALECT: UrlDialect = {
  name: 'Snowflake',
  schemes: SNOWFLAKE_SCHEMES,
  params: ['warehouse', 'role', 'authenticator', 'host', 'port', 'protocol', 'verify', ...FILE_PARAMS],
  ignoredParams: ['application', 'client_session_keep_alive', 'insecure_mode', 'login_timeout', 'network_timeout'],
  example: 'snowflake://user:token@account/database/schema?warehouse=NAME&role=NAME',
};

/** How the API names what stands in `Authorization`, by the name that clients give the method. */
const TOKEN_TYPES: ReadonlyMap<string, TokenType> = new Map([
  ['snowflake_jwt', 'KEYPAIR_JWT'],
  ['oauth', 'OAUTH'],
  ['programmatic_access_token', 'PROGRAMMATIC_ACCESS_TOKEN'],
]);
type TokenType = 'KEYPAIR_JWT' | 'OAUTH' | 'PROGRAMMATIC_ACCESS_TOKEN';

export interface SnowflakeTarget {
  /** As it stands in a token, in capital letters. */
  readonly account: string;
  readonly user: string;
  readonly tokenType: TokenType;
  /** A token, a private key in PEM, or what opens the key of the file. */
  readonly secret: string;
  /** A private key in PEM that a file holds. */
  readonly keyFile: string | undefined;
  /** Without the brackets of an IPv6 address. */
  readonly host: string;
  readonly port: number;
  /** `undefined`: never encrypted, on this computer only. */
  readonly tls: UrlTls | undefined;
  /** The names as the catalog has them. */
  readonly database: string;
  readonly schema: string;
  readonly warehouse: string | undefined;
  readonly role: string | undefined;
  readonly maskedUrl: string;
}

/** A URL of its own kind may stand without what logs in, where that is known from before. Throws `configuration_error`. */
export function assertLogin({ secret, keyFile }: SnowflakeTarget): void {
  if (secret !== '' || keyFile !== undefined) return;
  throw invalidUrl(DIALECT, 'it has neither a token, in the place of a password, nor a key file');
}

const SUFFIX = /\.snowflakecomputing\.(?:com|cn)$/;

/** `isRemote`: it may name no file of this server. Throws `configuration_error`, without repeating the URL. */
export function parseSnowflakeUrl(text: string, isRemote = false): SnowflakeTarget {
  const url = parseServerUrl(text, DIALECT);
  assertRemote(url, isRemote ? FILE_PARAMS : [], DIALECT);
  const { params } = url;
  const fullHost = url.host.toLowerCase();
  const account = fullHost.replace(SUFFIX, '');
  if (!/^[a-z0-9][a-z0-9._-]{0,250}$/.test(account)) throw invalidUrl(DIALECT, 'it names no account');
  if (url.port !== undefined) throw invalidUrl(DIALECT, 'it has a port behind the account; write "port=443"');
  const [database = '', schema = '', ...more] = url.database.split('/');
  if (database === '' || schema === '' || more.length > 0) {
    throw invalidUrl(DIALECT, 'it does not end with a database and a schema');
  }
  if (url.user === '') throw invalidUrl(DIALECT, 'it names no user');
  const named = (name: string) => {
    const value = params.get(name);
    return value === undefined ? undefined : catalogName(value);
  };
  const place = { database: catalogName(database), schema: catalogName(schema) };
  const ownHost = SUFFIX.test(fullHost) ? fullHost : `${account}.snowflakecomputing.com`;
  // Names of hosts have no underscores: the account's own has hyphens in their place.
  const host = params.get('host') ?? ownHost.replaceAll('_', '-');
  return {
    account: accountName(account),
    user: catalogName(url.user),
    ...loginOf(url),
    ...endpointOf(url, host),
    ...place,
    warehouse: named('warehouse'),
    role: named('role'),
    maskedUrl: maskServerUrl('snowflake', { ...url, host: account }, `${place.database}/${place.schema}`),
  };
}

/** In capital letters unless it stands in double quotes, as in SQL. */
function catalogName(written: string): string {
  const [, exact] = /^"((?:[^"]|"")+)"$/.exec(written) ?? [];
  if (exact !== undefined) return exact.replaceAll('""', '"');
  if (written === '' || /["\p{Cc}]/u.test(written)) throw invalidUrl(DIALECT, 'a name in it is none of Snowflake');
  return written.toUpperCase();
}

/** An account locator stands without its region, an organization and account with a hyphen between. */
const accountName = (account: string): string => (account.split('.')[0] ?? '').toUpperCase();

function loginOf(url: ServerUrl): Pick<SnowflakeTarget, 'tokenType' | 'secret' | 'keyFile'> {
  const { params, password } = url;
  const path = params.get('private_key_file');
  const method =
    params.get('authenticator')?.toLowerCase() ?? (path === undefined ? 'programmatic_access_token' : 'snowflake_jwt');
  const tokenType = TOKEN_TYPES.get(method);
  if (tokenType === undefined) {
    throw invalidUrl(DIALECT, `its "authenticator" is none of ${[...TOKEN_TYPES.keys()].join(', ')}`);
  }
  const keyFile = path === undefined ? undefined : readUrlFile(path, 'private_key_file', DIALECT);
  if (keyFile !== undefined && tokenType !== 'KEYPAIR_JWT') {
    throw invalidUrl(DIALECT, 'it has a key file and another way to log in');
  }
  if (tokenType !== 'KEYPAIR_JWT' && !/^[\x21-\x7e]*$/.test(password)) {
    throw invalidUrl(DIALECT, 'its token holds other than plain letters and signs');
  }
  return { tokenType, secret: password, keyFile };
}

function endpointOf(url: ServerUrl, written: string): Pick<SnowflakeTarget, 'host' | 'port' | 'tls'> {
  const { params } = url;
  const host = written.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  // Some spellings of an address are a name to others, such as those who check where it leads.
  const address = URL.parse(`http://${isIP(host) === 6 ? `[${host}]` : host}/`);
  const own = address?.hostname.replace(/^\[|\]$/g, '');
  if (address === null || own !== host || address.port !== '' || address.username !== '' || address.pathname !== '/') {
    throw invalidUrl(DIALECT, 'its "host" is no name of a host');
  }
  const protocol = params.get('protocol') ?? 'https';
  if (protocol !== 'https' && !(protocol === 'http' && isLoopback(host))) {
    throw invalidUrl(DIALECT, 'it asks for a connection without encryption, which is for this computer only');
  }
  const port = params.get('port') ?? (protocol === 'https' ? '443' : '80');
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535) {
    throw invalidUrl(DIALECT, 'its "port" is no port number');
  }
  return { host, port: Number(port), tls: protocol === 'https' ? urlTls(url, DIALECT) : undefined };
}
