/** Defines the plugin that answers repeated statements from memory. */
import { definePlugin, optional } from '../../kernel/index.ts';
import { organizationDelete } from '../auth-managed/index.ts';
import { resultLookup, resultRead } from '../datasource-kit/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { ResultCacheOptions } from './options.ts';

export const resultCache = definePlugin({
  name: 'result-cache',
  version: '1.0.0',
  type: 'datasource',
  description: 'Answers statements that ran a short while ago from memory.',
  needs: { layer: optional(semanticLayer) },
  options: ResultCacheOptions,
  async setup(ctx, options, { layer }) {
    // Most compositions load this file for its options alone.
    const [{ ResultCache }, { keyOf }] = await Promise.all([import('./cache.ts'), import('./key.ts')]);
    const cache = new ResultCache(options, ctx.now);
    ctx.tap(resultLookup, async (statement, scope) => {
      const key = await keyOf(statement, { ctx, layer }, scope);
      return key === undefined ? undefined : cache.find(key);
    });
    ctx.tap(resultRead, async ({ statement, result }, scope) => {
      const key = await keyOf(statement, { ctx, layer }, scope);
      if (key !== undefined) cache.add(key, result);
    });
    ctx.tap(organizationDelete, () => cache.clear());
  },
});
