/** Declares statements that write rows, and the rows that they are given. */

/** A statement that writes rows. */
export interface RowStatement {
  /** As `insertRows` and `updateRows` make it; on PostgreSQL its only parameter is the JSON list of rows. */
  readonly sql: string;
  /** Within a commit the statements with lower numbers run first: one order of locks, so that none waits in a circle. */
  readonly order: number;
  /** Only the last of several rows with the same `id` is written. Such rows are written in the order of their ids. */
  readonly isById: boolean;
}

export interface RowWrite {
  readonly statement: RowStatement;
  readonly row: Readonly<Record<string, unknown>>;
}

/** One statement of a commit. */
export interface BatchStatement {
  readonly sql: string;
  readonly json: string;
}
