/**
 * Runs one statement over the extended protocol, in one round trip: begins a read-only transaction, pins the settings,
 * parses, binds and executes, and leaves the session as it was before. The extended protocol takes one statement each time,
 * with or without parameters.
 */
import type { Submittable } from 'pg';
import {
  bindable,
  notReading,
  type PostgresCommand,
  type PostgresProtocol,
  RowCollector,
  type RowLimits,
  sendCommand,
  uniqueNames,
  type Value,
} from '../datasource-kit/index.ts';
import type { Flavor } from './flavors/flavor.ts';
import { ROLLBACK } from './settings.ts';
import { type Decoder, parameterText, parameterType, sinkType, type TypeMap } from './types.ts';

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
  readonly dataTypeModifier: number;
}

export interface StatementOptions {
  readonly sql: string;
  readonly params: readonly unknown[];
  readonly limits: RowLimits & { readonly timeoutMs: number };
  readonly schema: string;
  readonly flavor: Flavor;
  readonly types: TypeMap;
}

export class Statement implements Submittable {
  /** Resolves when the rows are complete or enough, rejects with the server's error. */
  readonly rows: Promise<void>;
  /** Resolves when the server is done with it. */
  readonly finished: Promise<void>;
  columns: string[] = [];
  collector: RowCollector | undefined;
  /** Columns whose types are not known yet, by position; their values are text so far. */
  readonly unknownTypes = new Map<number, number>();
  readonly #options: StatementOptions;
  readonly #values: readonly (string | Buffer | null)[];
  readonly #parameterTypes: readonly number[];
  readonly #rows = Promise.withResolvers<void>();
  readonly #finished = Promise.withResolvers<void>();
  #decoders: (Decoder | undefined)[] = [];
  /** Commands before the statement; those behind it end the transaction and discard the state of the session. */
  readonly #before: readonly PostgresCommand[];
  readonly #after: readonly PostgresCommand[];
  #command = 0;
  #enough = false;
  #stream: PostgresProtocol['stream'] | undefined;
  #hasEnded = false;

  /** Throws for a value that cannot be bound. */
  constructor(options: StatementOptions) {
    this.#options = options;
    const params = options.params.map(bindable);
    this.#values = params.map(parameterText);
    this.#parameterTypes = params.map(parameterType);
    const { flavor, schema, limits } = options;
    this.#before = [flavor.begin, ...flavor.settings(schema, limits.timeoutMs)];
    this.#after = flavor.discardsAlone === true ? [ROLLBACK] : [ROLLBACK, flavor.discard];
    this.rows = this.#rows.promise;
    this.finished = this.#finished.promise;
  }

  /** Whether it has ended and nothing of it is left in the session. Otherwise the session has to be reset. */
  get leftNothing(): boolean {
    const isWhole = this.#command === this.#before.length + 1 + this.#after.length;
    return this.#hasEnded && isWhole && this.#options.flavor.discardsAlone !== true;
  }

  submit(given: unknown): void {
    const connection = given as PostgresProtocol;
    this.#stream = connection.stream;
    connection.stream.cork();
    for (const command of this.#before) sendCommand(connection, command);
    connection.parse({ text: this.#options.sql, types: this.#parameterTypes });
    connection.bind({ values: this.#values });
    connection.describe({ type: 'P', name: '' });
    connection.execute({ portal: '', rows: 0 });
    for (const command of this.#after) sendCommand(connection, command);
    connection.sync();
    connection.stream.uncork();
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    const { limits } = this.#options;
    this.columns = uniqueNames(fields.map(({ name }) => name));
    this.collector = new RowCollector(this.columns, limits);
    this.#decoders = fields.map(({ dataTypeID }, index) => {
      const decoder = this.#options.types.decoder(dataTypeID);
      if (decoder === undefined) this.unknownTypes.set(index, dataTypeID);
      return decoder;
    });
    // Rows that are handed on cannot be decoded later: the session looks the types up, and begins again.
    if (limits.sink !== undefined && this.unknownTypes.size > 0) this.#stop();
    else this.collector.describe(() => fields.map((field) => sinkType(field.dataTypeID, field.dataTypeModifier)));
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.#command < this.#before.length || this.#enough || this.collector === undefined) return;
    try {
      const { maxCellBytes } = this.#options.limits;
      const row = new Array<Value>(fields.length);
      for (let index = 0; index < fields.length; index += 1) {
        const text = fields[index] as string | null;
        const decode = this.#decoders[index];
        row[index] = text === null || decode === undefined ? text : decode(text, maxCellBytes);
      }
      if (!this.collector.add(row)) this.#stop();
      if (this.collector.isSending) this.#waitFor(this.collector);
    } catch (error) {
      // Thrown here it would end the process.
      this.#rows.reject(error);
      this.#stop();
    }
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    if (this.#command === this.#before.length && !text.startsWith('SELECT')) this.#rows.reject(notReading());
    this.#command += 1;
  }

  handleEmptyQuery(): void {
    this.#rows.reject(notReading());
  }

  handleCopyInResponse(connection: PostgresProtocol): void {
    connection.sendCopyFail('not wanted');
  }

  handleCopyData(): void {}

  handleError(error: unknown): void {
    this.#rows.reject(error);
    this.#finished.resolve();
  }

  handleReadyForQuery(): void {
    this.#hasEnded = true;
    // What returns no rows is no statement to be run here.
    if (this.collector === undefined) this.#rows.reject(notReading());
    this.#rows.resolve();
    this.#finished.resolve();
  }

  /** The server is held back until the rows so far are taken. */
  #waitFor(collector: RowCollector): void {
    const stream = this.#stream;
    if (stream === undefined || stream.isPaused()) return;
    stream.pause();
    const resume = () => void stream.resume();
    collector.sent().then(resume, (error: unknown) => {
      this.#rows.reject(error);
      this.#stop();
      resume();
    });
  }

  #stop(): void {
    this.#enough = true;
    this.#rows.resolve();
  }
}
