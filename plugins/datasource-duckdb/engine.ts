/** Reads one DuckDB file inside the database process. Opens it late, and anew when the file is replaced. */
import { statSync } from 'node:fs';
import { type DuckDBConnection, DuckDBInstance, type DuckDBPreparedStatement, StatementType } from '@duckdb/node-api';
import type { TableDescription } from '../../kernel/index.ts';
import type {
  Engine,
  EstimateMessage,
  ExecuteRequest,
  Failure,
  OpenEngine,
  RowWriter,
  ValueFunctions,
  ViewDefinition,
} from '../datasource-kit/index.ts';
import { bindAll } from './bind.ts';
import { describeSchema } from './describe.ts';
import { estimatedRows } from './estimate.ts';
import { type EngineLimits, engineSettings, FINAL_SETTINGS } from './settings.ts';
import { sinkType } from './sink-types.ts';
import { ValueReader } from './values.ts';
import { Refusal, Verifier } from './verify.ts';
import { viewsOf } from './views.ts';

/** An open file keeps every program that writes to it away, so it is closed between statements. */
const CLOSE_AFTER_MS = 2_000;
/** A process that keeps more than this between statements is replaced after its answer. */
const RETIRE_ABOVE_BYTES = 384 * 1024 * 1024;

class Missing extends Error {}
class OpenFailed extends Error {}

/** What went wrong once the statement read rows. */
class WhileRunning {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

interface Session {
  readonly instance: DuckDBInstance;
  /** Device and inode: a file moved over the path is another database. */
  readonly identity: string;
  readonly verifier: Verifier;
}

class DuckdbEngine implements Engine {
  readonly retireAboveBytes = RETIRE_ABOVE_BYTES;
  readonly #path: string;
  readonly #limits: EngineLimits;
  readonly #scratch: string;
  readonly #values: ValueFunctions;
  #session: Session | undefined;
  #running: DuckDBConnection | undefined;
  #closing: NodeJS.Timeout | undefined;

  constructor(path: string, limits: EngineLimits, scratch: string, values: ValueFunctions) {
    this.#path = path;
    this.#limits = limits;
    this.#scratch = scratch;
    this.#values = values;
  }

  /** Stops the running statement; its answer is then a failure. */
  interrupt(): void {
    this.#running?.interrupt();
  }

  ping(): Promise<void> {
    return this.#read(async () => {});
  }

  describe(): Promise<readonly TableDescription[]> {
    return this.#read((connection) => describeSchema(connection));
  }

  execute(request: ExecuteRequest, rows: RowWriter): Promise<void> {
    const reader = new ValueReader(this.#values, request.maxCellBytes);
    return this.#read((connection, { verifier }) => execute(verifier, connection, request, reader, rows));
  }

  /** What may not run is not estimated either. */
  estimate(request: EstimateMessage): Promise<number | undefined> {
    return this.#read(async (connection, { verifier }) => {
      await verifier.check(connection, request);
      return estimatedRows(connection, request);
    });
  }

  views(): Promise<readonly ViewDefinition[]> {
    return this.#read(viewsOf);
  }

  failureOf(error: unknown): Failure {
    if (error instanceof WhileRunning) return { ...this.failureOf(error.error), metData: true };
    if (error instanceof Missing) return { kind: 'missing', code: '', message: '' };
    const text = error instanceof Error ? error.message : String(error);
    if (error instanceof Refusal) return { kind: 'refused', code: '', message: text };
    if (error instanceof OpenFailed) return { kind: 'engine', code: 'Open', message: text };
    const [, code = '', message = text] = /^([A-Za-z ]+) Error: ([\s\S]*)$/.exec(text) ?? [];
    if (/^(?:INTERNAL|FATAL|Invalid)$/.test(code)) {
      // After such a fault the engine refuses everything until the file is opened anew.
      this.#close();
      return { kind: 'engine', code: 'Fault', message: '' };
    }
    // What follows shows the place in a text that only we have seen.
    return { kind: 'engine', code, message: message.replace(/\n\nLINE \d[\s\S]*$/, '').replace(/\s*\n\s*/g, ' ') };
  }

  /** Over a connection of the statement's own, which takes whatever the statement left behind with it. */
  async #read<T>(work: (connection: DuckDBConnection, session: Session) => Promise<T>): Promise<T> {
    clearTimeout(this.#closing);
    try {
      const session = await this.#open();
      const connection = await session.instance.connect();
      this.#running = connection;
      try {
        return await work(connection, session);
      } finally {
        this.#running = undefined;
        connection.closeSync();
      }
    } finally {
      this.#closing = setTimeout(() => this.#close(), CLOSE_AFTER_MS);
    }
  }

  async #open(): Promise<Session> {
    const stat = statSync(this.#path, { throwIfNoEntry: false, bigint: true });
    const identity = stat === undefined ? undefined : `${stat.dev}:${stat.ino}`;
    if (this.#session !== undefined && this.#session.identity !== identity) this.#close();
    if (identity === undefined) throw new Missing();
    this.#session ??= await openFile(this.#path, identity, this.#limits, this.#scratch);
    return this.#session;
  }

  #close(): void {
    this.#session?.instance.closeSync();
    this.#session = undefined;
  }
}

async function openFile(path: string, identity: string, limits: EngineLimits, scratch: string): Promise<Session> {
  let instance: DuckDBInstance | undefined;
  try {
    instance = await DuckDBInstance.create(path, engineSettings(limits, scratch));
    const connection = await instance.connect();
    for (const setting of FINAL_SETTINGS) await connection.run(setting);
    connection.closeSync();
    return { instance, identity, verifier: new Verifier() };
  } catch (error) {
    instance?.closeSync();
    throw new OpenFailed(error instanceof Error ? error.message : String(error));
  }
}

async function execute(
  verifier: Verifier,
  connection: DuckDBConnection,
  request: ExecuteRequest,
  reader: ValueReader,
  rows: RowWriter,
): Promise<void> {
  const statements = await connection.extractStatements(request.sql).catch((error: Error) => {
    // The library's own objection, which has no class: there is nothing in the text.
    throw / Error: /.test(error.message) ? error : new Refusal('There is no statement.');
  });
  if (statements.count !== 1) throw new Refusal('Only one SELECT statement can be run.');
  const statement = await statements.prepare(0);
  try {
    if (statement.statementType !== StatementType.SELECT) throw new Refusal('Only statements that read can be run.');
    await verifier.check(connection, request);
    bindAll(statement, request.params);
    await readRows(statement, reader, rows).catch((error: unknown) => {
      throw new WhileRunning(error);
    });
  } finally {
    statement.destroySync();
  }
}

async function readRows(statement: DuckDBPreparedStatement, reader: ValueReader, rows: RowWriter): Promise<void> {
  const result = await statement.stream();
  const columns = result.columnNames();
  rows.begin(columns, () => columns.map((_, index) => sinkType(result.columnType(index))));
  const isJson = columns.map((_, index) => result.columnType(index).alias === 'JSON');
  let wanted = true;
  while (wanted) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) break;
    const read = columns.map((_, index) => reader.column(chunk.getColumnVector(index), isJson[index] === true));
    for (let row = 0; wanted && row < chunk.rowCount; row += 1) {
      wanted = rows.add(read.map((value) => value(row)));
      if (rows.isSending) await rows.sent();
    }
  }
}

export const openEngine: OpenEngine = ([path = '', limits = '{}', scratch = ''], values) =>
  new DuckdbEngine(path, JSON.parse(limits) as EngineLimits, scratch, values);
