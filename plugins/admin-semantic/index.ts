/** Lets administrators read and change the semantic layer. */
import { datasourceList, definePlugin, httpRoutes, optional } from '../../kernel/index.ts';
import { audit, tenancy } from '../audit/index.ts';
import { authByot } from '../auth-byot/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { rowSecurity } from '../row-security/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { importRoutes } from './import-routes.ts';
import { readRoutes } from './read-routes.ts';

export const adminSemantic = definePlugin({
  name: 'admin-semantic',
  version: '1.0.0',
  type: 'admin',
  description: 'Routes for administrators: the semantic layer and its files, import.',
  needs: {
    layer: semanticLayer,
    db: optional(internalDb),
    audit: optional(audit),
    rows: optional(rowSecurity),
    tokens: optional(authByot),
  },
  setup(ctx, _options, { layer, db, audit: log, rows, tokens }) {
    const { refuse } = tenancy(rows, tokens, 'The shared semantic layer');
    ctx.tap(httpRoutes, () => [
      ...readRoutes({ layer, refuse }),
      ...importRoutes({
        layer,
        refuse,
        connections: async (scope) => (await ctx.call(datasourceList, undefined, scope)).map(({ value }) => value.id),
        async record(event, scope) {
          ctx.logOf(scope).info({ ...event }, 'Files of the semantic layer were imported.');
          if (db?.configured !== true || log === undefined) return;
          const { actor, orgId, requestId } = scope;
          const user = { userId: actor.id, userLabel: actor.label, authMode: actor.mode, orgId };
          const more = { surface: 'api', requestId, conversationId: null, error: null };
          const at = new Date(ctx.now()).toISOString();
          await db.transaction((trx) => log.record({ at, text: event.text, ...user, ...more }, trx));
        },
      }),
    ]);
  },
});
