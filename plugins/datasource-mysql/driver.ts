import type { ConnectionInfo } from '../../kernel/index.ts';
import { connectionInfo, type Driver, openAt, type Reach, type Session } from '../datasource-kit/index.ts';
import { requirePackages } from '../package-kit/index.ts';
import { connectError } from './errors.ts';
import type { MysqlConnectionOptions } from './options.ts';
import { type MysqlTarget, parseMysqlUrl } from './url.ts';

/** Opens sessions of one MySQL or MariaDB database. */
export class MysqlDriver implements Driver {
  readonly info: ConnectionInfo;
  readonly #target: MysqlTarget;
  readonly #connectTimeoutMs: number;
  readonly #reach: Reach | undefined;

  /** Without `reach` it connects wherever the URL leads. Throws `configuration_error` for a URL that cannot be used. */
  constructor(options: MysqlConnectionOptions, reach?: Reach) {
    requirePackages(['mysql2'], import.meta.url);
    this.#reach = reach;
    this.#target = parseMysqlUrl(options.url);
    this.#connectTimeoutMs = options.connectTimeoutMs;
    this.info = connectionInfo('mysql', options, this.#target.maskedUrl, this.#target.database);
  }

  async open(onEnd: () => void, signal: AbortSignal): Promise<Session> {
    try {
      return await openAt(this.#reach, this.#target.host, (address) =>
        this.#openAt(address === undefined ? this.#target : { ...this.#target, address }, onEnd, signal),
      );
    } catch (error) {
      throw connectError(error);
    }
  }

  async #openAt(target: MysqlTarget, onEnd: () => void, signal: AbortSignal): Promise<Session> {
    // Loaded when they are used, with the library: it is an optional package.
    const [{ openConnection }, { MysqlSession }] = await Promise.all([import('./connect.ts'), import('./session.ts')]);
    signal.throwIfAborted();
    const connection = await openConnection(target, this.#connectTimeoutMs, signal);
    const session = new MysqlSession(connection, target, onEnd);
    try {
      return await session.begin();
    } catch (error) {
      session.destroy();
      throw error;
    }
  }
}
