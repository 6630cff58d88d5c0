import { AtlasError, type ConnectionInfo } from '../../kernel/index.ts';
import { type Driver, firstOf, noAnswer, type Reach, type Session } from '../datasource-kit/index.ts';
import { Verifier } from './check/verify.ts';
import { connectError } from './errors.ts';
import type { TrinoConnectionOptions } from './options.ts';
import { TrinoSession } from './session.ts';
import { parseTrinoUrl, type TrinoTarget } from './url.ts';
import { TrinoClient } from './wire/client.ts';
import { NotTrino, TrinoFault } from './wire/fault.ts';
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
    const { id, url, description } = options;
    this.#reach = reach;
    this.#options = options;
    this.runsAsUser = options.impersonate;
    this.#target = parseTrinoUrl(url);
    this.#verifier = new Verifier(this.#target);
    this.info = {
      id,
      dbType: 'trino',
      maskedUrl: this.#target.maskedUrl,
      schema: this.#target.schema,
      ...(description === undefined ? {} : { description }),
    };
  }

  async open(_onEnd: () => void, signal: AbortSignal): Promise<Session> {
    try {
      const client = await this.#connect(signal);
      const [target, options, verifier] = [this.#target, this.#options, this.#verifier];
      return new TrinoSession({ target, options, verifier }, client);
    } catch (error) {
      throw connectError(error);
    }
  }

  async #connect(signal: AbortSignal): Promise<TrinoClient> {
    if (this.#reach === undefined) return this.#connectAt(undefined, signal);
    const addresses = await this.#reach.addressesOf(this.#target.host);
    return firstOf(addresses, (address) => this.#connectAt(address, signal));
  }

  /** Asks who is there, which needs no login and does not wait behind statements. */
  async #connectAt(address: string | undefined, signal: AbortSignal): Promise<TrinoClient> {
    const client = new TrinoClient(this.#target, address);
    const late = AbortSignal.timeout(this.#options.connectTimeoutMs);
    try {
      const url = new URL('v1/info', client.origin);
      const info = await client.send({ method: 'GET', url, signal: AbortSignal.any([signal, late]) });
      const { nodeVersion, starting } = objectIn(info) ?? {};
      if (nodeVersion === undefined) throw new NotTrino();
      if (starting === true) throw new TrinoFault('SERVER_STARTING_UP', '');
      return client;
    } catch (error) {
      client.close();
      throw late.aborted && !(error instanceof AtlasError) ? noAnswer(error) : error;
    }
  }
}
