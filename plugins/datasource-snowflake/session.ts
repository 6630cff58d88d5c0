/** Runs statements in one account, each a request of its own. */
import type { DescribeRequest, SqlStatement } from '../../kernel/index.ts';
import {
  type ArrivedResult,
  collectRows,
  type HttpEngine,
  type HttpUse,
  OtherServer,
  PartTooLarge,
  type RowLimits,
  withLiterals,
} from '../datasource-kit/index.ts';
import { type Ask, describeSchemas } from './catalog/describe.ts';
import { viewsOf } from './catalog/views.ts';
import { estimatedRows } from './check/estimate.ts';
import { planOf, type Verifier } from './check/verify.ts';
import { snowflake } from './dialect.ts';
import { statementError } from './errors.ts';
import type { SnowflakeConnectionOptions } from './options.ts';
import type { SnowflakeTarget } from './url.ts';
import { decoderOf, sinkType } from './values/values.ts';
import { PART_LIMIT_BYTES, type SnowflakeClient } from './wire/client.ts';
import type { Row } from './wire/rows.ts';
import { type Column, Statement, type StatementBody } from './wire/statement.ts';

/** Of an answer to what the driver asks for itself. */
const OWN_LIMIT_ROWS = 200_000;

export interface SessionInit {
  readonly target: SnowflakeTarget;
  readonly options: SnowflakeConnectionOptions;
  readonly verifier: Verifier;
}

export class SnowflakeStatements implements HttpEngine {
  readonly failure = statementError;
  readonly #init: SessionInit;
  readonly #client: SnowflakeClient;

  constructor(init: SessionInit, client: SnowflakeClient) {
    this.#init = init;
    this.#client = client;
  }

  async run(statement: SqlStatement, limits: RowLimits, use: HttpUse): Promise<ArrivedResult> {
    const sql = withLiterals(statement.sql, statement.params, snowflake);
    await this.#init.verifier.check(statement, sql, this.#own(use, statement.id));
    // One more than is given says that there are more.
    const most = limits.sink === undefined ? { ROWS_PER_RESULTSET: String(limits.maxRows + 1) } : {};
    return collectRows(this.#send(sql, use, statement.id, most), limits, {
      sinkType,
      decoder: (columns) => rowDecoder(columns, limits.maxCellBytes),
    });
  }

  async estimate(statement: SqlStatement, use: HttpUse): Promise<number | undefined> {
    const sql = withLiterals(statement.sql, statement.params, snowflake);
    const ask = this.#own(use, statement.id);
    // What may not run is not estimated either.
    await this.#init.verifier.check(statement, sql, ask);
    return estimatedRows(await planOf(sql, ask), ask);
  }

  views(use: HttpUse) {
    return viewsOf(this.#own(use), this.#init.target.database);
  }

  describe({ schemas }: DescribeRequest, use: HttpUse) {
    return describeSchemas(this.#own(use), this.#init.target, schemas);
  }

  /** It needs neither a table nor a warehouse. */
  ping(use: HttpUse) {
    return this.#own(use)('SELECT 1');
  }

  close(): void {
    this.#client.close();
  }

  /** All rows of an answer that is known to be short. */
  #own(use: HttpUse, id?: string): Ask {
    return async (sql) => {
      const all: Record<string, string | null>[] = [];
      for await (const { columns, rows } of this.#send(sql, use, id)) {
        if (all.length + rows.length > OWN_LIMIT_ROWS) throw new PartTooLarge(PART_LIMIT_BYTES);
        for (const row of rows) {
          all.push(Object.fromEntries(columns.map(({ name }, at) => [name, (row[at] ?? null) as string | null])));
        }
      }
      return all;
    };
  }

  #send(sql: string, use: HttpUse, id: string | undefined, parameters: Readonly<Record<string, string>> = {}) {
    return use.pages(() => new Statement(this.#client, this.#body(sql, use, id, parameters)));
  }

  /** See "Body of the POST request" in the documentation of the API. */
  #body(
    sql: string,
    { until }: HttpUse,
    id: string | undefined,
    parameters: Readonly<Record<string, string>>,
  ): StatementBody {
    const { database, schema, warehouse, role } = this.#init.target;
    const { timeZone } = this.#init.options;
    return {
      statement: sql,
      timeout: Math.max(1, Math.ceil((until - performance.now()) / 1000)),
      database,
      schema,
      ...(warehouse !== undefined && { warehouse }),
      ...(role !== undefined && { role }),
      parameters: {
        MULTI_STATEMENT_COUNT: '1',
        BINARY_OUTPUT_FORMAT: 'HEX',
        // All of them, whatever the user has set.
        ROWS_PER_RESULTSET: '0',
        QUERY_TAG: id === undefined ? 'atlas' : `atlas:${id.replaceAll(/[^\w.-]/g, '')}`,
        ...(timeZone !== undefined && { TIMEZONE: timeZone }),
        ...parameters,
      },
    };
  }
}

function rowDecoder(columns: readonly Column[], maxCellBytes: number) {
  const decoders = columns.map(decoderOf);
  return (row: Row) => {
    if (!Array.isArray(row) || row.length !== decoders.length) throw new OtherServer();
    return row.map((cell, at) => decoders[at]?.(cell, maxCellBytes) ?? null);
  };
}
