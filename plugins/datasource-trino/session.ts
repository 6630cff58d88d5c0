/** Runs statements on one coordinator, each a query of its own. */
import { AtlasError, type DescribeRequest, type SqlStatement } from '../../kernel/index.ts';
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
import { describeSchemas, type Query as OwnQuery } from './catalog/describe.ts';
import { viewsOf } from './catalog/views.ts';
import { estimatedRows } from './check/estimate.ts';
import type { Explain, Verifier } from './check/verify.ts';
import { trino } from './dialect.ts';
import { statementError } from './errors.ts';
import type { TrinoConnectionOptions } from './options.ts';
import { headerUser, type TrinoTarget } from './url.ts';
import { sinkType } from './values/sink-types.ts';
import { Decoders } from './values/values.ts';
import { PAGE_LIMIT_BYTES, type TrinoClient } from './wire/client.ts';
import { type Column, Query } from './wire/query.ts';

/** Of all answers to what the driver asks for itself. */
const OWN_LIMIT_BYTES = 64 * 1024 * 1024;

export interface SessionInit {
  readonly target: TrinoTarget;
  readonly options: TrinoConnectionOptions;
  readonly verifier: Verifier;
}

/** Who a query runs as, where that is not the principal, and the id that it is traced by. */
interface Sender {
  readonly user?: string;
  readonly id?: string;
}

export class TrinoStatements implements HttpEngine {
  readonly failure = statementError;
  readonly #init: SessionInit;
  readonly #client: TrinoClient;

  constructor(init: SessionInit, client: TrinoClient) {
    this.#init = init;
    this.#client = client;
  }

  async run(statement: SqlStatement, limits: RowLimits, use: HttpUse, user?: string): Promise<ArrivedResult> {
    const sender = this.#senderOf(statement, user);
    const sql = withLiterals(statement.sql, statement.params, trino);
    await this.#init.verifier.check(statement, sql, this.#explain(use, sender), sender.user);
    return collectRows(this.#ask(sql, use, sender), limits, {
      sinkType: ({ type }) => sinkType(type),
      decoder: (columns) => rowDecoder(columns, limits.maxCellBytes),
    });
  }

  async estimate(statement: SqlStatement, use: HttpUse, user?: string): Promise<number | undefined> {
    const sender = this.#senderOf(statement, user);
    const sql = withLiterals(statement.sql, statement.params, trino);
    const explain = this.#explain(use, sender);
    // What may not run is not estimated either.
    await this.#init.verifier.check(statement, sql, explain, sender.user);
    return estimatedRows(await explain(`EXPLAIN (TYPE DISTRIBUTED, FORMAT JSON) ${sql}`));
  }

  views(use: HttpUse) {
    return viewsOf(this.#own(use), this.#init.target.catalog);
  }

  describe({ schemas }: DescribeRequest, use: HttpUse) {
    return describeSchemas(this.#own(use), this.#init.target, schemas);
  }

  ping(use: HttpUse) {
    return this.#own(use)('SELECT 1');
  }

  close(): void {
    this.#client.close();
  }

  /** Throws `sql_refused` where it should run as somebody whom no header can name. */
  #senderOf({ id }: SqlStatement, label: string | undefined): Sender {
    const trace = id === undefined ? {} : { id };
    if (!this.#init.options.impersonate) return trace;
    const user = label === undefined ? undefined : headerUser(label);
    if (user !== undefined) return { ...trace, user };
    throw new AtlasError('The statement cannot run as the user who asks: there is no name that Trino can be told.', {
      code: 'sql_refused',
      reason: 'E_TRINO_USER',
      hint: 'Sign in with an account whose e-mail address or name is of plain letters; scheduled questions have none.',
    });
  }

  #explain(use: HttpUse, sender: Sender): Explain {
    return async (sql) => (await this.#own(use, sender)(sql))[0]?.[0];
  }

  /** All rows of an answer that is known to be short. */
  #own(use: HttpUse, sender: Sender = {}): OwnQuery {
    return async (sql) => {
      const all: (readonly unknown[])[] = [];
      let left = OWN_LIMIT_BYTES;
      for await (const { rows, bytes } of this.#ask(sql, use, sender)) {
        left -= bytes;
        if (left < 0) throw new PartTooLarge(PAGE_LIMIT_BYTES);
        all.push(...rows);
      }
      return all;
    };
  }

  #ask(sql: string, use: HttpUse, sender: Sender) {
    return use.pages(() => new Query(this.#client, sql, this.#headers(use, sender)));
  }

  /** See "Client request headers" in the documentation of the protocol. */
  #headers({ until }: HttpUse, { user, id }: Sender): Record<string, string> {
    const { target, options } = this.#init;
    const left = `${Math.max(1, Math.ceil(until - performance.now()))}ms`;
    return {
      'content-type': 'text/plain; charset=utf-8',
      'x-trino-catalog': target.catalog,
      'x-trino-schema': target.schema,
      'x-trino-session': `query_max_run_time=${left},query_max_execution_time=${left}`,
      // Times with all of their digits.
      'x-trino-client-capabilities': 'PARAMETRIC_DATETIME',
      ...(user !== undefined && { 'x-trino-user': user }),
      ...(id !== undefined && { 'x-trino-trace-token': id.replaceAll(/[^\w.-]/g, '') }),
      ...(options.timeZone !== undefined && { 'x-trino-time-zone': options.timeZone }),
      ...(options.clientTags?.length && { 'x-trino-client-tags': options.clientTags.join(',') }),
    };
  }
}

function rowDecoder(columns: readonly Column[], maxCellBytes: number) {
  const byType = new Decoders();
  const decoders = columns.map(({ type }) => byType.of(type));
  return (row: readonly unknown[]) => {
    if (row.length !== decoders.length) throw new OtherServer();
    return row.map((cell, at) => decoders[at]?.(cell, maxCellBytes) ?? null);
  };
}
