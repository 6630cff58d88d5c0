/** One place for statements of one project, each a job of its own; a session keeps nothing between them. */
import type { DescribeRequest, SqlLimits, SqlStatement, TableDescription } from '../../kernel/index.ts';
import {
  type ArrivedResult,
  assertReads,
  cancelled,
  connectionLost,
  isSocketError,
  RowCollector,
  type RowLimits,
  type Session,
  uniqueNames,
  type ViewDefinition,
} from '../datasource-kit/index.ts';
import { datasetPath, describeDatasets, type Get, rowsOf, tablePath, viewsOf } from './catalog/tables.ts';
import { type DryRun, readDryRun } from './check/dry-run.ts';
import type { Ask, Verifier } from './check/verify.ts';
import { statementError } from './errors.ts';
import type { BigqueryConnectionOptions } from './options.ts';
import { queryParameters } from './parameters.ts';
import type { BigqueryTarget } from './url.ts';
import { sinkType } from './values/sink-types.ts';
import { type Decoder, decoderOf, listOf } from './values/values.ts';
import type { BigqueryClient } from './wire/client.ts';
import { NotBigquery } from './wire/fault.ts';
import { Query } from './wire/query.ts';

/** What the driver asks for itself, besides statements. */
const OWN_TIMEOUT_MS = 10_000;
/** Rows of a page, of which the API sends fewer where they are long. */
const ROWS_PER_PAGE = 10_000;

export interface SessionInit {
  readonly target: BigqueryTarget;
  readonly options: BigqueryConnectionOptions;
  readonly verifier: Verifier;
  /** That of the dataset, where the URL names none. */
  readonly location: string | undefined;
}

/** What one use of a session has asked: it ends when the session is reset. */
interface Use {
  readonly until: number;
  readonly signal: AbortSignal;
}

export class BigquerySession implements Session {
  readonly #init: SessionInit;
  readonly #client: BigqueryClient;
  #usable = true;
  #use = new AbortController();
  /** Jobs whose answers may not have been read to their ends. */
  readonly #running = new Set<Query>();

  constructor(init: SessionInit, client: BigqueryClient) {
    this.#init = init;
    this.#client = client;
  }

  get usable(): boolean {
    return this.#usable;
  }

  run(statement: SqlStatement, limits: SqlLimits & RowLimits): Promise<ArrivedResult> {
    assertReads(statement.sql);
    return this.#using(limits.timeoutMs, async (use) => {
      await this.#init.verifier.check(statement, this.#ask(use, statement));
      return this.#read(statement, limits, use);
    });
  }

  /** The rows of all tables that are read, those behind views included: BigQuery knows them without a scan. */
  estimate(statement: SqlStatement, timeoutMs: number): Promise<number | undefined> {
    assertReads(statement.sql);
    return this.#using(timeoutMs, async (use) => {
      const ask = this.#ask(use, statement);
      // What may not run is not estimated either.
      await this.#init.verifier.check(statement, ask);
      const { tables } = await ask(statement.sql, statement.params);
      const counts = (tables ?? []).map(async ({ projectId, datasetId, tableId }) =>
        rowsOf((await this.#get(use)(tablePath({ project: projectId, dataset: datasetId }, tableId))).numRows),
      );
      const sum = (await Promise.all(counts)).reduce<number>((all, count) => all + (count ?? Number.NaN), 0);
      return tables === undefined || Number.isNaN(sum) ? undefined : sum;
    });
  }

  views(timeoutMs: number): Promise<readonly ViewDefinition[]> {
    return this.#using(timeoutMs, (use) => viewsOf(this.#get(use), this.#init.target));
  }

  describe(timeoutMs: number, { schemas }: DescribeRequest): Promise<readonly TableDescription[]> {
    return this.#using(timeoutMs, (use) => describeDatasets(this.#get(use), this.#init.target, schemas));
  }

  /** The API does not tell what an account may do; see the README. */
  async warnings(): Promise<readonly string[]> {
    return [];
  }

  async ping(): Promise<void> {
    await this.#using(OWN_TIMEOUT_MS, (use) => this.#get(use)(datasetPath(this.#init.target)));
  }

  /** A connection that failed is not used again; what it had begun is ended all the same. */
  async reset(): Promise<boolean> {
    this.#use.abort(cancelled());
    this.#use = new AbortController();
    const running = [...this.#running];
    this.#running.clear();
    await Promise.all(running.map((query) => query.end()));
    return this.#usable;
  }

  destroy(): void {
    this.#usable = false;
    this.#use.abort(connectionLost());
    this.#client.close();
  }

  #get({ signal }: Use): Get {
    return (path, query) => this.#client.send({ method: 'GET', path, signal, ...(query !== undefined && { query }) });
  }

  /** A dry run, as the statement would be run. Its answer from the cache would not tell the tables. */
  #ask({ signal }: Use, statement: SqlStatement): Ask {
    const { target, location } = this.#init;
    return async (sql, params): Promise<DryRun> =>
      readDryRun(
        await this.#client.send({
          method: 'POST',
          path: `projects/${encodeURIComponent(target.project)}/jobs`,
          body: {
            jobReference: { projectId: target.project, ...(location !== undefined && { location }) },
            configuration: {
              dryRun: true,
              labels: labelsOf(statement),
              query: { ...this.#query(sql, params), useQueryCache: false },
            },
          },
          signal,
        }),
      );
  }

  /** What dry run and run have in common. */
  #query(sql: string, params: readonly unknown[]): object {
    const { target, options } = this.#init;
    return {
      query: sql,
      useLegacySql: false,
      defaultDataset: { projectId: target.project, datasetId: target.dataset },
      ...(params.length > 0 && { parameterMode: 'POSITIONAL', queryParameters: queryParameters(params) }),
      ...(options.timeZone !== undefined && { connectionProperties: [{ key: 'time_zone', value: options.timeZone }] }),
    };
  }

  async #read(statement: SqlStatement, limits: RowLimits, use: Use): Promise<ArrivedResult> {
    let collector: RowCollector | undefined;
    let decoders: readonly Decoder[] = [];
    const query = this.#begin(statement, limits, use);
    reading: for await (const { fields = [], rows } of query.pages(use.signal)) {
      if (collector === undefined) {
        decoders = fields.map((field) => decoderOf(field));
        collector = new RowCollector(uniqueNames(fields.map(({ name }) => name)), limits);
        collector.describe(() => fields.map(sinkType));
      }
      for (const row of rows) {
        const cells = listOf((row as { readonly f?: unknown } | null)?.f);
        if (cells.length !== decoders.length) throw new NotBigquery();
        const values = cells.map((cell, at) => {
          const { v } = (cell ?? {}) as { readonly v?: unknown };
          return decoders[at]?.(v, limits.maxCellBytes) ?? null;
        });
        if (!collector.add(values)) break reading;
        if (collector.isSending) await collector.sent();
      }
    }
    if (collector === undefined) throw new NotBigquery();
    this.#running.delete(query);
    return collector.result();
  }

  #begin(statement: SqlStatement, limits: RowLimits, { signal, until }: Use): Query {
    signal.throwIfAborted();
    const { target, location } = this.#init;
    const left = Math.max(1, Math.ceil(until - performance.now()));
    const query = new Query(this.#client, {
      project: target.project,
      // One more than is given tells whether there are more.
      rowsPerPage: Math.min(ROWS_PER_PAGE, limits.maxRows + 1),
      body: {
        ...this.#query(statement.sql, statement.params),
        // What is sent again after an error of the network begins no second job.
        requestId: crypto.randomUUID(),
        jobTimeoutMs: String(left),
        labels: labelsOf(statement),
        formatOptions: { useInt64Timestamp: true },
        ...(location !== undefined && { location }),
        ...(target.maxBytesBilled !== undefined && { maximumBytesBilled: target.maxBytesBilled }),
      },
    });
    this.#running.add(query);
    return query;
  }

  /** Runs one use of the session. After an error of the network it is not used again. */
  async #using<T>(timeoutMs: number, work: (use: Use) => Promise<T>): Promise<T> {
    const { signal } = this.#use;
    try {
      return await work({ until: performance.now() + timeoutMs, signal });
    } catch (error) {
      if (isSocketError(error) && !signal.aborted) this.#usable = false;
      throw statementError(error, timeoutMs);
    }
  }
}

/** By which bills and lists of jobs can be searched: what sent it, and the id of its audit entry. */
function labelsOf({ id }: SqlStatement): Readonly<Record<string, string>> {
  const entry = id
    ?.toLowerCase()
    .replaceAll(/[^a-z0-9_-]/g, '')
    .slice(0, 63);
  return { source: 'atlas', ...(entry ? { entry } : {}) };
}
