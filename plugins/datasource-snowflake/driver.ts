import type { ConnectionInfo } from '../../kernel/index.ts';
import {
  connectionInfo,
  connectWithin,
  type Driver,
  HttpSession,
  HttpUse,
  openAt,
  type Reach,
  type Session,
} from '../datasource-kit/index.ts';
import { Verifier } from './check/verify.ts';
import { connectError } from './errors.ts';
import type { SnowflakeConnectionOptions } from './options.ts';
import { SnowflakeStatements } from './session.ts';
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
    this.#reach = reach;
    this.#options = options;
    this.#target = parseSnowflakeUrl(options.url);
    assertLogin(this.#target);
    this.#verifier = new Verifier(this.#target);
    this.info = connectionInfo('snowflake', options, this.#target.maskedUrl, this.#target.schema);
  }

  async open(_onEnd: () => void, signal: AbortSignal): Promise<Session> {
    try {
      return await openAt(this.#reach, this.#target.host, (address) => this.#openAt(address, signal));
    } catch (error) {
      throw connectError(error);
    }
  }

  /** The session once the account has answered, and has let the login in. */
  #openAt(address: string | undefined, signal: AbortSignal): Promise<Session> {
    const [target, options, verifier] = [this.#target, this.#options, this.#verifier];
    const statements = new SnowflakeStatements({ target, options, verifier }, new SnowflakeClient(target, address));
    const greet = async (whileWanted: AbortSignal) => {
      const use = new HttpUse(options.connectTimeoutMs, whileWanted);
      await statements.ping(use).finally(() => use.end());
      return new HttpSession(statements);
    };
    return connectWithin(options.connectTimeoutMs, signal, greet, () => statements.close());
  }
}
