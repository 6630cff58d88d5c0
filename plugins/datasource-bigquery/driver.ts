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
import { requirePackages } from '../package-kit/index.ts';
import { datasetPath } from './catalog/tables.ts';
import { Verifier } from './check/verify.ts';
import { connectError } from './errors.ts';
import type { BigqueryConnectionOptions } from './options.ts';
import { BigqueryStatements } from './session.ts';
import { type BigqueryTarget, parseBigqueryUrl } from './url.ts';
import { BigqueryClient } from './wire/client.ts';
import { Tokens } from './wire/tokens.ts';

/** Opens sessions of one dataset of BigQuery. HTTP keeps nothing between statements, so a session is its client. */
export class BigqueryDriver implements Driver {
  readonly info: ConnectionInfo;
  readonly #target: BigqueryTarget;
  readonly #options: BigqueryConnectionOptions;
  readonly #reach: Reach | undefined;
  readonly #verifier: Verifier;
  readonly #tokens: Tokens;

  /** Without `reach` it connects wherever the URL leads. Throws `configuration_error` for a URL that cannot be used. */
  constructor(options: BigqueryConnectionOptions, reach?: Reach) {
    requirePackages(['google-auth-library'], import.meta.url);
    this.#reach = reach;
    this.#options = options;
    this.#target = parseBigqueryUrl(options.url);
    this.#verifier = new Verifier(this.#target);
    this.#tokens = new Tokens(this.#target);
    this.info = connectionInfo('bigquery', options, this.#target.maskedUrl, this.#target.dataset);
  }

  async open(_onEnd: () => void, signal: AbortSignal): Promise<Session> {
    try {
      return await openAt(this.#reach, this.#target.api.hostname, (address) => this.#openAt(address, signal));
    } catch (error) {
      throw connectError(error);
    }
  }

  /** Asks for the dataset: whether it is there, may be seen, and where it is. */
  #openAt(address: string | undefined, signal: AbortSignal): Promise<Session> {
    const [target, options, verifier] = [this.#target, this.#options, this.#verifier];
    const client = new BigqueryClient(target.api, this.#tokens, address);
    const greet = async (whileWanted: AbortSignal) => {
      const { location } = await client.send({ method: 'GET', path: datasetPath(target), signal: whileWanted });
      if (typeof location !== 'string') throw new OtherServer();
      const init = { target, options, verifier, location: target.location ?? location };
      return new HttpSession(new BigqueryStatements(init, client));
    };
    return connectWithin(options.connectTimeoutMs, signal, greet, () => client.close());
  }
}
