/** Decides which hosts and files stored connections may reach. */
import { realpathSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { relative, resolve, sep } from 'node:path';
import ipaddr from 'ipaddr.js';
import { withTimeout } from '../../kernel/index.ts';
import { connectionFailed, type Reach, type Target } from '../datasource-kit/index.ts';
import { fewAtOnce, isPublicAddress, resolveName } from '../outbound/index.ts';
import { hostRefused } from './errors.ts';
import type { AdminConnectionsOptions } from './options.ts';

const LOOKUP_TIMEOUT_MS = 3_000;

/** Ranges in which databases are, besides the public internet: this machine and private networks. */
const PRIVATE_RANGES = ['loopback', 'private', 'uniqueLocal', 'carrierGradeNat'];
/** Where clouds answer their machines with credentials, as far as it is in these ranges. */
const METADATA = ['100.100.100.200', '168.63.129.16', 'fd00:ec2::254', 'fd20:ce::254'].map((text) =>
  ipaddr.parse(text),
);

/** Whether a stored connection may lead to the address. IPv6 addresses that carry an IPv4 one count as that, or never. */
export function isAllowedAddress(text: string, privateHosts: boolean): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text.replace(/%.*$/, ''));
  if (!privateHosts || address.range() === 'unicast') return isPublicAddress(address.toString());
  const isMetadata = METADATA.some((known) => known.toNormalizedString() === address.toNormalizedString());
  return PRIVATE_RANGES.includes(address.range()) && !isMetadata;
}

export function reachOf({ privateHosts = true, filesDirs }: AdminConnectionsOptions): Reach {
  const lookup = fewAtOnce(resolveName);
  return {
    folder: resolve(filesDirs[0] ?? '.'),
    async addressesOf(host) {
      const late = () => {
        throw connectionFailed('the host name cannot be looked up now', 'Check the host name in the URL.');
      };
      const found = isIP(host) === 0 ? await withTimeout(lookup(host), LOOKUP_TIMEOUT_MS, late) : [{ address: host }];
      // One that may not be used refuses them all: the name is not that of a database server.
      if (found.some(({ address }) => !isAllowedAddress(address, privateHosts))) throw hostRefused();
      return found.map(({ address }) => address).slice(0, 8);
    },
  };
}

/**
 * Why the target may not be opened, whatever else is right with it; `undefined` when it may. `ownFile`: the internal
 * database, if it is a file, which holds what belongs to all organizations.
 */
export function refusalOf(
  target: Target,
  { privateHosts = true, filesDirs }: AdminConnectionsOptions,
  ownFile: string | undefined,
): string | undefined {
  if ('path' in target) {
    if (ownFile !== undefined && isFileOf(target.path, ownFile)) return 'the file belongs to the internal database.';
    if (filesDirs.some((folder) => isInside(target.path, folder))) return undefined;
    return filesDirs.length === 0
      ? 'files of the server are closed to stored connections; the operator opens a folder with SVC_CONNECTION_FILES_DIR.'
      : 'the file is not in a folder that SVC_CONNECTION_FILES_DIR names.';
  }
  const hosts = [target, ...(target.others ?? [])].map(({ host }) => host);
  const isRefused = (host: string) => isIP(host) !== 0 && !isAllowedAddress(host, privateHosts);
  return hosts.some(isRefused) ? hostRefused().message : undefined;
}

/** The path with links followed. What is not there yet counts by its name. */
function real(given: string): string {
  try {
    return realpathSync(given);
  } catch {
    return resolve(given);
  }
}

/** Whether the path is a database's file or one beside it, such as its log, under whatever name. */
function isFileOf(path: string, database: string): boolean {
  const [given, own] = [real(path), real(database)];
  if (given === own || given.startsWith(`${own}-`)) return true;
  const identity = (file: string) => {
    const { dev, ino } = statSync(file, { throwIfNoEntry: false }) ?? {};
    return ino === undefined ? undefined : `${dev} ${ino}`;
  };
  const found = identity(given);
  return found !== undefined && found === identity(own);
}

/** Whether the path is in the folder. */
function isInside(path: string, folder: string): boolean {
  const way = relative(real(folder), real(path));
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && resolve(way) !== way;
}
