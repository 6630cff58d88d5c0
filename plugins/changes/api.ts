/** Declares the service of the `changes` plugin. */
import type { Knex } from 'knex';

/** `id`: the same on every server, and greater than that of every change before; `undefined` when something was missed. */
export type ChangeHandler = (subject: string | undefined, id: number | undefined) => void;

export interface Changes {
  /**
   * Tells the other servers that share the internal database, within a second, that `subject` of `topic` has changed; call
   * it once the change is committed. While the database does not answer it is told later. Without a subject, anything of
   * the topic may have changed. Does nothing without a database.
   */
  publish(topic: string, subject?: string): void;
  /**
   * Tells it with the commit of the transaction, so that a server that is killed then has told it, too. Call it as the last
   * statement: until the end of the transaction no other server tells of any change. Rejects with it.
   */
  publishWith(trx: Knex.Transaction, topic: string, subjects: readonly string[]): Promise<void>;
  /**
   * Calls `handler` for each change by any server, this one included, and without a subject when something may have been
   * missed. At the start it hears of the last quarter of an hour. Call it during setup.
   */
  subscribe(topic: string, handler: ChangeHandler): void;
  /** False while changes of the last two seconds may be unknown, since the database does not answer. */
  isCurrent(): boolean;
}
