/** Provides the tool `showChart`, which changes the chart of the last result. */
import { Type } from '@sinclair/typebox';
import { type AgentTool, AtlasError } from '../../kernel/index.ts';
import { lastResultOf } from '../agent/index.ts';
import type { ChartChange } from './change.ts';

const word = <T extends string>(words: readonly T[]) => Type.Union(words.map((one) => Type.Literal(one)));

// Every byte of it is part of each prompt.
const Input = Type.Object({
  mark: Type.Optional(word(['bar', 'line', 'area', 'point', 'pie'])),
  x: Type.Optional(Type.String()),
  y: Type.Optional(Type.Array(Type.String())),
  series: Type.Optional(Type.String()),
  sort: Type.Optional(word(['x', 'value', 'rows'])),
  stack: Type.Optional(Type.Boolean()),
  title: Type.Optional(Type.String()),
});

export function showChartTool(): AgentTool {
  return {
    name: 'showChart',
    description: 'Changes the chart of the last result. x, y, series: its columns; series splits y.',
    input: Input,
    async run(input, { memory }) {
      const last = lastResultOf(memory);
      if (last === undefined)
        throw new AtlasError('There is no result yet that a chart could show.', {
          code: 'invalid_request',
          hint: 'Get the rows first.',
        });
      const { changedChart } = await import('./change.ts');
      const chart = changedChart(input as ChartChange, last.table);
      last.tell({ chart });
      return { forModel: { chart } };
    },
  };
}
