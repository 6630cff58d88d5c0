/** Writes all rows of a statement into a Parquet or CSV file, as a job, and hands it out by a link that expires. */
import { definePlugin, httpRoutes, optional, storeMigrations } from '../../kernel/index.ts';
import { agentWrap } from '../agent/index.ts';
import { organizationDelete, userDelete } from '../auth-managed/index.ts';
import { conversations } from '../conversations/index.ts';
import { http } from '../http/index.ts';
import { internalDb, storeTables } from '../internal-db/index.ts';
import { jobs, purgeDaily } from '../jobs/index.ts';
import { queryApi, showsSqlBy } from '../query-api/index.ts';
import { migrationsFor, STORED_TABLES } from './migrations.ts';
import { noteExports } from './note.ts';
import { ExportsOptions } from './options.ts';
import { ownersOf } from './owner.ts';
import { type ExportRow, ExportStore } from './store.ts';

export type { Export } from './schemas.ts';

const DAY_MS = 86_400_000;

export const exports = definePlugin({
  name: 'exports',
  version: '1.0.0',
  type: 'interaction',
  description: 'Writes large results into Parquet and CSV files, handed out by links that expire.',
  needs: {
    db: internalDb,
    jobs,
    conversations: optional(conversations),
    queryApi: optional(queryApi),
    http: optional(http),
  },
  options: ExportsOptions,
  async setup(ctx, options, { db, jobs: queue, conversations: stored, queryApi: answers, http: server }) {
    // The preset imports the plugin also for servers that do without it.
    const { storageOf } = await import('./storage-url.ts');
    const { exportRoutes } = await import('./routes.ts');
    const { EXPORT_JOB, exportJob, exportJobOptions } = await import('./export-job.ts');
    const store = new ExportStore(db, options, ctx.now);
    const storage = storageOf(options, process.cwd());
    const owners = ownersOf(ctx, db.secrets);
    const showsSql = showsSqlBy(answers);
    const link = (path: string) => server?.link(path) ?? path;
    ctx.tap(storeMigrations, () => migrationsFor(db.dialect));
    ctx.tap(storeTables, () => STORED_TABLES);
    ctx.tap(httpRoutes, () =>
      db.routes(
        exportRoutes({ ctx, options, store, storage, jobs: queue, owners, conversations: stored, showsSql, link }),
      ),
    );
    if (!db.configured) return;
    storage.require?.();
    ctx.tap(agentWrap, () => [noteExports]);
    queue.define(EXPORT_JOB, exportJobOptions(options), exportJob({ ctx, options, store, storage, owners }));
    const remove = async ({ id, file }: ExportRow) => {
      await queue.remove(EXPORT_JOB, id);
      if (file !== null) await storage.remove(file);
    };
    const removeAll = async (of: Partial<ExportRow>) => {
      while (await store.removeSome((rows) => rows.where(of), remove));
    };
    ctx.tap(organizationDelete, ({ orgId }) => removeAll({ org_id: orgId }));
    ctx.tap(userDelete, ({ userId }) => removeAll({ user_id: userId }));
    purgeDaily(ctx, queue, 'The list of exports', async () => {
      const now = ctx.now();
      const expired = new Date(now).toISOString();
      while (await store.removeSome((rows) => rows.where('expires_at', '<', expired), remove));
      await store.endAbandoned(DAY_MS + 3 * options.timeoutMs);
      await storage.removeOlderThan(now - (options.retentionDays + 1) * DAY_MS);
    });
  },
});
