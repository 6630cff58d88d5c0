/** Shares answers within an organization by a link, which runs their statements again as each reader. */
import { definePlugin, httpRoutes, optional, storeMigrations } from '../../kernel/index.ts';
import { agent } from '../agent/index.ts';
import { audit } from '../audit/index.ts';
import { conversations } from '../conversations/index.ts';
import { http } from '../http/index.ts';
import { internalDb, storeTables } from '../internal-db/index.ts';
import { queryApi, showsSqlBy } from '../query-api/index.ts';
import { migrationsFor, STORED_TABLES } from './migrations.ts';
import { shareRoutes } from './routes.ts';
import { ShareStore } from './store.ts';

export type { Share, ShareResult } from './schemas.ts';

export const shares = definePlugin({
  name: 'shares',
  version: '1.0.0',
  type: 'interaction',
  description: 'Shares answers by a link that runs again as its reader.',
  needs: {
    agent,
    db: internalDb,
    conversations,
    queryApi: optional(queryApi),
    http: optional(http),
    log: optional(audit),
  },
  setup(ctx, _options, { agent: asked, db, conversations: stored, queryApi: answers, http: server, log }) {
    const store = new ShareStore(db);
    const showsSql = showsSqlBy(answers);
    const link = (path: string) => server?.link(path) ?? path;
    ctx.tap(storeMigrations, () => migrationsFor(db.dialect));
    ctx.tap(storeTables, () => STORED_TABLES);
    ctx.tap(httpRoutes, () =>
      db.routes(shareRoutes({ ctx, agent: asked, store, conversations: stored, showsSql, log, link })),
    );
  },
});
