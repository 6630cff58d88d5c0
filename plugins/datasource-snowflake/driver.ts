import { AtlasError, type ConnectionInfo } from '../../kernel/index.ts';
import { type Driver, firstOf, noAnswer, type Reach, type Session } from '../datasource-kit/index.ts';
import { Verifier } from './check/verify.ts';
import { connectError } from './errors.ts';
import type { SnowflakeConnectionOptions } from './options.ts';
import { SnowflakeSession } from './session.ts';
import { assertLogin, parseSnowflakeUrl, type SnowflakeTarget } from './url.ts';
import { SnowflakeClient } from './wire/client.ts';

/** Opens sessions of one database and schema of an account. HTTP keeps nothing between statements, so a session is its client. */
export class SnowflakeDriver implements Driver {
  readonly info: ConnectionInfo;
  readonly #target: SnowflakeTarget;
  readonly #options: SnowflakeConnectionOptions;
  readonly #reach: Reach | undefined;
  readonly #verifier: Verifier;

  /** Without `reach` it connects wherever the URL leads. Throws `configuration_error` for a URL that cannot be used. */
  constructor(options: SnowflakeConnectionOptions, reach?: Reach) {
    const { id, url, description } = options;
    this.#reach = reach;
    this.#options = options;
    this.#target = parseSnowflakeUrl(url);
    assertLogin(this.#target);
    this.#verifier = new Verifier(this.#target);
    this.info = {
      id,
      dbType: 'snowflake',
      maskedUrl: this.#target.maskedUrl,
      schema: this.#target.schema,
      ...(description === undefined ? {} : { description }),
    };
  }

  async open(_onEnd: () => void, signal: AbortSignal): Promise<Session> {
    try {
      if (this.#reach === undefined) return await this.#openAt(undefined, signal);
      const addresses = await this.#reach.addressesOf(this.#target.host);
      return await firstOf(addresses, (address) => this.#openAt(address, signal));
    } catch (error) {
      throw connectError(error);
    }
  }

  /** Asks something that needs neither a table nor a warehouse. */
  async #openAt(address: string | undefined, signal: AbortSignal): Promise<Session> {
    const client = new SnowflakeClient(this.#target, address);
    const late = AbortSignal.timeout(this.#options.connectTimeoutMs);
    const [target, options, verifier] = [this.#target, this.#options, this.#verifier];
    const session = new SnowflakeSession({ target, options, verifier }, client);
    try {
      await session.greet(AbortSignal.any([signal, late]));
      return session;
    } catch (error) {
      session.destroy();
      throw late.aborted && !(error instanceof AtlasError) ? noAnswer(error) : error;
    }
  }
}
