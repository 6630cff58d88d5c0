/** Declares what the thread that copies SQLite files is asked and answers. */
import type { TableState } from './api.ts';

export interface SqliteTask {
  readonly kind: 'dump' | 'inspect' | 'restore';
  /** The database in use. */
  readonly database: string;
  /** The backup. */
  readonly file: string;
  readonly tables: readonly string[];
}

export type SqliteAnswer =
  | { readonly states: readonly TableState[] }
  | { readonly error: { readonly message: string; readonly code: string | undefined } };
