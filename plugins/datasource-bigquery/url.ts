/** BigQuery URLs: a project and a dataset, and the key of a service account or none. */
import {
  assertRemote,
  invalidUrl,
  isLoopback,
  parseServerUrl,
  readUrlFile,
  type UrlDialect,
} from '../datasource-kit/index.ts';
import { BIGQUERY_SCHEMES } from './schemes.ts';

/** Parameters that name files of this server, and other servers than Google's. */
const LOCAL_PARAMS = ['key_file', 'api_endpoint', 'token_endpoint'];

const DIALECT: UrlDialect = {
  name: 'BigQuery',
  schemes: BIGQUERY_SCHEMES,
  params: ['location', 'maxbytesbilled', ...LOCAL_PARAMS],
  ignoredParams: [],
  example: 'bigquery://project/dataset?key_file=/path/key.json',
};

const PROJECT = /^[a-z][a-z0-9-]{0,61}[a-z0-9]$/;
const DATASET = /^[A-Za-z0-9_]{1,1024}$/;
const LOCATION = /^[A-Za-z][A-Za-z0-9-]{1,40}$/;

/** Of the key of a service account what is needed: its JSON names servers too, which are not asked. */
export interface ServiceKey {
  readonly email: string;
  readonly key: string;
  readonly keyId?: string;
}

export interface BigqueryTarget {
  /** That pays, and whose dataset is asked. */
  readonly project: string;
  readonly dataset: string;
  /** `undefined`: that of the dataset. */
  readonly location: string | undefined;
  /** Bytes; the largest statement. */
  readonly maxBytesBilled: string | undefined;
  /** `undefined`: the credentials of the place where this runs. */
  readonly key: ServiceKey | undefined;
  /** The key as the URL has it; empty: none. */
  readonly secret: string;
  readonly api: URL;
  /** Instead of Google's. */
  readonly tokenEndpoint: URL | undefined;
  readonly maskedUrl: string;
}

/**
 * `isRemote`: it brings its key, and names no file and no server. Throws `configuration_error`, without repeating the
 * URL.
 */
export function parseBigqueryUrl(text: string, isRemote = false): BigqueryTarget {
  const url = parseServerUrl(text, DIALECT);
  const { host: project, database: dataset, params, password: secret } = url;
  assertRemote(url, isRemote ? LOCAL_PARAMS : [], DIALECT);
  if (!PROJECT.test(project)) throw invalidUrl(DIALECT, 'it does not begin with the id of a project');
  if (!DATASET.test(dataset)) throw invalidUrl(DIALECT, 'it does not end with a dataset');
  if (url.port !== undefined) throw invalidUrl(DIALECT, 'it has a port');
  if (url.user !== '')
    throw invalidUrl(DIALECT, 'it names a user: a key stands behind a colon, as in "bigquery://:KEY@…"');
  const location = params.get('location');
  if (location !== undefined && !LOCATION.test(location)) throw invalidUrl(DIALECT, 'its "location" is no location');
  const maxBytesBilled = params.get('maxbytesbilled');
  if (maxBytesBilled !== undefined && !/^[1-9]\d{0,17}$/.test(maxBytesBilled)) {
    throw invalidUrl(DIALECT, 'its "maxBytesBilled" is no number of bytes');
  }
  const file = params.get('key_file');
  if (secret !== '' && file !== undefined) throw invalidUrl(DIALECT, 'it has a key and names the file of one');
  if (isRemote && secret === '') {
    throw invalidUrl(DIALECT, 'it has no key, and the credentials of this server are for its configuration only');
  }
  return {
    project,
    dataset,
    location,
    maxBytesBilled,
    key: secret === '' && file === undefined ? undefined : serviceKey(decoded(secret, file)),
    secret,
    api: endpoint(params.get('api_endpoint') ?? 'https://bigquery.googleapis.com', 'api_endpoint'),
    tokenEndpoint: params.has('token_endpoint') ? endpoint(params.get('token_endpoint')!, 'token_endpoint') : undefined,
    maskedUrl: `bigquery://${project}/${dataset}`,
  };
}

function endpoint(text: string, param: string): URL {
  const url = URL.parse(text);
  // A token is sent there.
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (url === null || !isSafe || `${url.username}${url.password}${url.search}${url.hash}` !== '')
    throw invalidUrl(DIALECT, `its "${param}" is no https:// address`);
  return url;
}

/** The key's JSON, which a URL holds in base64, or as it is. */
function decoded(secret: string, file: string | undefined): string {
  if (file !== undefined) return readUrlFile(file, 'key_file', DIALECT);
  return secret.startsWith('{') ? secret : Buffer.from(secret, 'base64').toString('utf8');
}

function serviceKey(text: string): ServiceKey {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw invalidUrl(DIALECT, 'its key is no JSON');
  }
  const { type, client_email, private_key, private_key_id } = (json ?? {}) as Readonly<Record<string, unknown>>;
  if (type !== 'service_account' || typeof client_email !== 'string' || typeof private_key !== 'string') {
    throw invalidUrl(DIALECT, 'its key is not that of a service account');
  }
  return {
    email: client_email,
    key: private_key,
    ...(typeof private_key_id === 'string' && { keyId: private_key_id }),
  };
}
