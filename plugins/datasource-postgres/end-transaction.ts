/** Ends the transaction, if there is one, and discards the state of the session where asked, in one round trip. */
import type pg from 'pg';
import type { Submittable } from 'pg';
import { DISCARD, execute, type ProtocolConnection, ROLLBACK } from './protocol.ts';

export class EndTransaction implements Submittable {
  /** Rejects with the server's error. */
  readonly finished: Promise<void>;
  readonly #client: pg.Client;
  readonly #discards: boolean;
  readonly #finished = Promise.withResolvers<void>();

  constructor(client: pg.Client, { discards }: { readonly discards: boolean }) {
    this.#client = client;
    this.#discards = discards;
    this.finished = this.#finished.promise;
  }

  /**
   * Called when the server is ready, so the state of the transaction is known. Without one, the server would write a
   * warning to its log.
   */
  submit(given: unknown): void {
    const connection = given as ProtocolConnection;
    connection.stream.cork();
    if (this.#client.getTransactionStatus() !== 'I') execute(connection, ROLLBACK);
    if (this.#discards) execute(connection, DISCARD);
    connection.sync();
    connection.stream.uncork();
  }

  handleCommandComplete(): void {}

  handleError(error: unknown): void {
    this.#finished.reject(error);
  }

  handleReadyForQuery(): void {
    this.#finished.resolve();
  }
}
