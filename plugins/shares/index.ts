/** Shares answers within an organization by a link, which runs their statements again as each reader. */
import { definePlugin, httpRoutes, optional, storeMigrations } from '../../kernel/index.ts';
import { audit } from '../audit/index.ts';
import { conversations } from '../conversations/index.ts';
import { http } from '../http/index.ts';
import { internalDb, storeTables } from '../internal-db/index.ts';
import { type QueryApi, queryApi } from '../query-api/index.ts';
import { migrationsFor, STORED_TABLES } from './migrations.ts';
import { shareRoutes } from './routes.ts';
import { ShareStore } from './store.ts';

export type { Share, ShareResult } from './schemas.ts';

export const shares = definePlugin({
  name: 'shares',
  version: '1.0.0',
  type: 'interaction',
  description: 'Shares answers by a link that runs again as its reader.',
  needs: { db: internalDb, conversations, queryApi: optional(queryApi), http: optional(http), log: optional(audit) },
  setup(ctx, _options, { db, conversations: stored, queryApi: answers, http: server, log }) {
    const store = new ShareStore(db);
    const link = (path: string) => server?.link(path) ?? path;
    const showsSql: QueryApi['showsSql'] = (actor) => answers?.showsSql(actor) ?? true;
    ctx.tap(storeMigrations, () => migrationsFor(db.dialect));
    ctx.tap(storeTables, () => STORED_TABLES);
    ctx.tap(httpRoutes, () => db.routes(shareRoutes({ ctx, store, conversations: stored, showsSql, log, link })));
  },
});
