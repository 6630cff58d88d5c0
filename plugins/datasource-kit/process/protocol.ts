/** Declares the messages between the server and a database process. Types only, so that the child loads nothing. */
import type { SinkType } from '../row-sink.ts';
import type { ArrivedResult } from '../values.ts';

/** A bound value as JSON: integers beyond the safe range, times and binary are marked as such. */
export type WireParam =
  | string
  | number
  | boolean
  | null
  | { readonly integer: string }
  | { readonly timestamp: string }
  | { readonly base64: string };

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
  /** Room that there is for its rows when it starts to run; missing: any. */
  readonly roomBytes?: number;
  /** Rows are handed on as they come: each message waits until the server has taken one before it. */
  readonly isWhole?: boolean;
}

/** Asks for the rows that a statement would read. */
export interface EstimateMessage extends Pick<ExecuteRequest, 'sql' | 'params' | 'tables' | 'functions'> {
  readonly kind: 'estimate';
  /** See `EstimateRequest`. */
  readonly names: Readonly<Record<string, readonly string[]>>;
  readonly lists?: Readonly<Record<string, number>>;
}

export type ProcessRequest =
  | ExecuteRequest
  | EstimateMessage
  | { readonly kind: 'describe' | 'views' }
  | { readonly kind: 'ping' };

export interface WireResult extends ArrivedResult {
  /** Rows were left out because they did not fit into `roomBytes`. */
  readonly isOutOfRoom: boolean;
  /** What the columns hold, where rows are handed on. */
  readonly types?: readonly SinkType[];
  /** Why the rows cannot be handed on. */
  readonly exceeded?: string;
}

/** `missing`: no such file. `refused`: the statement reads or calls more than allowed. `engine`: the engine said no. */
export interface Failure {
  readonly kind: 'missing' | 'refused' | 'engine';
  /** The engine's own code or class of error, such as `SQLITE_BUSY`; empty for the other kinds. */
  readonly code: string;
  readonly message: string;
  /** The statement was running, so that the message may quote values of rows. */
  readonly metData?: boolean;
}

export interface ArrivedRows extends Pick<WireResult, 'columns' | 'types' | 'rows'> {
  readonly kind: 'rows';
  readonly bytes: number;
}

export type ProcessMessage =
  | { readonly kind: 'ready' }
  /** The first rows of a large reply, which follows. */
  | ArrivedRows
  | {
      readonly kind: 'reply';
      readonly value?: unknown;
      readonly failure?: Failure;
      /** The process has grown large and asks to be replaced. */
      readonly retire: boolean;
    };

/** Sent in the middle of a request: to a process that can stop by itself, or when rows that are handed on were taken. */
export type Interrupt = { readonly kind: 'interrupt' } | { readonly kind: 'taken' };
