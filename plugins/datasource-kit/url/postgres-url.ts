/** PostgreSQL URLs as libpq reads them: hosts, sockets and modes of encryption. */
import type { ConnectionOptions as TlsOptions } from 'node:tls';
import { schemaOf } from './postgres-schema.ts';
import {
  assertRemote,
  invalidUrl,
  maskServerUrl,
  parseServerUrl,
  readUrlFile,
  type ServerUrl,
  type UrlDialect,
} from './server-url.ts';

const DIALECT: UrlDialect = {
  name: 'PostgreSQL',
  schemes: ['postgres', 'postgresql'],
  params: [
    'host',
    'port',
    'user',
    'password',
    'dbname',
    'schema',
    'currentschema',
    'search_path',
    'options',
    'sslmode',
    'ssl',
    'sslrootcert',
    'sslcert',
    'sslkey',
    'sslpassword',
    'sslnegotiation',
    'channel_binding',
    'application_name',
  ],
  ignoredParams: [
    'connect_timeout',
    'connection_limit',
    'pool_timeout',
    'pgbouncer',
    'fallback_application_name',
    'keepalives',
    'keepalives_idle',
    'target_session_attrs',
    'gssencmode',
    'uselibpqcompat',
  ],
  example: 'postgres://user:password@host:5432/database',
};

/** `prefer`: encrypted when the server can. */
const MODES = ['disable', 'allow', 'prefer', 'require', 'no-verify', 'verify-ca', 'verify-full'] as const;
type SslMode = (typeof MODES)[number];

export interface PostgresTarget {
  readonly user: string;
  readonly password: string;
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly applicationName: string;
  /** `undefined`: never encrypted. */
  readonly tls: TlsOptions | undefined;
  /** A server that cannot encrypt may be used without. */
  readonly plainAllowed: boolean;
  readonly directTls: boolean;
  readonly channelBinding: boolean;
  /** Schema that the URL names. */
  readonly schema: string | undefined;
  readonly maskedUrl: string;
}

function sslMode(params: ServerUrl['params']): SslMode {
  const ssl = params.get('ssl');
  const given =
    params.get('sslmode') ?? { true: 'require', '1': 'require', false: 'disable', '0': 'disable' }[ssl ?? ''];
  const mode = MODES.find((name) => name === (given ?? ssl ?? 'prefer'));
  if (mode === undefined) throw invalidUrl(DIALECT, `its "sslmode" is none of ${MODES.join(', ')}`);
  return mode;
}

/** As in libpq, `require` encrypts without looking at the certificate unless its authority is named. */
function tlsOptions(mode: SslMode, params: ServerUrl['params']): TlsOptions {
  const file = (name: string) => {
    const path = params.get(name);
    return path === undefined || path === 'system' ? undefined : readUrlFile(path, name, DIALECT);
  };
  const ca = file('sslrootcert');
  const cert = file('sslcert');
  const key = file('sslkey');
  const passphrase = params.get('sslpassword');
  const rejectUnauthorized = mode.startsWith('verify') || (mode === 'require' && params.has('sslrootcert'));
  return {
    rejectUnauthorized,
    ...(mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(passphrase === undefined ? {} : { passphrase }),
  };
}

/** Parameters that name files of this server, or settings of the session. */
const LOCAL_PARAMS = ['options', 'sslcert', 'sslkey', 'sslpassword'];

/** Throws `configuration_error` for a URL that reads files or sockets of this server or sets options of the session. */
export function assertRemotePostgresUrl(text: string): void {
  const url = parseServerUrl(text, DIALECT);
  const root = url.params.get('sslrootcert') === 'system' ? [] : ['sslrootcert'];
  assertRemote(url, [...LOCAL_PARAMS, ...root], DIALECT);
}

/** `standardPort`: where the URL names none. Throws `configuration_error`, without repeating the URL. */
export function parsePostgresUrl(text: string, standardPort = 5432): PostgresTarget {
  const url = parseServerUrl(text, DIALECT);
  const { params } = url;
  const mode = sslMode(params);
  const host = params.get('host') ?? (url.host === '' ? 'localhost' : url.host);
  const user = params.get('user') ?? url.user;
  if (user === '') throw invalidUrl(DIALECT, 'it names no user');
  const database = params.get('dbname') ?? (url.database === '' ? user : url.database);
  const port = Number(params.get('port') ?? url.port ?? standardPort);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw invalidUrl(DIALECT, 'its port is no port number');
  const encrypted = mode !== 'disable' && mode !== 'allow' && !host.startsWith('/');
  return {
    user,
    password: params.get('password') ?? url.password,
    host,
    port,
    database,
    applicationName: params.get('application_name') ?? 'atlas',
    tls: encrypted ? tlsOptions(mode, params) : undefined,
    plainAllowed: mode === 'prefer',
    directTls: params.get('sslnegotiation') === 'direct',
    channelBinding: ['prefer', 'require'].includes(params.get('channel_binding') ?? ''),
    schema: schemaOf(params, DIALECT),
    maskedUrl: maskServerUrl('postgres', { ...url, host, port: params.has('port') ? port : url.port }, database),
  };
}
