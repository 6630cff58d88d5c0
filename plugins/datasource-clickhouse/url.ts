/** ClickHouse URLs: replicas, and encryption, named as the clients of ClickHouse name them. */
import {
  assertRemote,
  invalidUrl,
  maskServerUrl,
  parseServerUrl,
  type ServerUrl,
  type UrlDialect,
  type UrlTls,
  urlFlag,
  urlTls,
} from '../datasource-kit/index.ts';
import { CLICKHOUSE_SCHEMES } from './schemes.ts';

const DIALECT: UrlDialect = {
  name: 'ClickHouse',
  schemes: CLICKHOUSE_SCHEMES,
  params: [
    'cluster',
    'secure',
    'ssl',
    'tls',
    'verify',
    'skip_verify',
    'ca_cert',
    'ca_certs',
    'client_cert',
    'certfile',
    'client_cert_key',
    'keyfile',
  ],
  ignoredParams: [
    'client_name',
    'compress',
    'compression',
    'connect_timeout',
    'connection_open_strategy',
    'dial_timeout',
    'max_execution_time',
    'max_open_conns',
    'protocol',
    'read_timeout',
    'request_timeout',
    'send_receive_timeout',
  ],
  example: 'clickhouse://user:password@host:8123/database',
};

/** Parameters that name files of this server. */
const FILE_PARAMS = ['ca_cert', 'ca_certs', 'client_cert', 'certfile', 'client_cert_key', 'keyfile'];

/** Replicas of one URL. */
const MOST_REPLICAS = 32;

export interface Replica {
  /** Without the brackets of an IPv6 address. */
  readonly host: string;
  readonly port: number;
}

export interface ClickhouseTarget {
  readonly user: string;
  readonly password: string;
  readonly replicas: readonly [Replica, ...Replica[]];
  readonly database: string;
  /** Cluster on which statements are ended; `undefined`: on the replica that runs them. */
  readonly cluster: string | undefined;
  /** `undefined`: never encrypted. */
  readonly tls: UrlTls | undefined;
  readonly maskedUrl: string;
}

/** Each replica with the whole of the URL's other parts, which the kit's parser reads one host at a time. */
function serverUrls(text: string) {
  const [, scheme = '', login = '', hosts = '', rest = ''] =
    /^(\s*[a-z][a-z0-9+.-]*:\/\/)([^/?#]*@)?([^/?#]*)([\s\S]*)$/i.exec(text) ?? [];
  if (scheme === '') return [parseServerUrl(text, DIALECT)];
  const all = hosts.split(',');
  if (all.length > MOST_REPLICAS) throw invalidUrl(DIALECT, `it names more than ${MOST_REPLICAS} replicas`);
  if (all.length > 1 && all.includes('')) throw invalidUrl(DIALECT, 'one of its hosts is empty');
  return all.map((host) => parseServerUrl(`${scheme}${login}${host}${rest}`, DIALECT));
}

/** Throws `configuration_error` for a URL that reads files of this server. */
export function assertRemoteClickhouseUrl(text: string): void {
  for (const url of serverUrls(text)) assertRemote(url, FILE_PARAMS, DIALECT);
}

/** Throws `configuration_error`, without repeating the URL. */
export function parseClickhouseUrl(text: string): ClickhouseTarget {
  const [first, ...more] = serverUrls(text);
  if (first === undefined) throw invalidUrl(DIALECT, 'it is no URL');
  const { params } = first;
  const isTlsScheme = /^\s*clickhouses:/i.test(text);
  const isSecure = urlFlag(first, DIALECT, 'secure', 'ssl', 'tls') ?? isTlsScheme;
  if (isTlsScheme && !isSecure) throw invalidUrl(DIALECT, 'it begins with "clickhouses://" and turns encryption off');
  const replicaOf = ({ host, port = isSecure ? 8443 : 8123 }: ServerUrl): Replica => {
    if (host.startsWith('/')) throw invalidUrl(DIALECT, 'it names a socket, which ClickHouse does not have');
    if (port < 1) throw invalidUrl(DIALECT, 'its port is no port number');
    return { host: host === '' ? 'localhost' : host, port };
  };
  const cluster = params.get('cluster');
  if (cluster !== undefined && !/^[\w.{}-]{1,100}$/.test(cluster)) {
    throw invalidUrl(DIALECT, 'its "cluster" is no name of a cluster');
  }
  const masked = (url: ServerUrl) =>
    maskServerUrl(isSecure ? 'clickhouses' : 'clickhouse', { ...url, host: replicaOf(url).host }, '').replace(
      /\/$/,
      '',
    );
  const others = more.map((url) => masked({ ...url, user: '', password: '' }).replace(/^\w+:\/\//, ''));
  return {
    user: first.user === '' ? 'default' : first.user,
    password: first.password,
    replicas: [replicaOf(first), ...more.map(replicaOf)],
    database: first.database === '' ? 'default' : first.database,
    cluster,
    tls: isSecure ? urlTls(first, DIALECT) : undefined,
    maskedUrl: `${[masked(first), ...others].join(',')}/${first.database}`,
  };
}
