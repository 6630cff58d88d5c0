/** What a driver for a database server must do; pool, queue, timeouts and cancelling are the same for all. */
import type {
  ConnectionInfo,
  DescribeRequest,
  SqlLimits,
  SqlStatement,
  TableDescription,
} from '../../../kernel/index.ts';
import type { ArrivedResult, RowLimits } from '../values.ts';
import type { ViewDefinition } from '../view-definition.ts';

/** One connection to the server. It is used for one thing at a time, and reset after each. */
export interface Session {
  /** False once server or network have ended it. */
  readonly usable: boolean;
  /** Runs one checked statement in a read-only transaction. `limits.timeoutMs`: what is left of the time; `user`: who asks. */
  run(statement: SqlStatement, limits: SqlLimits & RowLimits, user?: string): Promise<ArrivedResult>;
  describe(timeoutMs: number, request: DescribeRequest): Promise<readonly TableDescription[]>;
  /** Rows that a checked statement would read; `undefined`, or without the method: it cannot tell. */
  estimate?(statement: SqlStatement, timeoutMs: number, user?: string): Promise<number | undefined>;
  views?(timeoutMs: number): Promise<readonly ViewDefinition[]>;
  /** What the login may do beyond reading, one sentence each, with the commands that take it away. */
  warnings(timeoutMs: number): Promise<readonly string[]>;
  /** Resolves when the server answers. */
  ping(): Promise<void>;
  /** Ends what still runs on the server and undoes whatever the session kept. `false`: throw it away. */
  reset(): Promise<boolean>;
  /** Closes it at once. Safe to call twice. */
  destroy(): void;
}

export interface Driver {
  readonly info: ConnectionInfo;
  /** Set where `user` decides what a statement brings. */
  readonly runsAsUser?: boolean;
  /**
   * Rejects with an `AtlasError`, at once when `signal` aborts. `onEnd` is called once when server or network end the
   * session.
   */
  open(onEnd: () => void, signal: AbortSignal): Promise<Session>;
}
