/** Defines the plugin with the tools that explain, compare and forecast measures. */
import { definePlugin, toolsCollect } from '../../kernel/index.ts';
import { questionRecognize } from '../agent/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { compileQuery, semanticQuery } from '../semantic-query/index.ts';
import type { AnalysisHost } from './host.ts';
import { AnalysisOptions } from './options.ts';

export const analysis = definePlugin({
  name: 'analysis',
  version: '1.0.0',
  type: 'context',
  description: 'Explains changes of measures, compares them, and forecasts them.',
  needs: { layer: semanticLayer, queries: semanticQuery },
  options: AnalysisOptions,
  async setup(ctx, options, { layer, queries }) {
    // The preset imports the plugin also for servers that do without it.
    const { explainChangeTool } = await import('./explain-change.ts');
    const { compareTool } = await import('./compare.ts');
    const { forecastTool } = await import('./forecast.ts');
    const host: AnalysisHost = {
      model: ({ scope }) => layer.for(scope),
      query: queries.query,
      compile: (plan, model) => void compileQuery(model, plan),
      options,
      now: () => ctx.now(),
    };
    const tools = [explainChangeTool(host), compareTool(host), forecastTool(host)];
    ctx.tap(toolsCollect, () => tools);
    ctx.tap(questionRecognize, async (question, scope) => {
      const { analysisRecognition, isAnalysis } = await import('./offline-questions.ts');
      const init = { model: () => layer.for(scope), now: host.now };
      return isAnalysis(question) ? [analysisRecognition(init)] : [];
    });
  },
});
