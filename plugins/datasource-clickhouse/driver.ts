import { randomUUID } from 'node:crypto';
import { AtlasError, type ConnectionInfo } from '../../kernel/index.ts';
import { type Driver, firstOf, noAnswer, type Reach, type Session } from '../datasource-kit/index.ts';
import { requirePackages } from '../package-kit/index.ts';
import { Verifier } from './check/verify.ts';
import { connectError } from './errors.ts';
import type { ClickhouseConnectionOptions } from './options.ts';
import type { Connected } from './session.ts';
import { connectionSettings, type Settings, statementSettings } from './settings.ts';
import { type ClickhouseTarget, parseClickhouseUrl, type Replica } from './url.ts';
import { NotClickhouse, ServerFault } from './wire/fault.ts';

/** Opens sessions of one ClickHouse database, on the first of its replicas that answers. */
export class ClickhouseDriver implements Driver {
  readonly info: ConnectionInfo;
  readonly #target: ClickhouseTarget;
  readonly #connectTimeoutMs: number;
  readonly #settings: Settings;
  readonly #reach: Reach | undefined;
  readonly #verifier: Verifier;
  /** The replica that answered last: the first to be asked. */
  #latest = 0;

  /** Without `reach` it connects wherever the URL leads. Throws `configuration_error` for a URL that cannot be used. */
  constructor(options: ClickhouseConnectionOptions, reach?: Reach) {
    requirePackages(['@clickhouse/client'], import.meta.url);
    const { id, url, description, connectTimeoutMs } = options;
    this.#reach = reach;
    this.#target = parseClickhouseUrl(url);
    this.#connectTimeoutMs = connectTimeoutMs;
    this.#settings = connectionSettings(options);
    this.#verifier = new Verifier(this.#target.database);
    this.info = {
      id,
      dbType: 'clickhouse',
      maskedUrl: this.#target.maskedUrl,
      schema: this.#target.database,
      ...(description === undefined ? {} : { description }),
    };
  }

  async open(onEnd: () => void, signal: AbortSignal): Promise<Session> {
    const connected = await this.#connect(signal);
    // Loaded when it is used, with the library: it is an optional package.
    const { ClickhouseSession } = await import('./session.ts');
    return new ClickhouseSession(
      {
        target: this.#target,
        settings: this.#settings,
        verifier: this.#verifier,
        connect: (again) => this.#connect(again),
        onEnd,
      },
      connected,
    );
  }

  async #connect(signal: AbortSignal): Promise<Connected> {
    const { replicas } = this.#target;
    let failure: unknown;
    for (let turn = 0; turn < replicas.length; turn += 1) {
      const at = (this.#latest + turn) % replicas.length;
      try {
        const connected = await this.#connectTo(replicas[at] as Replica, signal);
        this.#latest = at;
        return connected;
      } catch (error) {
        failure = error;
        if (signal.aborted || !isOfReplica(error)) break;
      }
    }
    throw connectError(failure);
  }

  async #connectTo(replica: Replica, signal: AbortSignal): Promise<Connected> {
    if (this.#reach === undefined) return this.#connectAt(replica, undefined, signal);
    const addresses = await this.#reach.addressesOf(replica.host);
    return firstOf(addresses, (address) => this.#connectAt(replica, address, signal));
  }

  async #connectAt(replica: Replica, address: string | undefined, signal: AbortSignal): Promise<Connected> {
    const { ReplicaClient } = await import('./wire/client.ts');
    signal.throwIfAborted();
    const client = new ReplicaClient(this.#target, replica, address);
    const late = AbortSignal.timeout(this.#connectTimeoutMs);
    try {
      const [[zone] = []] = await client.rows({
        sql: 'SELECT timezone()',
        queryId: `atlas-${randomUUID()}`,
        settings: statementSettings(this.#settings, { timeoutMs: this.#connectTimeoutMs }),
        signal: AbortSignal.any([signal, late]),
      });
      if (typeof zone !== 'string') throw new NotClickhouse();
      return { client, zone };
    } catch (error) {
      client.close();
      throw late.aborted ? noAnswer(error) : error;
    }
  }
}

/** Statements that the server has no place for, and servers that start or stop: another replica may do better. */
const BUSY = [202, 203, 236, 279];

function isOfReplica(error: unknown): boolean {
  if (error instanceof ServerFault) return BUSY.includes(error.code);
  return !(error instanceof AtlasError) || error.code === 'datasource_unavailable';
}
