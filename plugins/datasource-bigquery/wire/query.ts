/**
 * One query job: `jobs.query` begins it, `jobs.getQueryResults` waits for it and gives its pages, `jobs.cancel` ends it. See
 * the documentation of the REST API, version 2.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { notReading, OtherServer, whileNotAborted } from '../../datasource-kit/index.ts';
import type { Field } from '../values/fields.ts';
import type { BigqueryClient, Json } from './client.ts';
import { faultOf } from './fault.ts';

export interface Page {
  /** Once the job is done. */
  readonly columns: readonly Field[] | undefined;
  readonly rows: readonly unknown[];
}

export interface QueryRequest {
  readonly project: string;
  /** See `QueryRequest` of the API. */
  readonly body: object;
  readonly rowsPerPage: number;
}

/** How long the first answer is waited for on the server: only then it is known what to end. */
const FIRST_WAIT_MS = 1_000;
/** How long each later one is. */
const WAIT_MS = 10_000;
/** How long a job may take to begin or to end once nobody wants it. */
const END_TIMEOUT_MS = 3_000;
/** Of a server that does not wait little is asked. */
const EMPTY_PAGES = 3;
const EMPTY_PAUSE_MS = 100;

export class Query {
  readonly #client: BigqueryClient;
  readonly #request: QueryRequest;
  readonly #giveUp = new AbortController();
  readonly #begun: Promise<Json>;
  #job: { readonly id: string; readonly location: string | undefined } | undefined;
  #isOver = false;

  /** Sends the statement. */
  constructor(client: BigqueryClient, request: QueryRequest) {
    this.#client = client;
    this.#request = request;
    const { project, body, rowsPerPage } = request;
    const whole = { ...body, timeoutMs: FIRST_WAIT_MS, maxResults: rowsPerPage };
    // An abort does not end this request: its answer names what has to be ended.
    this.#begun = client.send({
      method: 'POST',
      path: `projects/${encodeURIComponent(project)}/queries`,
      body: whole,
      signal: this.#giveUp.signal,
    });
    this.#begun.catch(() => {});
  }

  /** The parts of the answer, each asked for when the one before has been taken. Throws what `send` does, and `sql_refused`. */
  async *pages(signal: AbortSignal): AsyncGenerator<Page> {
    let answer = await whileNotAborted(this.#begun, signal);
    for (let waits = 0; ; waits += 1) {
      const page = this.#read(answer);
      if (page !== undefined) yield page;
      const pageToken = typeof answer.pageToken === 'string' && answer.pageToken !== '' ? answer.pageToken : undefined;
      if (page !== undefined && pageToken === undefined) return;
      if (page === undefined && waits >= EMPTY_PAGES) await sleep(EMPTY_PAUSE_MS, undefined, { signal });
      answer = await this.#client.send({ method: 'GET', ...this.#results(pageToken), signal });
    }
  }

  /** Ends what still runs. Never rejects. */
  async end(): Promise<void> {
    if (this.#isOver) return;
    const late = setTimeout(() => this.#giveUp.abort(), END_TIMEOUT_MS);
    try {
      if (this.#job === undefined) this.#read(await this.#begun);
      const { id, location } = this.#job ?? {};
      if (this.#isOver || id === undefined) return;
      await this.#client.send({
        method: 'POST',
        path: `projects/${encodeURIComponent(this.#request.project)}/jobs/${encodeURIComponent(id)}/cancel`,
        query: { location },
        signal: AbortSignal.timeout(END_TIMEOUT_MS),
      });
    } catch {
      // It is gone, or ends at its own time limit.
    } finally {
      clearTimeout(late);
      this.#isOver = true;
    }
  }

  #results(pageToken: string | undefined) {
    const { project, rowsPerPage } = this.#request;
    const { id, location } = this.#job!;
    return {
      path: `projects/${encodeURIComponent(project)}/queries/${encodeURIComponent(id)}`,
      query: {
        location,
        pageToken,
        maxResults: rowsPerPage,
        timeoutMs: WAIT_MS,
        'formatOptions.useInt64Timestamp': 'true',
      },
    };
  }

  /** `undefined` while the job runs. */
  #read(answer: Json): Page | undefined {
    const { jobReference, jobComplete, schema, rows = [], errors, numDmlAffectedRows, statementType } = answer;
    const { jobId, location } = (jobReference ?? {}) as { readonly jobId?: unknown; readonly location?: unknown };
    if (typeof jobId !== 'string' || typeof jobComplete !== 'boolean') throw new OtherServer();
    this.#job ??= { id: jobId, location: typeof location === 'string' ? location : undefined };
    if (!jobComplete) return undefined;
    this.#isOver = true;
    const isOther = typeof statementType === 'string' && statementType !== 'SELECT';
    if (isOther || numDmlAffectedRows !== undefined) throw notReading();
    const { fields } = (schema ?? {}) as { readonly fields?: unknown };
    if (Array.isArray(errors) && errors.length > 0 && fields === undefined) throw faultOf(errors[0]);
    if (!Array.isArray(fields) || !fields.every(isField) || !Array.isArray(rows)) throw new OtherServer();
    return { columns: fields, rows };
  }
}

function isField(field: unknown): field is Field {
  const { name, type, fields } = (field ?? {}) as { name?: unknown; type?: unknown; fields?: unknown };
  const isNested = fields === undefined || (Array.isArray(fields) && fields.every(isField));
  return typeof name === 'string' && typeof type === 'string' && isNested;
}
