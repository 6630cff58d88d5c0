/** Lets administrators choose the model that answers the questions of their organization. */
import {
  AtlasError,
  definePlugin,
  httpRoutes,
  messageOf,
  modelResolve,
  optional,
  type Scope,
  storeMigrations,
} from '../../kernel/index.ts';
import { deleteRowsOf } from '../admin-kit/index.ts';
import { audit } from '../audit/index.ts';
import { organizationDelete } from '../auth-managed/index.ts';
import { internalDb, storeTables } from '../internal-db/index.ts';
import { type ChosenModel, type ModelProvider, modelProviders } from '../model-kit/index.ts';
import { outbound } from '../outbound/index.ts';
import { chosenModels } from './chosen-models.ts';
import { configuration } from './configuration.ts';
import { guardedConnections } from './guarded-connections.ts';
import { MODEL_CONFIGS, migrationsFor, STORED_TABLES } from './migrations.ts';
import { AdminModelOptions } from './options.ts';
import { modelConfigRoutes } from './routes.ts';
import { type ModelConfigRow, modelConfigStore } from './store.ts';

export type { ShownModelConfig, TestResult as ModelTestResult } from './schemas.ts';

export const adminModel = definePlugin({
  name: 'admin-model',
  version: '1.0.0',
  type: 'admin',
  description: 'Routes for administrators: the model that answers the questions of their organization.',
  needs: {
    db: internalDb,
    outbound,
    log: optional(audit),
  },
  options: AdminModelOptions,
  setup(ctx, options, { db, outbound: outgoing, log }) {
    const store = modelConfigStore(db, ctx.now);
    const providers = async (scope: Scope) =>
      (await ctx.call(modelProviders, undefined, scope)).map(({ value }) => value);
    const open = (provider: ModelProvider, chosen: ChosenModel) =>
      provider.open(chosen, { connections: guardedConnections(outgoing), log: ctx.log, now: () => ctx.now() });
    const models = chosenModels({
      store,
      options,
      log: ctx.log,
      async open(row) {
        const provider = (await providers(ctx.scope())).find(({ name }) => name === row.provider);
        if (provider === undefined) throw providerGone(row);
        const apiKey = await store.keyOf(row);
        return open(provider, {
          model: row.model,
          ...(row.base_url !== null && { baseUrl: row.base_url }),
          ...(apiKey !== undefined && { apiKey }),
        });
      },
    });
    const model = configuration({
      store,
      outbound: outgoing,
      log,
      providers,
      open,
      changed: models.forget,
      testTimeoutMs: options.testTimeoutMs,
    });
    ctx.tap(storeMigrations, () => migrationsFor(db.dialect));
    ctx.tap(storeTables, () => STORED_TABLES);
    ctx.tap(httpRoutes, () => db.routes(modelConfigRoutes({ model, now: ctx.now })));
    if (!db.configured) return;
    ctx.tap(
      modelResolve,
      async (question, scope) => {
        const resolved = await (await models.of(scope.orgId))?.resolve(question, scope);
        return resolved && { ...resolved, isChosen: true };
      },
      { stage: 'pre' },
    );
    ctx.tap(organizationDelete, async ({ orgId }) => {
      await deleteRowsOf(orgId, db, MODEL_CONFIGS);
      models.forget(orgId);
    });
    // Known from the start, so that a database that goes away stops no question about the server's own data.
    ctx.onReady(async () => {
      await Promise.resolve(models.of(null)).catch((error: unknown) =>
        ctx.log.error({ error: messageOf(error) }, 'The configured model cannot be used; questions are refused.'),
      );
    });
    ctx.onClose(() => models.close());
  },
});

/** The question is refused: another model must not see it. */
function providerGone({ provider }: ModelConfigRow): AtlasError {
  return new AtlasError(`The configured model provider "${provider}" is not part of this server any more.`, {
    code: 'configuration_error',
    hint: 'Choose another model, or have the operator add its plugin.',
  });
}
