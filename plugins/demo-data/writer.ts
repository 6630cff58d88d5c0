/** Declares how the tables of a demo get into a database. */
import type { Dialect } from './create-statements.ts';
import type { Row, Table } from './table.ts';

/** A connection in one transaction. Disposing of it without `commit` leaves the database as it was. */
export interface Target extends AsyncDisposable {
  readonly dialect: Dialect;
  /** The database without passwords, for messages. */
  readonly shown: string;
  /** Which of the names are taken by tables or views. */
  existing(names: readonly string[]): Promise<readonly string[]> | readonly string[];
  run(sql: string): Promise<void> | void;
  insert(table: Table): RowInserter;
  commit(): Promise<void> | void;
}

export interface RowInserter {
  add(rows: readonly Row[]): Promise<void> | void;
  /** After the last row. */
  end?(): Promise<void> | void;
}

export interface Opening {
  readonly url: string;
  /** Folder that a relative path in the URL belongs to. */
  readonly cwd: string;
  readonly signal: AbortSignal;
}

export type OpenTarget = (opening: Opening) => Promise<Target>;
