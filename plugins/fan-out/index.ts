/** Defines the plugin that objects to aggregates over rows that a join repeats. */
import { definePlugin } from '../../kernel/index.ts';
import { queryCheck } from '../agent/index.ts';
import { readQuery, semanticLayer } from '../semantic-layer/index.ts';
import { fanOutObjections } from './objections.ts';

export { hasAggregate, isAggregate } from './aggregate-calls.ts';

export const fanOut = definePlugin({
  name: 'fan-out',
  version: '1.0.0',
  type: 'context',
  description: 'Objects to sums, counts and averages over rows that a join repeats, before the statement runs.',
  needs: { semanticLayer },
  setup(ctx, _options, needs) {
    ctx.tap(queryCheck, async (attempt, scope) => {
      const reading = await readQuery(ctx, needs.semanticLayer, attempt, scope);
      return reading === undefined ? [] : fanOutObjections(reading);
    });
  },
});
