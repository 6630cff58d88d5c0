import { isIP } from 'node:net';
import type { ConnectionInfo } from '../../kernel/index.ts';
import {
  type Driver,
  firstOf,
  type PostgresTarget,
  parsePostgresUrl,
  type Reach,
  type Session,
} from '../datasource-kit/index.ts';
import { connectError } from './errors.ts';
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
  readonly #types = new TypeMap();
  readonly #reach: Reach | undefined;

  /** Without `reach` it connects wherever the URL leads. Throws `configuration_error` for a URL that cannot be used. */
  constructor({ id, url, description, schema, connectTimeoutMs }: PostgresConnectionOptions, reach?: Reach) {
    this.#reach = reach;
    this.#target = parsePostgresUrl(url);
    this.#connectTimeoutMs = connectTimeoutMs;
    const ownSchema = schema ?? this.#target.schema;
    this.#schema = ownSchema ?? 'public';
    this.info = {
      id,
      dbType: 'postgres',
      maskedUrl: this.#target.maskedUrl,
      ...(ownSchema === undefined ? {} : { schema: ownSchema }),
      ...(description === undefined ? {} : { description }),
    };
  }

  async open(onEnd: () => void, signal: AbortSignal): Promise<Session> {
    try {
      if (this.#reach === undefined) return await this.#openAt(this.#target, onEnd, signal);
      const addresses = await this.#reach.addressesOf(this.#target.host);
      return await firstOf(addresses, (address) => this.#openAt(at(this.#target, address), onEnd, signal));
    } catch (error) {
      throw connectError(error);
    }
  }

  async #openAt(target: PostgresTarget, onEnd: () => void, signal: AbortSignal): Promise<Session> {
    const [{ openClient }, { PostgresSession }] = await Promise.all([loadConnect(), import('./session.ts')]);
    const filter = new WireFilter();
    const opened = await openClient(target, { connectTimeoutMs: this.#connectTimeoutMs, filter, signal });
    return new PostgresSession(opened, { target, schema: this.#schema, types: this.#types, filter }, onEnd);
  }
}
