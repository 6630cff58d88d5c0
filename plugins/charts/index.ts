/** Defines the plugin that gives results charts, and the model a tool that changes them. */
import { definePlugin, toolsCollect } from '../../kernel/index.ts';
import { tableDescribe } from '../agent/index.ts';
import { ChartsOptions } from './options.ts';
import { showChartTool } from './tool.ts';

export const charts = definePlugin({
  name: 'charts',
  version: '1.0.0',
  type: 'context',
  description: 'Gives results the chart that shows them, as data.',
  options: ChartsOptions,
  setup(ctx, { tool }) {
    let chosen: Promise<typeof import('./chart.ts')> | undefined;
    ctx.tap(tableDescribe, async ({ table }) => {
      if (table.rows.length < 2) return [];
      chosen ??= import('./chart.ts');
      const chart = (await chosen).chartOf(table);
      return chart === undefined ? [] : [{ facts: { chart } }];
    });
    if (!tool) return;
    const tools = [showChartTool()];
    ctx.tap(toolsCollect, () => tools);
  },
});
