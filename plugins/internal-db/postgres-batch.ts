/** Runs several statements on one connection to PostgreSQL in one round trip and one transaction. */
import type { Submittable } from 'pg';

/** One statement with one parameter. Named, it is parsed and planned once for each connection. */
export interface PreparedStatement {
  readonly name?: string;
  readonly text: string;
  readonly value: string;
}

/** What the library offers to statements of one's own. */
interface ProtocolConnection {
  readonly stream: { cork(): void; uncork(): void };
  close(statement: { type: 'S'; name: string }): void;
  parse(query: { name?: string | undefined; text: string }): void;
  bind(config: { statement?: string | undefined; values: readonly string[] }): void;
  execute(config: { portal: ''; rows: 0 }): void;
  sync(): void;
}

export class PostgresBatch implements Submittable {
  /** Resolves when the statements are committed; rejects with the server's error when none of them is. */
  readonly finished: Promise<void>;
  readonly #statements: readonly PreparedStatement[];
  readonly #parsed: Set<string>;
  readonly #finished = Promise.withResolvers<void>();

  /** `parsed`: names that the connection knows; it is emptied after a failure, and those that are sent are added. */
  constructor(statements: readonly PreparedStatement[], parsed: Set<string>) {
    this.#statements = statements;
    this.#parsed = parsed;
    this.finished = this.#finished.promise;
  }

  /** What comes before one `sync` is one transaction. */
  submit(given: unknown): void {
    const connection = given as ProtocolConnection;
    connection.stream.cork();
    for (const { name, text, value } of this.#statements) {
      if (name === undefined) connection.parse({ text });
      else if (!this.#parsed.has(name)) {
        // Another failure may have left it there.
        connection.close({ type: 'S', name });
        connection.parse({ name, text });
        this.#parsed.add(name);
      }
      connection.bind({ statement: name, values: [value] });
      connection.execute({ portal: '', rows: 0 });
    }
    connection.sync();
    connection.stream.uncork();
  }

  handleCommandComplete(): void {}

  handleError(error: unknown): void {
    this.#parsed.clear();
    this.#finished.reject(error);
  }

  handleReadyForQuery(): void {
    this.#finished.resolve();
  }
}
