/**
 * One statement of the SQL REST API: a POST begins it and tells its handle, a GET of that handle asks until it has ended and
 * then for each part of its rows, and a POST of `cancel` ends it.
 */

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { notReading, OtherServer, objectIn, textOf, whileNotAborted } from '../../datasource-kit/index.ts';
import { PART_LIMIT_BYTES, type SnowflakeClient } from './client.ts';
import { faultOf, SnowflakeFault } from './fault.ts';
import { type Row, rowsIn } from './rows.ts';

/** A column as `resultSetMetaData` has it. */
export interface Column {
  readonly name: string;
  /** In lower case. */
  readonly type: string;
  readonly precision: number;
  readonly scale: number;
}

export interface Page {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}

/** What a POST of a statement holds, as the documentation calls it. */
export interface StatementBody {
  readonly statement: string;
  /** Seconds. */
  readonly timeout: number;
  readonly [name: string]: unknown;
}

/** How long a statement may take to begin or to end once nobody wants it. */
const END_TIMEOUT_MS = 3_000;
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 500;
/** Snowflake ended a statement that took too long. */
const TOO_LONG = '000630';
const HANDLE = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export class Statement {
  readonly #client: SnowflakeClient;
  readonly #giveUp = new AbortController();
  readonly #begun: Promise<string>;
  #isOver = false;

  /** Sends the statement. */
  constructor(client: SnowflakeClient, body: StatementBody) {
    this.#client = client;
    // An abort does not end this request: its answer names what has to be ended.
    this.#begun = this.#begin(JSON.stringify(body));
    this.#begun.catch(() => {});
  }

  /**
   * The parts of the answer, each asked for when the one before has been taken. Throws `SnowflakeFault`, `HttpFault`,
   * `OtherServer`, `sql_refused`, `PartTooLarge`, or an error of the socket.
   */
  async *pages(signal: AbortSignal): AsyncGenerator<Page> {
    const handle = await whileNotAborted(this.#begun, signal);
    const first = await this.#ended(handle, signal);
    const { columns, partitions } = metaDataOf(first.resultSetMetaData);
    // What writes tells how many rows it has written.
    const { stats } = first;
    if (
      typeof stats === 'object' &&
      stats !== null &&
      Object.keys(stats).some((name) => /^num.*(?:Inserted|Updated|Deleted)$/.test(name))
    )
      throw notReading();
    yield { columns, rows: rowsOf(first.data) };
    for (let partition = 1; partition < partitions; partition += 1) {
      const path = `${pathOf(handle)}?partition=${partition}`;
      const { status, body } = await this.#client.send({ method: 'GET', path, signal });
      try {
        if (status !== 200) throw this.#failure(status, objectIn(await textOf(body, signal, PART_LIMIT_BYTES)));
        for await (const rows of rowsIn(body)) yield { columns, rows };
      } catch (error) {
        throw signal.aborted ? signal.reason : error;
      } finally {
        // One that has not been read to its end is not needed any more.
        body.destroy();
      }
    }
  }

  /** Ends what still runs in the account. Never rejects. */
  async end(): Promise<void> {
    if (this.#isOver) return;
    const late = setTimeout(() => this.#giveUp.abort(), END_TIMEOUT_MS);
    try {
      const path = `${pathOf(await this.#begun)}/cancel`;
      await this.#client.ask({ method: 'POST', path, signal: AbortSignal.timeout(END_TIMEOUT_MS) });
    } catch {
      // It has ended, or ends at its timeout.
    } finally {
      clearTimeout(late);
      this.#isOver = true;
    }
  }

  async #begin(body: string): Promise<string> {
    const path = `/api/v2/statements?async=true&requestId=${randomUUID()}`;
    const { status, answer } = await this.#client.ask({ method: 'POST', path, body, signal: this.#giveUp.signal });
    if (status === 408 || status === 422) throw this.#failure(status, answer);
    const handle = String(answer?.statementHandle);
    if (!HANDLE.test(handle)) throw new OtherServer();
    return handle;
  }

  /** The answer of a statement that has ended, with the first of its rows. */
  async #ended(handle: string, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
      const { status, answer } = await this.#client.ask({ method: 'GET', path: pathOf(handle), signal });
      if (status === 408 || status === 422) throw this.#failure(status, answer);
      if (answer === undefined) throw new OtherServer();
      if (status === 200) {
        this.#isOver = true;
        return answer;
      }
      await sleep(pauseMs, undefined, { signal });
    }
  }

  #failure(status: number, answer: Readonly<Record<string, unknown>> | undefined): Error {
    this.#isOver = true;
    if (status === 408) return new SnowflakeFault(TOO_LONG, '57014', '');
    return answer === undefined || status !== 422 ? new OtherServer() : faultOf(answer);
  }
}

const pathOf = (handle: string) => `/api/v2/statements/${handle}`;

function metaDataOf(value: unknown): { readonly columns: readonly Column[]; readonly partitions: number } {
  const { rowType, partitionInfo } = (value ?? {}) as { readonly rowType?: unknown; readonly partitionInfo?: unknown };
  if (!Array.isArray(rowType)) throw new OtherServer();
  const columns = rowType.map((one: Readonly<Record<string, unknown>> | null): Column => {
    if (typeof one?.name !== 'string' || typeof one.type !== 'string') throw new OtherServer();
    const { name, type, precision, scale } = one;
    return { name, type: type.toLowerCase(), precision: Number(precision ?? 0), scale: Number(scale ?? 0) };
  });
  return { columns, partitions: Array.isArray(partitionInfo) ? partitionInfo.length : 1 };
}

function rowsOf(data: unknown): Page['rows'] {
  if (data === undefined || data === null) return [];
  if (!Array.isArray(data) || !data.every((row) => Array.isArray(row))) throw new OtherServer();
  return data;
}
