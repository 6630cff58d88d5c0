/** Lets administrators ask as another reader, to see the rows, the masks and the refusals that the reader gets. */
import { definePlugin, httpRoutes, optional } from '../../kernel/index.ts';
import { actions } from '../actions/index.ts';
import { agent } from '../agent/index.ts';
import { audit } from '../audit/index.ts';
import { authManaged } from '../auth-managed/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { queryApi, showsSqlBy } from '../query-api/index.ts';
import { rowSecurity } from '../row-security/index.ts';
import { type PreviewRouteInit, previewRoute } from './routes.ts';

export const preview = definePlugin({
  name: 'preview',
  version: '1.0.0',
  type: 'admin',
  description: 'Routes for administrators: a question or statement as another reader would get it.',
  needs: {
    agent,
    actions: optional(actions),
    users: optional(authManaged),
    rows: optional(rowSecurity),
    db: optional(internalDb),
    log: optional(audit),
    queryApi: optional(queryApi),
  },
  setup(ctx, _options, { agent: asked, actions: wishes, users, rows, db, log, queryApi: answers }) {
    const audited: PreviewRouteInit['audited'] = async ({ sql, as }, { actor }, scope) => {
      const { id, label, role } = actor;
      const what = sql === undefined ? 'question' : 'sql';
      ctx.logOf(scope).info({ asked: what, as: label ?? id, role }, 'An administrator asks as a reader.');
      if (log === undefined || db?.configured !== true) return;
      const target = { type: 'reader', id: id ?? role, label };
      const after = { asked: what, role, ...('claims' in as && { claims: as.claims }) };
      await db.transaction((trx) => log.change({ action: 'preview.asked', target, after }, scope, trx));
    };
    const showsSql = showsSqlBy(answers);
    const readers = { ctx, rowClaims: rows?.claims ?? [], hasOrganizations: users !== undefined };
    ctx.tap(httpRoutes, () => [previewRoute({ ctx, agent: asked, actions: wishes, readers, showsSql, audited })]);
  },
});
