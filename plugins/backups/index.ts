/** Backs up the internal database on hosted platforms: makes, verifies, restores and deletes backups. */
import {
  AtlasError,
  definePlugin,
  httpRoutes,
  messagesOf,
  optional,
  scheduleCollect,
  storeMigrations,
} from '../../kernel/index.ts';
import { audit } from '../audit/index.ts';
import { type DatabaseTarget, internalDb, parseDatabaseUrl, storeTables } from '../internal-db/index.ts';
import { jobs } from '../jobs/index.ts';
import type { BackupEngine } from './api.ts';
import { createBackups, nameInstallation, OWN_TABLES } from './migrations.ts';
import { BackupsOptions } from './options.ts';

export type { Backup } from './schemas.ts';

/** The libraries are loaded here, so that a server without a database does not pay for them. */
async function openEngine(target: DatabaseTarget, { toolsDir, scratchUrl }: BackupsOptions): Promise<BackupEngine> {
  if (target.dialect === 'sqlite') return (await import('./sqlite-engine.ts')).sqliteEngine(target.path);
  const scratch = scratchUrl === undefined ? target : parseDatabaseUrl(scratchUrl, process.cwd());
  if (scratch.dialect !== 'postgres') {
    throw new AtlasError('The server for verification has to be PostgreSQL, as the internal database is.', {
      code: 'configuration_error',
      hint: 'Set SVC_BACKUP_SCRATCH_URL to "postgres://user:password@host:5432/database", or unset it.',
    });
  }
  const { postgresEngine } = await import('./postgres-engine.ts');
  return postgresEngine({ server: target.server, scratch: scratch.server, toolsDir });
}

export const backups = definePlugin({
  name: 'backups',
  version: '1.0.0',
  type: 'storage',
  description: 'Backs up the internal database of hosted platforms: daily, verified by a restore, kept for a time.',
  needs: {
    db: internalDb,
    log: optional(audit),
    jobs: optional(jobs),
  },
  options: BackupsOptions,
  async setup(ctx, options, { db, log }) {
    // The preset imports the plugin also for servers that do without it.
    const { backupRoutes } = await import('./routes.ts');
    ctx.tap(storeMigrations, () => [createBackups, nameInstallation]);
    // They are of use only where the files are.
    ctx.tap(storeTables, () => OWN_TABLES.map((table) => ({ table, isTransient: true })));
    if (db.target === undefined) {
      ctx.tap(httpRoutes, () => db.routes(backupRoutes(undefined, options.waitMs)));
      return;
    }
    const { Backups } = await import('./service.ts');
    const { BackupStore } = await import('./store.ts');
    const { BackupFiles } = await import('./files.ts');
    const service = new Backups({
      options,
      db,
      log,
      store: new BackupStore(db, ctx.now),
      files: new BackupFiles(options.dir),
      engine: await openEngine(db.target, options),
      logger: ctx.log,
      now: ctx.now,
      tables: async () => (await ctx.call(storeTables, undefined, ctx.scope())).map(({ value }) => value.table),
    });
    ctx.tap(httpRoutes, () => db.routes(backupRoutes(service, options.waitMs)));
    ctx.tap(scheduleCollect, () => [
      { name: 'backup', cron: options.schedule, run: (scope) => service.nightly(scope) },
    ]);
    ctx.onReady(async () => {
      // A server without a place for backups serves all the same; each of their requests says what is wrong.
      await service
        .start()
        .catch((error: unknown) => ctx.log.error({ error: messagesOf(error) }, 'Backups cannot be made.'));
    });
    ctx.onDrain(() => service.close());
  },
});
