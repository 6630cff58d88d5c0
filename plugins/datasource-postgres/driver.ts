import type { ConnectionInfo } from '../../kernel/index.ts';
import { type Driver, type PostgresTarget, parsePostgresUrl, type Session } from '../datasource-kit/index.ts';
import { openClient } from './connect.ts';
import { connectError } from './errors.ts';
import type { PostgresConnectionOptions } from './options.ts';
import { PostgresSession } from './session.ts';
import { TypeMap } from './types.ts';
import { WireFilter } from './wire.ts';

/** Opens sessions of one PostgreSQL database. */
export class PostgresDriver implements Driver {
  readonly info: ConnectionInfo;
  readonly #target: PostgresTarget;
  readonly #connectTimeoutMs: number;
  readonly #schema: string;
  readonly #types = new TypeMap();

  /** Throws `configuration_error` for a URL that cannot be used. */
  constructor({ id, url, description, schema, connectTimeoutMs }: PostgresConnectionOptions) {
    this.#target = parsePostgresUrl(url);
    this.#connectTimeoutMs = connectTimeoutMs;
    const ownSchema = schema ?? this.#target.schema;
    this.#schema = ownSchema ?? 'public';
    this.info = {
      id,
      dbType: 'postgres',
      maskedUrl: this.#target.maskedUrl,
      ...(ownSchema === undefined ? {} : { schema: ownSchema }),
      ...(description === undefined ? {} : { description }),
    };
  }

  async open(onEnd: () => void, signal: AbortSignal): Promise<Session> {
    const filter = new WireFilter();
    try {
      const opened = await openClient(this.#target, { connectTimeoutMs: this.#connectTimeoutMs, filter, signal });
      const context = { target: this.#target, schema: this.#schema, types: this.#types, filter };
      return new PostgresSession(opened, context, onEnd);
    } catch (error) {
      throw connectError(error);
    }
  }
}
