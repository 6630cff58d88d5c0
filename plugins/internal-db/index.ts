/** Opens the internal database and offers it to other plugins, with migrations and encrypted secrets. */
import { definePlugin, healthCheck, storeMigrations } from '../../kernel/index.ts';
import type { InternalDb } from './api.ts';
import { Database } from './database.ts';
import type { Engine, EngineSettings } from './engine.ts';
import { notYetCreated, probeOf } from './health.ts';
import { Migrator } from './migrator.ts';
import { InternalDbOptions } from './options.ts';
import { secretsOf } from './secrets.ts';
import { withDatabase, withoutDatabase } from './service.ts';
import { type DatabaseTarget, parseDatabaseUrl } from './url.ts';

export { ANY_CASE } from './any-case.ts';
export type { AppliedMigration, InternalDb } from './api.ts';
export { changeColumnTypes } from './column-types.ts';
export { DurableWriter } from './durable-writer.ts';
export { translated } from './errors.ts';
export { GroupCommit } from './group-commit.ts';
export { type StoredTable, storeTables } from './hooks.ts';
export { insertRows, type JsonColumns, jsonRows, jsonText, updateRows } from './json-rows.ts';
export { lockName } from './named-lock.ts';
export { type ConnectOptions, connectPostgres } from './postgres-client.ts';
export type { RowStatement, RowWrite } from './row-types.ts';
export { INTERNAL_DB_SCHEMES } from './schemes.ts';
export { keyIdsIn } from './secrets.ts';
export { columnTypes, migration } from './table-migration.ts';
export { type DatabaseTarget, parseDatabaseUrl } from './url.ts';

/** The libraries are loaded here, so that a composition without the database does not pay for them. */
async function openEngine(target: DatabaseTarget, settings: EngineSettings): Promise<Engine> {
  if (target.dialect === 'sqlite') return (await import('./sqlite.ts')).openSqlite(target.path, settings);
  return (await import('./postgres.ts')).openPostgres(target.server, settings);
}

export const internalDb = definePlugin({
  name: 'internal-db',
  version: '1.0.0',
  type: 'storage',
  description: 'The internal database of Atlas, PostgreSQL or SQLite, with the tables of every plugin.',
  options: InternalDbOptions,
  // Migrations of large tables, and waiting for another server that applies them.
  setupTimeoutMs: 3_600_000,
  async setup(ctx, options): Promise<InternalDb> {
    const secrets = secretsOf(options.encryptionKeys, options.deriveFrom);
    if (options.url === undefined) {
      ctx.tap(healthCheck, () => [{ component: 'internalDb', status: 'not_configured' as const }]);
      return withoutDatabase(secrets, ctx.now);
    }
    const target = parseDatabaseUrl(options.url, process.cwd());
    const database = new Database(await openEngine(target, { ...options, log: ctx.log, now: ctx.now }), ctx.log);
    const migrator = new Migrator({
      database,
      collect: async () => ctx.call(storeMigrations, undefined, ctx.scope()),
      now: ctx.now,
      log: ctx.log,
    });
    const probe = probeOf(database);
    let isStarted = false;
    ctx.tap(healthCheck, async () => [(isStarted ? undefined : notYetCreated(target)) ?? (await probe())]);
    ctx.onReady(async () => {
      isStarted = true;
      const applied = await migrator.apply();
      for (const { plugin: owner, name } of applied) ctx.log.debug({ owner, name }, 'A migration was applied.');
      if (applied.length > 0)
        ctx.log.info({ applied: applied.length }, 'Migrations of the internal database were applied.');
      database.liveness.start();
    });
    ctx.onClose(() => database.close());
    return withDatabase(database, target, migrator, secrets, ctx.now);
  },
});
