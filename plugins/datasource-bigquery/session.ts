/** Runs statements of one project, each a job of its own. */
import type { DescribeRequest, SqlStatement } from '../../kernel/index.ts';
import {
  type ArrivedResult,
  collectRows,
  type HttpEngine,
  type HttpUse,
  OtherServer,
  type RowLimits,
} from '../datasource-kit/index.ts';
import { datasetPath, describeDatasets, type Get, rowsOf, tablePath, viewsOf } from './catalog/tables.ts';
import { type DryRun, readDryRun } from './check/dry-run.ts';
import type { Ask, Verifier } from './check/verify.ts';
import { statementError } from './errors.ts';
import type { BigqueryConnectionOptions } from './options.ts';
import { queryParameters } from './parameters.ts';
import type { BigqueryTarget } from './url.ts';
import type { Field } from './values/fields.ts';
import { sinkType } from './values/sink-types.ts';
import { decoderOf, listOf } from './values/values.ts';
import type { BigqueryClient } from './wire/client.ts';
import { Query } from './wire/query.ts';

/** Rows of a page, of which the API sends fewer where they are long. */
const ROWS_PER_PAGE = 10_000;

export interface SessionInit {
  readonly target: BigqueryTarget;
  readonly options: BigqueryConnectionOptions;
  readonly verifier: Verifier;
  /** That of the dataset, where the URL names none. */
  readonly location: string | undefined;
}

export class BigqueryStatements implements HttpEngine {
  readonly failure = statementError;
  readonly #init: SessionInit;
  readonly #client: BigqueryClient;

  constructor(init: SessionInit, client: BigqueryClient) {
    this.#init = init;
    this.#client = client;
  }

  async run(statement: SqlStatement, limits: RowLimits, use: HttpUse): Promise<ArrivedResult> {
    await this.#init.verifier.check(statement, this.#ask(use, statement));
    return collectRows(
      use.pages(() => this.#begin(statement, limits, use)),
      limits,
      { sinkType, decoder: (fields) => rowDecoder(fields, limits.maxCellBytes) },
    );
  }

  /** The rows of all tables that are read, those behind views included: BigQuery knows them without a scan. */
  async estimate(statement: SqlStatement, use: HttpUse): Promise<number | undefined> {
    const ask = this.#ask(use, statement);
    // What may not run is not estimated either.
    await this.#init.verifier.check(statement, ask);
    const { tables } = await ask(statement.sql, statement.params);
    const counts = (tables ?? []).map(async ({ projectId, datasetId, tableId }) =>
      rowsOf((await this.#get(use)(tablePath({ project: projectId, dataset: datasetId }, tableId))).numRows),
    );
    const sum = (await Promise.all(counts)).reduce<number>((all, count) => all + (count ?? Number.NaN), 0);
    return tables === undefined || Number.isNaN(sum) ? undefined : sum;
  }

  views(use: HttpUse) {
    return viewsOf(this.#get(use), this.#init.target);
  }

  describe({ schemas }: DescribeRequest, use: HttpUse) {
    return describeDatasets(this.#get(use), this.#init.target, schemas);
  }

  ping(use: HttpUse) {
    return this.#get(use)(datasetPath(this.#init.target));
  }

  close(): void {
    this.#client.close();
  }

  #get({ signal }: HttpUse): Get {
    return (path, query) => this.#client.send({ method: 'GET', path, signal, ...(query !== undefined && { query }) });
  }

  /** A dry run, as the statement would be run. Its answer from the cache would not tell the tables. */
  #ask({ signal }: HttpUse, statement: SqlStatement): Ask {
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

  #begin(statement: SqlStatement, limits: RowLimits, { until }: HttpUse): Query {
    const { target, location } = this.#init;
    const left = Math.max(1, Math.ceil(until - performance.now()));
    return new Query(this.#client, {
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
  }
}

function rowDecoder(fields: readonly Field[], maxCellBytes: number) {
  const decoders = fields.map((field) => decoderOf(field));
  return (row: unknown) => {
    const cells = listOf((row as { readonly f?: unknown } | null)?.f);
    if (cells.length !== decoders.length) throw new OtherServer();
    return cells.map((cell, at) => {
      const { v } = (cell ?? {}) as { readonly v?: unknown };
      return decoders[at]?.(v, maxCellBytes) ?? null;
    });
  };
}

/** By which bills and lists of jobs can be searched: what sent it, and the id of its audit entry. */
function labelsOf({ id }: SqlStatement): Readonly<Record<string, string>> {
  const entry = id
    ?.toLowerCase()
    .replaceAll(/[^a-z0-9_-]/g, '')
    .slice(0, 63);
  return { source: 'atlas', ...(entry ? { entry } : {}) };
}
