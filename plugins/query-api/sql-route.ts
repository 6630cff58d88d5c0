/** Serves `POST /api/v1/sql`: one statement that a caller wrote, under the rules of all statements. */
import { AtlasError, authAuthorize, defineRoute, type PluginContext, type Route } from '../../kernel/index.ts';
import { type Agent, pendingActionOf, shownTable } from '../agent/index.ts';
import { freshResults } from '../datasource-kit/index.ts';
import { type QueryApi, tableWithoutSql } from './hidden-sql.ts';
import { STATEMENT_ERRORS } from './replies.ts';
import { DataTable, SqlBody } from './schemas.ts';

const PATH = '/api/v1/sql';

export interface SqlRouteInit {
  readonly ctx: Pick<PluginContext, 'call'>;
  readonly agent: Pick<Agent, 'runStatement'>;
  readonly showsSql: QueryApi['showsSql'];
}

/** The action that a statement awaits, in the form of all details. */
function described(error: unknown): unknown {
  const action = pendingActionOf(error);
  if (action === undefined || !(error instanceof AtlasError)) return error;
  const { message, code, reason, hint } = error;
  const details = [{ path: 'sql', message: `awaits approval as action ${action.id}` }];
  return new AtlasError(message, { code, reason, hint, details, cause: error });
}

export function sqlRoute({ ctx, agent, showsSql }: SqlRouteInit): Route {
  return defineRoute({
    method: 'POST',
    path: PATH,
    operationId: 'runSql',
    summary: 'Runs a statement of your own, under the rules of every statement, and answers with its rows.',
    tag: 'Query',
    // Analysts have it, and custom roles that stand nearest to them.
    right: 'approve',
    body: SqlBody,
    responses: { 200: DataTable },
    errors: STATEMENT_ERRORS,
    async handle({ body: { fresh, ...body }, ip }, scope) {
      // A custom role may approve without being able to ask.
      await ctx.call(authAuthorize, { right: 'query', operation: `POST ${PATH}`, ip }, scope);
      if (fresh === true) freshResults.set(scope, true);
      try {
        const { table, release } = await agent.runStatement({ ...body, surface: 'api' }, scope);
        // The statement is the caller's own; what became of it is not.
        const shown = showsSql(scope.actor) ? table : tableWithoutSql(table);
        return { body: { ...shownTable(shown), sql: body.sql }, done: release };
      } catch (error) {
        throw described(error);
      }
    },
  });
}
