/** Lets administrators look at what is proposed for the semantic layer, apply it and dismiss it. */
import { definePlugin, httpRoutes, storeMigrations } from '../../kernel/index.ts';
import { deleteRowsOf } from '../admin-kit/index.ts';
import { adminSemantic } from '../admin-semantic/index.ts';
import { agent } from '../agent/index.ts';
import { audit } from '../audit/index.ts';
import { organizationDelete } from '../auth-managed/index.ts';
import { internalDb, storeTables } from '../internal-db/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { proposalEvaluation } from './evaluation.ts';
import { DISMISSED, MIGRATIONS, STORED_TABLES } from './migrations.ts';
import { AdminLearnOptions } from './options.ts';
import { learnRoutes, type Propose } from './routes.ts';
import { DismissedProposals } from './store.ts';

/** Statements, and conversations, that are read for one list. */
const READ = 1_000;

export const adminLearn = definePlugin({
  name: 'admin-learn',
  version: '1.0.0',
  type: 'admin',
  description: 'Routes for administrators: what is proposed for the semantic layer from what people asked.',
  needs: { layer: semanticLayer, files: adminSemantic, db: internalDb, log: audit, agent },
  options: AdminLearnOptions,
  setup(ctx, options, { layer, files, db, log, agent: asked }) {
    const propose: Propose = async (scope) => {
      // Loaded when somebody looks: no question and no start waits for it.
      const { proposalsFor } = await import('../learn/index.ts');
      const owned = new Set(layer.organizations());
      return proposalsFor({
        ...{ db, orgId: scope.orgId, limit: READ, since: undefined, ctx, scope },
        model: await layer.for(scope),
        hasOwnLayer: (orgId) => owned.has(orgId),
      });
    };
    const dismissed = new DismissedProposals({ db, log, now: ctx.now });
    const evaluate = proposalEvaluation({ ctx, agent: asked, layer, options });
    ctx.tap(httpRoutes, () => db.routes(learnRoutes({ layer, files, dismissed, propose, evaluate })));
    ctx.tap(storeMigrations, () => MIGRATIONS);
    ctx.tap(storeTables, () => STORED_TABLES);
    if (db.configured) ctx.tap(organizationDelete, ({ orgId }) => deleteRowsOf(orgId, db, DISMISSED));
  },
});
