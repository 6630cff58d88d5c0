/** Runs commands on one connection to PostgreSQL in one round trip. */

/** What the library offers to statements of one's own. */
export interface PostgresProtocol {
  readonly stream: { cork(): void; uncork(): void; isPaused(): boolean; pause(): unknown; resume(): unknown };
  close(statement: { type: 'S'; name: string }): void;
  parse(query: { name?: string | undefined; text: string; types?: readonly number[] }): void;
  bind(config: { statement?: string | undefined; values: readonly (string | Buffer | null)[] }): void;
  describe(message: { type: 'P'; name: '' }): void;
  execute(config: { portal: ''; rows: 0 }): void;
  sync(): void;
  sendCopyFail(reason: string): void;
}

export interface PostgresCommand {
  /** Named, it is parsed and planned once for each connection. */
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly string[];
}

/** Sends one of several commands. `parsed`: the names that the connection knows. */
export function sendCommand(
  connection: PostgresProtocol,
  { name, text, values = [] }: PostgresCommand,
  parsed = new Set<string>(),
): void {
  // A failure may have left another of this name there, or the same.
  if (name !== undefined && !parsed.has(name)) connection.close({ type: 'S', name });
  if (name === undefined || !parsed.has(name)) connection.parse({ name, text });
  if (name !== undefined) parsed.add(name);
  connection.bind({ statement: name, values });
  connection.execute({ portal: '', rows: 0 });
}

/** Commands for the library's `query` that return no rows; those that may stand in a transaction are one. */
export class PostgresCommands {
  /** Rejects with the server's error. */
  readonly finished: Promise<void>;
  readonly #commands: () => readonly PostgresCommand[];
  readonly #parsed: Set<string>;
  readonly #finished = Promise.withResolvers<void>();

  /** `commands` is called when the server is ready. `parsed`: names that the connection knows; emptied after a failure. */
  constructor(commands: () => readonly PostgresCommand[], parsed = new Set<string>()) {
    this.#commands = commands;
    this.#parsed = parsed;
    this.finished = this.#finished.promise;
  }

  submit(given: unknown): void {
    const connection = given as PostgresProtocol;
    connection.stream.cork();
    for (const command of this.#commands()) sendCommand(connection, command, this.#parsed);
    connection.sync();
    connection.stream.uncork();
  }

  // The library calls these for whatever the server sends; an error in one of them would end the process.
  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleEmptyQuery(): void {}
  handleCommandComplete(): void {}

  handleError(error: unknown): void {
    this.#parsed.clear();
    this.#finished.reject(error);
  }

  handleReadyForQuery(): void {
    this.#finished.resolve();
  }
}
