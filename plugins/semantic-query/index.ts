/** Defines the plugin that compiles typed plans to SQL. */
import { datasourceList, definePlugin, type Scope, toolsCollect } from '../../kernel/index.ts';
import { agentWrap, checkQuery, queryCheck } from '../agent/index.ts';
import { readQuery, semanticLayer } from '../semantic-layer/index.ts';
import { dialectOf } from '../sql-kit/index.ts';
import type { SemanticQueryApi } from './api.ts';
import { comparisonTypeObjections } from './checks/comparison-types.ts';
import { defaultConditionObjections } from './checks/default-conditions.ts';
import { joinTypeObjections } from './checks/join-types.ts';
import { compileQuery } from './compile.ts';
import { SemanticQueryOptions } from './options.ts';
import { suggestingAgent } from './suggested-questions.ts';
import { queried, queryMetricsTool, rowsOf, type ToolHost } from './tool.ts';
import { findValuesTool } from './values/find-values.ts';
import { valueObjections } from './values/value-check.ts';

export type { CompiledColumn, CompiledQuery, SemanticQueryApi } from './api.ts';
export { DEFAULT_CONDITION_HINT } from './checks/default-conditions.ts';
export { type Member, memberOf, type VisibleTable, visitStatement } from './checks/statement-visitor.ts';
export { periodOf } from './clauses/periods.ts';
export { compiledAs, compileQuery, connectionOf } from './compile.ts';
export { PlanError } from './errors.ts';
export { type Grain, PlanFilter, QueryPlan, type RelatedFilter } from './plan.ts';
export { connectionFor } from './tool.ts';
export { nearValues } from './values/near-values.ts';

const CHECKS = [valueObjections, comparisonTypeObjections, defaultConditionObjections, joinTypeObjections];

export const semanticQuery = definePlugin({
  name: 'semantic-query',
  version: '1.0.0',
  type: 'context',
  description: 'Turns measures, dimensions and filters of the semantic layer into one correct SQL statement.',
  needs: { semanticLayer },
  options: SemanticQueryOptions,
  setup(ctx, options, needs): SemanticQueryApi {
    const connectionsOf = async (scope: Scope) =>
      (await ctx.call(datasourceList, undefined, scope)).map((collected) => collected.value);
    const host: ToolHost = {
      model: ({ scope }) => needs.semanticLayer.for(scope),
      connections: ({ scope }) => connectionsOf(scope),
      dialectOf: (connection, { scope }) => dialectOf(ctx, connection.dbType, scope),
      runSql(sql, connectionId, { scope, question }) {
        const { surface, conversationId } = question;
        return ctx.runSql(
          { sql, connectionId, surface, ...(conversationId !== undefined && { conversationId }) },
          scope,
        );
      },
      check: (sql, connectionId, run) => checkQuery(ctx, { sql, connectionId }, run),
      resultBudgetBytes: options.resultBudgetBytes,
    };
    const tools = [queryMetricsTool(host), findValuesTool((plan, run) => rowsOf(host, plan, run))];
    ctx.tap(toolsCollect, () => tools);
    ctx.tap(queryCheck, async (attempt, scope) => {
      const reading = await readQuery(ctx, needs.semanticLayer, attempt, scope);
      return reading === undefined ? [] : CHECKS.flatMap((check) => check(reading));
    });
    // Inside what records the answer.
    const modelOf = (scope: Scope) => needs.semanticLayer.for(scope);
    ctx.tap(agentWrap, () => [(ask) => suggestingAgent(modelOf, ask)], { stage: 'post' });
    return {
      compile: (plan, model, dialect) => compileQuery(model, plan, { dialect }),
      query: async (plan, run, model) => (await queried(host, plan, run, model)).table,
    };
  },
});
