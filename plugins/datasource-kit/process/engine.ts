/** Declares what an engine that reads files must do inside a database process. The process itself is the kit's. */
import type { TableDescription } from '../../../kernel/index.ts';
import type { SinkType } from '../row-sink.ts';
import type { Value } from '../values.ts';
import type { ViewDefinition } from '../view-definition.ts';
import type { EstimateMessage, ExecuteRequest, Failure } from './protocol.ts';

/** Takes the rows of one statement, up to the limits of its request. */
export interface RowWriter {
  /** Once, before the first row. Names that occur twice are made unique. Without types, rows cannot be handed on. */
  begin(columns: readonly string[], types?: () => readonly SinkType[]): void;
  /** `false`: no more rows are wanted. */
  add(row: readonly Value[]): boolean;
  /** Whether rows are on their way to the server: wait for `sent` before reading more, or they pile up. */
  readonly isSending: boolean;
  sent(): Promise<void>;
}

/** One opened engine. It is asked one thing at a time; what it throws goes through `failureOf`. */
export interface Engine {
  /** Memory of the process, in bytes, above which it is replaced after its answer. */
  readonly retireAboveBytes: number;
  /** Runs one statement for reading. */
  execute(request: ExecuteRequest, rows: RowWriter): void | Promise<void>;
  describe(): readonly TableDescription[] | Promise<readonly TableDescription[]>;
  /** Rows that a statement would read; `undefined`, or without the method: it cannot tell. */
  estimate?(request: EstimateMessage): Promise<number | undefined>;
  views?(): Promise<readonly ViewDefinition[]>;
  /** Reads the file; throws when it cannot. */
  ping(): void | Promise<void>;
  failureOf(error: unknown): Failure;
  /** Stops the running statement, which then throws. For programs that are `isInterruptible`. */
  interrupt?(): void;
  /** Whether the process has to be replaced whatever memory it uses. */
  isStuck?(): boolean;
}

/** The functions that turn an engine's values into plain ones. Handed over, so that an engine imports types only. */
export type ValueFunctions = Pick<
  typeof import('../values.ts'),
  'Converted' | 'decimal' | 'infiniteTime' | 'integer' | 'json' | 'real' | 'toCell' | 'uniqueNames'
>;

/** What an engine's module exports as `openEngine`. `args`: the program's, then the scratch folder if it has one. */
export type OpenEngine = (args: readonly string[], values: ValueFunctions) => Engine;
