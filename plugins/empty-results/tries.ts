/** Runs the few statements that may be tried for one result, as its reader, each in a short time. */
import type { PluginContext, Scope, SqlResult } from '../../kernel/index.ts';
import { previewedBy } from '../auth-kit/index.ts';
import { type Expr, printSelect, type SqlDialect } from '../sql-kit/index.ts';
import { type FilteredQuery, statementOf, type Wanted } from './filters.ts';
import type { EmptyResultsOptions } from './options.ts';

/** What the audit log names these statements by. */
const SURFACE = 'explanation';

export interface TriesInit {
  readonly ctx: Pick<PluginContext, 'runSql'>;
  readonly query: FilteredQuery;
  readonly dialect: SqlDialect;
  readonly connectionId: string;
  readonly scope: Scope;
  readonly options: EmptyResultsOptions;
}

export class Tries {
  readonly #init: TriesInit;
  readonly #ended: AbortSignal;
  #left: number;

  constructor(init: TriesInit) {
    this.#init = init;
    this.#left = init.options.maxStatements;
    this.#ended = AbortSignal.any([init.scope.signal, AbortSignal.timeout(init.options.timeoutMs)]);
  }

  /** How many more may be tried. */
  get left(): number {
    return this.#ended.aborted ? 0 : this.#left;
  }

  /** Whether there is a row that meets the conditions; `undefined`: not known. */
  async finds(where: readonly Expr[]): Promise<boolean | undefined> {
    const { at } = this.#init.query.core;
    const rows = await this.rows({ columns: [{ kind: 'number', at, value: '1' }], where, limit: 1 });
    return rows && rows.length > 0;
  }

  /** `undefined` where it may not run, takes too long or fails. Rejects only when the request has ended. */
  async rows(wanted: Wanted): Promise<SqlResult['rows'] | undefined> {
    if (this.left <= 0) return undefined;
    this.#left -= 1;
    const { ctx, query, dialect, connectionId, scope, options } = this.#init;
    const own = scope.part(AbortSignal.any([this.#ended, AbortSignal.timeout(options.timeoutMs / 2)]));
    // Nobody has asked for these rows: where a rule wants them approved, no action is to wait for that.
    if (previewedBy.nearest(scope) === undefined) previewedBy.set(own, scope.actor);
    try {
      const sql = printSelect(statementOf(query, wanted), dialect);
      return (await ctx.runSql({ sql, connectionId, surface: SURFACE }, own)).result.rows;
    } catch {
      scope.signal.throwIfAborted();
      // What a rule refuses or a database does not know, it refuses again.
      if (!own.signal.aborted) this.#left = 0;
      return undefined;
    }
  }
}
