/** Defines the plugin that answers questions with statements for which a person vouches. */
import {
  authAuthorize,
  contextCollect,
  definePlugin,
  httpRoutes,
  messageOf,
  optional,
  scheduleCollect,
  storeMigrations,
  toolsCollect,
} from '../../kernel/index.ts';
import { adminSemantic } from '../admin-semantic/index.ts';
import { questionRecognize } from '../agent/index.ts';
import { SYSTEM_ACTOR } from '../auth-kit/index.ts';
import { organizationDelete } from '../auth-managed/index.ts';
import { internalDb, storeTables } from '../internal-db/index.ts';
import { jobs } from '../jobs/index.ts';
import { layerProbe, semanticLayer } from '../semantic-layer/index.ts';
import { dialectOf } from '../sql-kit/index.ts';
import { isWrong, reasonOf, verifiedQueryChecks } from './checks.ts';
import { migrations, STORED_TABLES } from './migrations.ts';
import { VerifiedQueriesOptions } from './options.ts';
import { isVouched, verifiedQueryFinder } from './queries.ts';
import { CheckStore } from './store.ts';
import { answerVerifiedTool, contextParts, recognition } from './tool.ts';

/** When few people work in most places. */
const NIGHTLY = '47 3 * * *';

export const verifiedQueries = definePlugin({
  name: 'verified-queries',
  version: '1.0.0',
  type: 'context',
  description: 'Answers questions with statements for which a person vouches.',
  needs: { layer: semanticLayer, db: optional(internalDb), files: optional(adminSemantic), nightly: optional(jobs) },
  options: VerifiedQueriesOptions,
  setup(ctx, { slowMs, resultBudgetBytes }, { layer, db, files, nightly }) {
    const store = db?.configured === true ? new CheckStore(db) : undefined;
    const finder = verifiedQueryFinder(ctx, layer);
    const checks = verifiedQueryChecks({ ctx, layer, finder, store, slowMs });
    const withheld: Parameters<typeof answerVerifiedTool>[0]['withheld'] = async (query, scope) =>
      reasonOf(query, await checks.last(query, scope));
    const tool = answerVerifiedTool({ ctx, finder, withheld, resultBudgetBytes });
    ctx.tap(toolsCollect, async (_, scope) => ((await finder.all(scope)).some(isVouched) ? [tool] : []));
    ctx.tap(contextCollect, (question, scope) => contextParts(finder, question, scope));
    ctx.tap(questionRecognize, (question, scope) => recognition(finder, question, scope));
    ctx.tap(layerProbe, async (_, scope) =>
      (await checks.checkAll(scope)).map((check) => ({
        component: 'verifiedQueries',
        id: check.name,
        status: isWrong(check) ? ('degraded' as const) : ('ok' as const),
        ...(check.message !== null && { message: check.message }),
      })),
    );
    if (files !== undefined) {
      ctx.tap(httpRoutes, async () => {
        const { verifiedRoutes } = await import('./routes.ts');
        return verifiedRoutes({
          layer,
          files,
          checks,
          now: ctx.now,
          async mayRun(scope) {
            await ctx.call(authAuthorize, { right: 'query', operation: 'A verified query' }, scope);
          },
          propose: async (asked, scope) => {
            const { proposal } = await import('./proposal.ts');
            const { id, dbType } = await finder.connection(asked.connectionId, scope);
            const dialect = await dialectOf(ctx, dbType, scope);
            const draft = await proposal(asked, await layer.for(scope), dialect, new Date(ctx.now()));
            const main = await finder.connection(undefined, scope);
            return { ...draft, ...(id !== main.id && { connection: id }) };
          },
        });
      });
    }
    if (store === undefined) return;
    ctx.tap(storeMigrations, () => [...migrations]);
    ctx.tap(storeTables, () => STORED_TABLES);
    ctx.tap(organizationDelete, ({ orgId }) => store.removeAll(orgId));
    if (nightly?.configured !== true) return;
    ctx.tap(scheduleCollect, () => [
      {
        name: 'verified-queries',
        cron: NIGHTLY,
        async run({ signal }) {
          for (const orgId of [null, ...layer.organizations()]) {
            try {
              for (const { name, status, message } of await checks.checkAll(
                ctx.scope({ orgId, actor: SYSTEM_ACTOR, signal }),
              ))
                if (status !== 'ok')
                  ctx.log.warn({ orgId, query: name, status, message }, 'A verified query is not as it was.');
            } catch (error) {
              signal.throwIfAborted();
              ctx.log.warn({ orgId, error: messageOf(error) }, 'The verified queries of a layer could not be checked.');
            }
          }
        },
      },
    ]);
  },
});
