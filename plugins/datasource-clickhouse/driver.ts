import { randomUUID } from 'node:crypto';
import { AtlasError, type ConnectionInfo } from '../../kernel/index.ts';
import {
  connectionInfo,
  connectWithin,
  type Driver,
  openAt,
  type Reach,
  type Session,
} from '../datasource-kit/index.ts';
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
    const { url, connectTimeoutMs } = options;
    this.#reach = reach;
    this.#target = parseClickhouseUrl(url);
    this.#connectTimeoutMs = connectTimeoutMs;
    this.#settings = connectionSettings(options);
    this.#verifier = new Verifier(this.#target.database);
    this.info = connectionInfo('clickhouse', options, this.#target.maskedUrl, this.#target.database);
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
      const replica = replicas[at] as Replica;
      try {
        const connected = await openAt(this.#reach, replica.host, (address) =>
          this.#connectAt(replica, address, signal),
        );
        this.#latest = at;
        return connected;
      } catch (error) {
        failure = error;
        if (signal.aborted || !isOfReplica(error)) break;
      }
    }
    throw connectError(failure);
  }

  async #connectAt(replica: Replica, address: string | undefined, signal: AbortSignal): Promise<Connected> {
    const { ReplicaClient } = await import('./wire/client.ts');
    signal.throwIfAborted();
    const client = new ReplicaClient(this.#target, replica, address);
    const greet = async (whileWanted: AbortSignal) => {
      const [[zone] = []] = await client.rows({
        sql: 'SELECT timezone()',
        queryId: `atlas-${randomUUID()}`,
        settings: statementSettings(this.#settings, { timeoutMs: this.#connectTimeoutMs }),
        signal: whileWanted,
      });
      if (typeof zone !== 'string') throw new NotClickhouse();
      return { client, zone };
    };
    return connectWithin(this.#connectTimeoutMs, signal, greet, () => client.close());
  }
}

/** Statements that the server has no place for, and servers that start or stop: another replica may do better. */
const BUSY = [202, 203, 236, 279];

function isOfReplica(error: unknown): boolean {
  if (error instanceof ServerFault) return BUSY.includes(error.code);
  return !(error instanceof AtlasError) || error.code === 'datasource_unavailable';
}
