import { AtlasError, type ConnectionInfo } from '../../kernel/index.ts';
import { type Driver, firstOf, noAnswer, type Reach, type Session } from '../datasource-kit/index.ts';
import { requirePackages } from '../package-kit/index.ts';
import { datasetPath } from './catalog/tables.ts';
import { Verifier } from './check/verify.ts';
import { connectError } from './errors.ts';
import type { BigqueryConnectionOptions } from './options.ts';
import { BigquerySession } from './session.ts';
import { type BigqueryTarget, parseBigqueryUrl } from './url.ts';
import { BigqueryClient } from './wire/client.ts';
import { NotBigquery } from './wire/fault.ts';
import { Tokens } from './wire/tokens.ts';

interface Connected {
  readonly client: BigqueryClient;
  /** Of the dataset. */
  readonly location: string;
}

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
    const { id, url, description } = options;
    this.#reach = reach;
    this.#options = options;
    this.#target = parseBigqueryUrl(url);
    this.#verifier = new Verifier(this.#target);
    this.#tokens = new Tokens(this.#target);
    this.info = {
      id,
      dbType: 'bigquery',
      maskedUrl: this.#target.maskedUrl,
      schema: this.#target.dataset,
      ...(description === undefined ? {} : { description }),
    };
  }

  async open(_onEnd: () => void, signal: AbortSignal): Promise<Session> {
    try {
      const { client, location } = await this.#connect(signal);
      const [target, options, verifier] = [this.#target, this.#options, this.#verifier];
      return new BigquerySession({ target, options, verifier, location: target.location ?? location }, client);
    } catch (error) {
      throw connectError(error);
    }
  }

  async #connect(signal: AbortSignal): Promise<Connected> {
    if (this.#reach === undefined) return this.#connectAt(undefined, signal);
    const addresses = await this.#reach.addressesOf(this.#target.api.hostname);
    return firstOf(addresses, (address) => this.#connectAt(address, signal));
  }

  /** Asks for the dataset: whether it is there, may be seen, and where it is. */
  async #connectAt(address: string | undefined, signal: AbortSignal): Promise<Connected> {
    const client = new BigqueryClient(this.#target.api, this.#tokens, address);
    const late = AbortSignal.timeout(this.#options.connectTimeoutMs);
    try {
      const path = datasetPath(this.#target);
      const { location } = await client.send({ method: 'GET', path, signal: AbortSignal.any([signal, late]) });
      if (typeof location !== 'string') throw new NotBigquery();
      return { client, location };
    } catch (error) {
      client.close();
      throw late.aborted && !(error instanceof AtlasError) ? noAnswer(error) : error;
    }
  }
}
