import { isIP } from 'node:net';
import type { ConnectionInfo } from '../../kernel/index.ts';
import {
  connectionInfo,
  type Driver,
  openAt,
  type PostgresTarget,
  parsePostgresUrl,
  type Reach,
  type Session,
} from '../datasource-kit/index.ts';
import { connectError, otherEngine } from './errors.ts';
import { readFlavorUrl } from './flavor-url.ts';
import type { Flavor } from './flavors/flavor.ts';
import { flavorNamed, flavorOfServer } from './flavors/flavors.ts';
import { postgresql } from './flavors/postgresql.ts';
import type { PostgresConnectionOptions } from './options.ts';
import { TypeMap } from './types.ts';
import { WireFilter } from './wire.ts';

/** Loaded when it is used, with the library. */
export const loadConnect = () => import('./connect.ts');

/** The same server at one of its addresses; its certificate is for its name. */
function at(target: PostgresTarget, address: string): PostgresTarget {
  const { host, tls } = target;
  return { ...target, host: address, tls: tls && { ...tls, host, ...(isIP(host) === 0 && { servername: host }) } };
}

/** Opens sessions of one PostgreSQL database. */
export class PostgresDriver implements Driver {
  readonly info: ConnectionInfo;
  readonly #target: PostgresTarget;
  readonly #connectTimeoutMs: number;
  readonly #schema: string;
  readonly #flavor: Flavor;
  readonly #types = new TypeMap();
  readonly #reach: Reach | undefined;

  /** Without `reach` it connects wherever the URL leads. Throws `configuration_error` for a URL that cannot be used. */
  constructor(options: PostgresConnectionOptions, reach?: Reach) {
    const { url, schema, flavor, connectTimeoutMs } = options;
    this.#reach = reach;
    const read = readFlavorUrl(url);
    this.#flavor = flavorNamed(flavor) ?? read.flavor ?? postgresql;
    this.#target = parsePostgresUrl(read.url, read.port);
    this.#connectTimeoutMs = connectTimeoutMs;
    const ownSchema = schema ?? this.#target.schema;
    this.#schema = ownSchema ?? 'public';
    this.info = connectionInfo(this.#flavor.dialect.name, options, this.#target.maskedUrl, ownSchema);
  }

  async open(onEnd: () => void, signal: AbortSignal): Promise<Session> {
    try {
      return await openAt(this.#reach, this.#target.host, (address) =>
        this.#openAt(address === undefined ? this.#target : at(this.#target, address), onEnd, signal),
      );
    } catch (error) {
      throw connectError(error);
    }
  }

  async #openAt(target: PostgresTarget, onEnd: () => void, signal: AbortSignal): Promise<Session> {
    const [{ destroyClient, openClient }, { PostgresSession }] = await Promise.all([
      loadConnect(),
      import('./session.ts'),
    ]);
    const filter = new WireFilter();
    const opened = await openClient(target, { connectTimeoutMs: this.#connectTimeoutMs, filter, signal });
    const server = flavorOfServer(opened.parameters) ?? this.#flavor;
    if (server !== this.#flavor) {
      destroyClient(opened.client);
      throw otherEngine(server.dialect.label, this.#flavor.dialect.label, server.name);
    }
    const context = { target, schema: this.#schema, flavor: this.#flavor, types: this.#types, filter };
    return new PostgresSession(opened, context, onEnd);
  }
}
