import type { ConnectionInfo } from '../../kernel/index.ts';
import {
  connectionInfo,
  connectWithin,
  type Driver,
  HttpSession,
  OtherServer,
  openAt,
  type Reach,
  type Session,
} from '../datasource-kit/index.ts';
import { Verifier } from './check/verify.ts';
import { connectError } from './errors.ts';
import type { TrinoConnectionOptions } from './options.ts';
import { TrinoStatements } from './session.ts';
import { parseTrinoUrl, type TrinoTarget } from './url.ts';
import { TrinoClient } from './wire/client.ts';
import { TrinoFault } from './wire/fault.ts';
import { objectIn } from './wire/json.ts';

/** Opens sessions of one catalog and schema of Trino. HTTP keeps nothing between statements, so a session is its client. */
export class TrinoDriver implements Driver {
  readonly info: ConnectionInfo;
  readonly runsAsUser: boolean;
  readonly #target: TrinoTarget;
  readonly #options: TrinoConnectionOptions;
  readonly #reach: Reach | undefined;
  readonly #verifier: Verifier;

  /** Without `reach` it connects wherever the URL leads. Throws `configuration_error` for a URL that cannot be used. */
  constructor(options: TrinoConnectionOptions, reach?: Reach) {
    this.#reach = reach;
    this.#options = options;
    this.runsAsUser = options.impersonate;
    this.#target = parseTrinoUrl(options.url);
    this.#verifier = new Verifier(this.#target);
    this.info = connectionInfo('trino', options, this.#target.maskedUrl, this.#target.schema);
  }

  async open(_onEnd: () => void, signal: AbortSignal): Promise<Session> {
    try {
      const client = await openAt(this.#reach, this.#target.host, (address) => this.#connectAt(address, signal));
      const [target, options, verifier] = [this.#target, this.#options, this.#verifier];
      return new HttpSession(new TrinoStatements({ target, options, verifier }, client));
    } catch (error) {
      throw connectError(error);
    }
  }

  /** Asks who is there, which needs no login and does not wait behind statements. */
  #connectAt(address: string | undefined, signal: AbortSignal): Promise<TrinoClient> {
    const client = new TrinoClient(this.#target, address);
    const greet = async (whileWanted: AbortSignal) => {
      const url = new URL('v1/info', client.origin);
      const { nodeVersion, starting } = objectIn(await client.send({ method: 'GET', url, signal: whileWanted })) ?? {};
      if (nodeVersion === undefined) throw new OtherServer();
      if (starting === true) throw new TrinoFault('SERVER_STARTING_UP', '');
      return client;
    };
    return connectWithin(this.#options.connectTimeoutMs, signal, greet, () => client.close());
  }
}
