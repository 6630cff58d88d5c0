/** Finds out which rule a statement meets, by what it reads, through views too, and by the database's estimate. */
import type { PluginContext, Scope, SqlStatement } from '../../kernel/index.ts';
import { findDialect, type SqlDialect } from '../sql-kit/index.ts';
import { estimatedRows } from './estimated-rows.ts';
import { costMatch, costRules, type Match, matchOf, namesTables, type StatementReads } from './matching.ts';
import type { Rule } from './schemas.ts';
import { statementReads } from './statement-reads.ts';
import { ViewTables } from './view-tables.ts';

type MatcherContext = Pick<PluginContext, 'call' | 'callKey' | 'logOf'>;

export class StatementMatcher {
  readonly #ctx: MatcherContext;
  readonly #views: ViewTables;

  constructor(ctx: MatcherContext) {
    this.#ctx = ctx;
    this.#views = new ViewTables(ctx);
  }

  /** The first rule that the statement meets, those about cost last; `undefined`: none. */
  async match(rules: readonly Rule[], statement: SqlStatement, scope: Scope): Promise<Match | undefined> {
    const { connection } = statement;
    const dialect = await findDialect(this.#ctx, connection.dbType, scope);
    await dialect?.load?.();
    const reads = statementReads(statement, dialect);
    const match = matchOf(rules, reads) ?? (await this.#matchBehind(rules, reads, statement, dialect, scope));
    if (match !== undefined) return match;
    const costs = costRules(rules, connection.id);
    if (costs.length === 0) return undefined;
    return costMatch(costs, await this.#estimated(statement, dialect, scope));
  }

  async #estimated(
    statement: SqlStatement,
    dialect: SqlDialect | undefined,
    scope: Scope,
  ): Promise<number | undefined> {
    const { connection } = statement;
    const isView = async (table: string) =>
      dialect === undefined || (await this.#views.isView(table, connection, dialect, scope));
    return estimatedRows(this.#ctx, statement, dialect, { isView, scope });
  }

  /** What is read through views. */
  async #matchBehind(
    rules: readonly Rule[],
    { tables = [] }: StatementReads,
    { connection }: SqlStatement,
    dialect: SqlDialect | undefined,
    scope: Scope,
  ): Promise<Match | undefined> {
    if (tables.length === 0 || !namesTables(rules)) return undefined;
    const behind = dialect && (await this.#views.behind(tables, connection, dialect, scope));
    return matchOf(rules, { connectionId: connection.id, tables: behind });
  }
}
