import type { ConnectionInfo } from '../../kernel/index.ts';
import type { Driver, Session } from '../datasource-kit/index.ts';
import { connectError } from './errors.ts';
import type { MysqlConnectionOptions } from './options.ts';
import { type MysqlTarget, parseMysqlUrl } from './url.ts';

/** Opens sessions of one MySQL or MariaDB database. */
export class MysqlDriver implements Driver {
  readonly info: ConnectionInfo;
  readonly #target: MysqlTarget;
  readonly #connectTimeoutMs: number;

  /** Throws `configuration_error` for a URL that cannot be used. */
  constructor({ id, url, description, connectTimeoutMs }: MysqlConnectionOptions) {
    this.#target = parseMysqlUrl(url);
    this.#connectTimeoutMs = connectTimeoutMs;
    this.info = {
      id,
      dbType: 'mysql',
      maskedUrl: this.#target.maskedUrl,
      ...(this.#target.database === undefined ? {} : { schema: this.#target.database }),
      ...(description === undefined ? {} : { description }),
    };
  }

  async open(onEnd: () => void, signal: AbortSignal): Promise<Session> {
    try {
      // Loaded when they are used, with the library: it is an optional package.
      const [{ openConnection }, { MysqlSession }] = await Promise.all([
        import('./connect.ts'),
        import('./session.ts'),
      ]);
      signal.throwIfAborted();
      const connection = await openConnection(this.#target, this.#connectTimeoutMs, signal);
      const session = new MysqlSession(connection, this.#target, onEnd);
      try {
        return await session.begin();
      } catch (error) {
        session.destroy();
        throw error;
      }
    } catch (error) {
      throw connectError(error);
    }
  }
}
