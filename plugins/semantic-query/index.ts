/** Defines the plugin that compiles typed plans to SQL. */
import { datasourceList, definePlugin, toolsCollect } from '../../kernel/index.ts';
import { checkQuery } from '../agent/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { dialectOf } from '../sql-kit/index.ts';
import type { SemanticQueryApi } from './api.ts';
import { compileQuery } from './compile.ts';
import { SemanticQueryOptions } from './options.ts';
import { queryMetricsTool } from './tool.ts';

export type { CompiledColumn, CompiledQuery, SemanticQueryApi } from './api.ts';
export { compileQuery } from './compile.ts';
export { PlanError } from './errors.ts';
export { type Grain, type PlanFilter, QueryPlan, type RelatedFilter } from './plan.ts';

export const semanticQuery = definePlugin({
  name: 'semantic-query',
  version: '1.0.0',
  type: 'context',
  description: 'Turns measures, dimensions and filters of the semantic layer into one correct SQL statement.',
  needs: { semanticLayer },
  options: SemanticQueryOptions,
  setup(ctx, options, needs): SemanticQueryApi {
    const queryMetrics = queryMetricsTool({
      model: ({ scope }) => needs.semanticLayer.for(scope),
      connections: async ({ scope }) =>
        (await ctx.call(datasourceList, undefined, scope)).map((collected) => collected.value),
      dialectOf: (connection, { scope }) => dialectOf(ctx, connection.dbType, scope),
      async runSql(sql, connectionId, run) {
        await checkQuery(ctx, { sql, connectionId }, run);
        const { scope, question } = run;
        const { surface, conversationId } = question;
        return ctx.runSql(
          { sql, connectionId, surface, ...(conversationId !== undefined && { conversationId }) },
          scope,
        );
      },
      resultBudgetBytes: options.resultBudgetBytes,
    });
    ctx.tap(toolsCollect, () => [queryMetrics]);
    return { compile: (plan, model, dialect) => compileQuery(model, plan, { dialect }) };
  },
});
