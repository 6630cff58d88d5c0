/** Lets administrators bring the bots of their organization for chat platforms. */
import { definePlugin, httpRoutes, optional, storeMigrations } from '../../kernel/index.ts';
import { deleteRowsOf } from '../admin-kit/index.ts';
import { audit } from '../audit/index.ts';
import { organizationDelete } from '../auth-managed/index.ts';
import { chatCredentials } from '../delivery-kit/index.ts';
import { internalDb, storeTables } from '../internal-db/index.ts';
import { chatPlatforms } from './hooks.ts';
import { integrations } from './integrations.ts';
import { INTEGRATIONS, migrationsFor, STORED_TABLES } from './migrations.ts';
import { AdminIntegrationsOptions } from './options.ts';
import { integrationRoutes } from './routes.ts';
import { integrationStore } from './store.ts';

export type { BotCredentials, ChatPlatform } from './chat-platform.ts';
export { chatPlatforms } from './hooks.ts';

export const adminIntegrations = definePlugin({
  name: 'admin-integrations',
  version: '1.0.0',
  type: 'admin',
  description: "Routes for administrators: the organization's own bots of Slack, Discord and Microsoft Teams.",
  needs: { db: internalDb, log: optional(audit) },
  options: AdminIntegrationsOptions,
  setup(ctx, { slackApiUrl, discordApiUrl, teamsApiUrl }, { db, log }) {
    const store = integrationStore(db);
    const bots = integrations({
      store,
      log,
      now: ctx.now,
      platforms: async (scope) => (await ctx.call(chatPlatforms, undefined, scope)).map(({ value }) => value),
    });
    ctx.tap(chatPlatforms, async () => {
      const { slackPlatform } = await import('./platforms/slack.ts');
      const { discordPlatform } = await import('./platforms/discord.ts');
      const { teamsPlatform } = await import('./platforms/teams.ts');
      return [slackPlatform(slackApiUrl), discordPlatform(discordApiUrl), teamsPlatform(teamsApiUrl)];
    });
    ctx.tap(storeMigrations, () => migrationsFor(db.dialect));
    ctx.tap(storeTables, () => STORED_TABLES);
    ctx.tap(httpRoutes, () => db.routes(integrationRoutes({ bots })));
    if (!db.configured) return;
    ctx.tap(organizationDelete, ({ orgId }) => deleteRowsOf(orgId, db, INTEGRATIONS));
    ctx.tap(chatCredentials, ({ platform }, scope) => bots.credentials(platform, scope));
  },
});
