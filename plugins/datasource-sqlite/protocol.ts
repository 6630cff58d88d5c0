/** What goes over the wire between the server and a database process. Types only, so that the child loads nothing. */

/** A bound value as JSON: integers beyond the safe range travel as text. */
export type WireParam = string | number | null | { readonly integer: string } | { readonly base64: string };

export interface ExecuteRequest {
  readonly kind: 'execute';
  readonly sql: string;
  readonly params: readonly WireParam[];
  /** Tables and views that the statement may read. */
  readonly tables: readonly string[];
  /** Functions that it may call; `null` leaves them to the caller's own check. */
  readonly functions: readonly string[] | null;
  readonly maxRows: number;
  readonly maxBytes: number;
  readonly maxCellBytes: number;
}

export type ProcessRequest = ExecuteRequest | { readonly kind: 'describe' } | { readonly kind: 'ping' };

export type Cell = string | number | null;

export interface WireResult {
  /** Unique names. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  readonly truncated: boolean;
  readonly notes: readonly string[];
}

/** `missing`: no such file. `refused`: the engine's program reads or calls more than allowed. `engine`: SQLite said no. */
export interface Failure {
  readonly kind: 'missing' | 'refused' | 'engine';
  /** SQLite's result code, such as `SQLITE_BUSY`; empty for the other kinds. */
  readonly code: string;
  readonly message: string;
}

export type ProcessMessage =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'reply';
      readonly value?: unknown;
      readonly failure?: Failure;
      /** The process has grown large and asks to be replaced. */
      readonly retire: boolean;
    };
