/** Offers collections of questions to choose from, which administrators make. */
import { definePlugin, httpRoutes, optional, storeMigrations } from '../../kernel/index.ts';
import { audit } from '../audit/index.ts';
import { organizationDelete } from '../auth-managed/index.ts';
import { internalDb, storeTables } from '../internal-db/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import type { Prompts } from './api.ts';
import { migrationsFor, STORED_TABLES } from './migrations.ts';
import { promptRoutes } from './routes.ts';
import { PromptService } from './service.ts';

export type { PromptCollection, PromptCollectionWithItems, PromptItem, PromptQuery, Prompts } from './api.ts';

export const adminPrompts = definePlugin({
  name: 'admin-prompts',
  version: '1.0.0',
  type: 'admin',
  description: 'Collections of questions to choose from, which administrators make.',
  needs: {
    db: internalDb,
    log: optional(audit),
    layer: optional(semanticLayer),
  },
  setup(ctx, _options, { db, log, layer }): Prompts {
    const prompts = new PromptService({ db, log, layer, now: ctx.now });
    ctx.tap(storeMigrations, () => migrationsFor(db.dialect));
    ctx.tap(storeTables, () => STORED_TABLES);
    ctx.tap(organizationDelete, ({ orgId }) => prompts.deleteOrganization(orgId));
    ctx.tap(httpRoutes, () => db.routes(promptRoutes({ prompts })));
    return prompts;
  },
});
