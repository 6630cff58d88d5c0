/** Asks one replica over HTTP with the official client. */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { type Cell, lookupOf } from '../../datasource-kit/index.ts';
import type { Params } from '../catalog/query.ts';
import type { Settings } from '../settings.ts';
import type { ClickhouseTarget, Replica } from '../url.ts';
import { type AnswerLine, readAnswer } from './answer.ts';
import { faultOf, NotClickhouse } from './fault.ts';
import { linesOf } from './lines.ts';

/** What is read of an answer that is an error. */
const FAULT_LIMIT_BYTES = 64 * 1024;
/** Less than the time after which a server closes what idles. */
const IDLE_SOCKET_MS = 2_500;
/** Statements have their own limits of time; this one is for a socket that never says anything. */
const SILENCE_MS = 24 * 60 * 60 * 1_000;
/** A statement, and what ends it. */
const SOCKETS = 2;

export interface Question {
  readonly sql: string;
  readonly queryId: string;
  readonly settings: Settings;
  readonly params?: Params;
  readonly signal: AbortSignal;
}

export class ReplicaClient {
  readonly #agent: HttpAgent;
  readonly #database: string;
  readonly #client: ReturnType<typeof createClient>;

  /** `address`: one of the host's, to connect to. Nothing is connected yet. */
  constructor({ user, password, database, tls }: ClickhouseTarget, { host, port }: Replica, address?: string) {
    const options = {
      keepAlive: true,
      maxSockets: SOCKETS,
      ...(address !== undefined && { lookup: lookupOf(address) }),
    };
    this.#database = database;
    this.#agent = tls === undefined ? new HttpAgent(options) : new HttpsAgent({ ...options, ...tls });
    this.#client = createClient({
      url: `${tls === undefined ? 'http' : 'https'}://${isIP(host) === 6 ? `[${host}]` : host}:${port}`,
      username: user,
      password,
      application: 'atlas',
      http_agent: this.#agent,
      keep_alive: { enabled: true, idle_socket_ttl: IDLE_SOCKET_MS },
      request_timeout: SILENCE_MS,
      log: { level: ClickHouseLogLevel.OFF },
    });
  }

  /**
   * Sends a statement and gives its lines as they arrive; leaving them closes the connection. A redirection is not
   * followed. Throws `ServerFault`, `NotClickhouse`, or an error of the socket.
   */
  async *ask({ sql, queryId, settings, params, signal }: Question): AsyncGenerator<AnswerLine> {
    signal.throwIfAborted();
    const {
      stream,
      http_status_code: status,
      response_headers: headers,
    } = await this.#client.exec({
      query: sql,
      query_id: queryId,
      // The library would leave out the name "default", which is not every login's own database.
      clickhouse_settings: { ...settings, database: this.#database } as Record<string, string | number>,
      ...(params !== undefined && { query_params: params }),
      abort_signal: signal,
      ignore_error_response: true,
      decompress_response_stream: false,
    });
    // The library lets go of the signal once the head of the answer is here.
    const stop = () => stream.destroy(signal.reason instanceof Error ? signal.reason : new Error('It was aborted.'));
    signal.addEventListener('abort', stop, { once: true });
    // An error after its reader has left must not end the process.
    stream.on('error', () => {});
    try {
      if (signal.aborted) throw signal.reason;
      const code = headers['x-clickhouse-exception-code'];
      if (status !== 200 || code !== undefined) throw await faultIn(stream, Number(code ?? Number.NaN));
      yield* readAnswer(linesOf(stream));
    } finally {
      signal.removeEventListener('abort', stop);
      stream.destroy();
    }
  }

  /** All rows of an answer that is known to be short. */
  rows(question: Question): Promise<(readonly Cell[])[]> {
    return rowsOf(this.ask(question));
  }

  close(): void {
    this.#agent.destroy();
  }
}

export async function rowsOf(lines: AsyncIterable<AnswerLine>): Promise<(readonly Cell[])[]> {
  const rows: (readonly Cell[])[] = [];
  for await (const { row } of lines) if (row !== undefined) rows.push(row);
  return rows;
}

/** The error that an answer is; never the text of something that is no ClickHouse. */
async function faultIn(stream: Readable, code: number): Promise<Error> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of stream as AsyncIterable<Buffer>) {
    parts.push(part);
    bytes += part.length;
    if (bytes > FAULT_LIMIT_BYTES) break;
  }
  const text = written(Buffer.concat(parts).toString('utf8', 0, FAULT_LIMIT_BYTES));
  return faultOf(text, Number.isInteger(code) ? code : undefined) ?? new NotClickhouse();
}

/** Once the server knows the format of the answer, an error is a line of it. */
function written(text: string): string {
  const [line = ''] = /^\{"exception":.*$/m.exec(text) ?? [];
  try {
    return String((JSON.parse(line) as { readonly exception: unknown }).exception);
  } catch {
    return text;
  }
}
