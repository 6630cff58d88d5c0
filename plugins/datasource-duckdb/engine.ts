/** One DuckDB file, read-only, inside the database process. Opens late, follows a file that is replaced. */
import { statSync } from 'node:fs';
import { type DuckDBConnection, DuckDBInstance, type DuckDBPreparedStatement, StatementType } from '@duckdb/node-api';
import type { ExecuteRequest, Failure, ProcessRequest, WireResult } from '../datasource/process-protocol.ts';
import { RowCollector, uniqueNames } from '../datasource/values.ts';
import { bindAll } from './bind.ts';
import { describeSchema } from './describe.ts';
import { type EngineLimits, engineSettings, FINAL_SETTINGS } from './settings.ts';
import { ValueReader } from './values.ts';
import { Refusal, Verifier } from './verify.ts';

/** An open file keeps every program that writes to it away, so it is closed when nobody asks. */
const CLOSE_AFTER_MS = 2_000;
/** Code of a failure at what the engine should have been able to do; its words are about its inside. */
const FAULT = 'Fault';

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

export class Engine {
  readonly #path: string;
  readonly #limits: EngineLimits;
  readonly #scratch: string;
  #session: Session | undefined;
  #running: DuckDBConnection | undefined;
  #closing: NodeJS.Timeout | undefined;

  constructor(path: string, limits: EngineLimits, scratch: string) {
    this.#path = path;
    this.#limits = limits;
    this.#scratch = scratch;
  }

  /** Stops the running statement; its answer is then a failure. */
  interrupt(): void {
    this.#running?.interrupt();
  }

  /** Answers one request; whatever goes wrong comes back as a failure. */
  async answer(request: ProcessRequest): Promise<{ value: unknown } | { failure: Failure }> {
    clearTimeout(this.#closing);
    try {
      const session = await this.#open();
      const connection = await session.instance.connect();
      this.#running = connection;
      try {
        return { value: await run(session, connection, request) };
      } finally {
        this.#running = undefined;
        // It takes whatever the statement left behind with it.
        connection.closeSync();
      }
    } catch (error) {
      const failure = failureOf(error);
      // After such a fault the engine refuses everything until the file is opened anew.
      if (failure.code === FAULT) this.#close();
      return { failure };
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

async function run({ verifier }: Session, connection: DuckDBConnection, request: ProcessRequest): Promise<unknown> {
  if (request.kind === 'ping') return undefined;
  return request.kind === 'describe' ? describeSchema(connection) : execute(verifier, connection, request);
}

async function execute(verifier: Verifier, connection: DuckDBConnection, request: ExecuteRequest): Promise<WireResult> {
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
    return await rowsOf(statement, request).catch((error: unknown) => {
      throw new WhileRunning(error);
    });
  } finally {
    statement.destroySync();
  }
}

async function rowsOf(statement: DuckDBPreparedStatement, request: ExecuteRequest): Promise<WireResult> {
  const result = await statement.stream();
  const columns = uniqueNames(result.columnNames());
  const collector = new RowCollector(columns, request);
  const reader = new ValueReader(request.maxCellBytes);
  const isJson = columns.map((_, index) => result.columnType(index).alias === 'JSON');
  let wanted = true;
  while (wanted) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) break;
    const read = columns.map((_, index) => reader.column(chunk.getColumnVector(index), isJson[index] === true));
    for (let row = 0; wanted && row < chunk.rowCount; row += 1) wanted = collector.add(read.map((value) => value(row)));
  }
  return { columns, rows: collector.rows, truncated: collector.truncated, notes: collector.notes };
}

function failureOf(error: unknown): Failure {
  if (error instanceof WhileRunning) return { ...failureOf(error.error), metData: true };
  if (error instanceof Missing) return { kind: 'missing', code: '', message: '' };
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof Refusal) return { kind: 'refused', code: '', message: text };
  if (error instanceof OpenFailed) return { kind: 'engine', code: 'Open', message: text };
  const [, code = '', message = text] = /^([A-Za-z ]+) Error: ([\s\S]*)$/.exec(text) ?? [];
  if (/^(?:INTERNAL|FATAL|Invalid)$/.test(code)) return { kind: 'engine', code: FAULT, message: '' };
  // What follows shows the place in a text that nobody but us has seen.
  return { kind: 'engine', code, message: message.replace(/\n\nLINE \d[\s\S]*$/, '').replace(/\s*\n\s*/g, ' ') };
}
