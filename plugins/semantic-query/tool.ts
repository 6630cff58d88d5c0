/** Provides the tool `queryMetrics`, which answers from the semantic layer without SQL written by the model. */
import {
  type AgentTool,
  AtlasError,
  type ConnectionInfo,
  type SqlReply,
  type SqlResult,
  type ToolRun,
  type ToolTable,
} from '../../kernel/index.ts';
import { resultForModel, shownTable, tableOf } from '../agent/index.ts';
import type { SemanticModel } from '../semantic-layer/index.ts';
import type { SqlDialect } from '../sql-kit/index.ts';
import { compileQuery, connectionOf } from './compile.ts';
import { PlanError } from './errors.ts';
import { QueryPlan } from './plan.ts';

/** The name of the tool. */
export const QUERY_METRICS = 'queryMetrics';

const DESCRIPTION =
  'Answers from measures, metrics and dimensions of the semantic layer without SQL: builds and runs one correct ' +
  'statement that never counts a row twice. Prefer it to executeSQL wherever its fields can say what is asked. Names ' +
  'are `entity.member`. A plan that leaves a choice comes back as {error, hint} with the choices.';

/** What the tools of the plugin need of the application. */
export interface ToolHost {
  model(run: ToolRun): Promise<SemanticModel>;
  connections(run: ToolRun): Promise<readonly ConnectionInfo[]>;
  dialectOf(connection: ConnectionInfo, run: ToolRun): Promise<SqlDialect>;
  runSql(sql: string, connectionId: string, run: ToolRun): Promise<SqlReply>;
  check(sql: string, connectionId: string, run: ToolRun): Promise<() => void>;
  readonly resultBudgetBytes: number;
}

/** Tells the model what to change in a plan that does not compile. */
export function asAtlasError(error: unknown): unknown {
  if (!(error instanceof PlanError)) return error;
  const asks = error.code === 'ambiguous_name' || error.code === 'ambiguous_path';
  const choices = error.choices.length > 0 ? ` Choices: ${error.choices.join('; ')}.` : '';
  const way = error.code === 'ambiguous_path' ? ' Name it in joinPath.' : '';
  const hint = asks
    ? `Ask the user which is meant unless the question says it.${way}${choices}`
    : `Change the plan.${choices}`;
  return new AtlasError(error.message, { code: 'invalid_request', hint, cause: error });
}

/** The connection of this id, by default the main one. */
export function connectionFor(connections: readonly ConnectionInfo[], wanted: string | undefined): ConnectionInfo {
  const connection = connections.find(({ id }) => id === (wanted ?? 'default'));
  const found = connection ?? (wanted === undefined ? connections[0] : undefined);
  if (found !== undefined) return found;
  const known = connections.map(({ id }) => id).join(', ');
  throw wanted === undefined || known === ''
    ? new AtlasError('No datasource is configured.', {
        code: 'no_datasource',
        hint: 'Set SVC_DATASOURCE_URL to the database to ask, and start again.',
      })
    : new AtlasError(`There is no connection "${wanted}"; known: ${known}.`, { code: 'invalid_request' });
}

/** The statement of a plan, and where it runs. Throws an `AtlasError` that says what to change. */
async function compiled(
  host: ToolHost,
  plan: QueryPlan,
  run: ToolRun,
  given?: SemanticModel,
): Promise<{ sql: string; connectionId: string }> {
  const [model, connections] = await Promise.all([given ?? host.model(run), host.connections(run)]);
  try {
    const connection = connectionFor(connections, connectionOf(model, plan) ?? run.question.connectionId);
    const { sql } = compileQuery(model, plan, { dialect: await host.dialectOf(connection, run) });
    return { sql, connectionId: connection.id };
  } catch (error) {
    throw asAtlasError(error);
  }
}

/** The rows of a plan. */
export async function rowsOf(host: ToolHost, plan: QueryPlan, run: ToolRun): Promise<SqlResult['rows']> {
  const { sql, connectionId } = await compiled(host, plan, run);
  return (await host.runSql(sql, connectionId, run)).result.rows;
}

/** The rows of a plan that passed the checks. */
export async function queried(
  host: ToolHost,
  plan: QueryPlan,
  run: ToolRun,
  model?: SemanticModel,
): Promise<{ table: ToolTable; result: SqlResult }> {
  const { sql, connectionId } = await compiled(host, plan, run, model);
  const noteInsisted = await host.check(sql, connectionId, run);
  const reply = await host.runSql(sql, connectionId, run);
  noteInsisted();
  return { table: tableOf(reply, sql), result: reply.result };
}

export function queryMetricsTool(host: ToolHost): AgentTool {
  return {
    name: QUERY_METRICS,
    description: DESCRIPTION,
    input: QueryPlan,
    async run(input, run) {
      const { table, result } = await queried(host, input as QueryPlan, run);
      const resultBytes = run.question.room?.resultBytes ?? host.resultBudgetBytes;
      return {
        forModel: { sql: table.sql, ...resultForModel(result, resultBytes) },
        forClient: shownTable(table),
        table,
      };
    },
  };
}
