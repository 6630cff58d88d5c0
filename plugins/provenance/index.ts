/** Defines the plugin that tells of each result where it comes from. */
import { definePlugin, optional } from '../../kernel/index.ts';
import { tableDescribe } from '../agent/index.ts';
import { rowSecurity } from '../row-security/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { ProvenanceOptions } from './options.ts';

export type { ConditionsInWords } from './conditions.ts';
export type { KnownMeasure } from './measures.ts';
export { spoken } from './words.ts';
/** Loaded when they are first used. */
export const conditionReading = () => import('./conditions.ts');
export const measureReading = () => import('./measures.ts');
export const originReading = () => import('./origin.ts');

export const provenance = definePlugin({
  name: 'provenance',
  version: '1.0.0',
  type: 'context',
  description: 'Tells of each result where it comes from: tables, measures, filters, periods, policies and freshness.',
  needs: { layer: semanticLayer, rows: optional(rowSecurity) },
  options: ProvenanceOptions,
  setup(ctx, options, { layer, rows }) {
    const closing = new AbortController();
    let describe: ReturnType<typeof load> | undefined;
    const load = async () => {
      const { describer } = await import('./describe.ts');
      return describer({ ctx, layer, rows, options, closing: closing.signal });
    };
    ctx.tap(tableDescribe, async (shown, scope) => {
      describe ??= load();
      return (await describe)(shown, scope);
    });
    ctx.onDrain(() => closing.abort());
  },
});
