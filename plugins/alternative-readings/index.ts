/** Defines the plugin that names the readings of a question that give different numbers. */
import { definePlugin } from '../../kernel/index.ts';
import { tableDescribe } from '../agent/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { MAX_ROWS } from './alternatives.ts';
import { AlternativeReadingsOptions } from './options.ts';

export type { Readings } from './readings.ts';

export const alternativeReadings = definePlugin({
  name: 'alternative-readings',
  version: '1.0.0',
  type: 'context',
  description: 'Names the readings of a question that give different numbers: by order date, by payment date.',
  needs: { layer: semanticLayer },
  options: AlternativeReadingsOptions,
  setup(ctx, options, { layer }) {
    if (options.maxStatements === 0) return;
    let reader: ReturnType<typeof load> | undefined;
    const load = async () => (await import('./readings.ts')).readingsOf({ ctx, layer, options });
    ctx.tap(tableDescribe, async (shown, scope) => {
      const { table, question, isVerified } = shown;
      // Lists are no figures, and a person vouches for how a verified query is meant.
      if (question === undefined || isVerified || table.rows.length === 0 || table.rows.length > MAX_ROWS) return [];
      reader ??= load();
      return (await reader)(table, question, scope);
    });
  },
});
