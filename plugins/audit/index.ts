/** Writes every statement of every surface to the audit log before its rows are handed out. */
import {
  definePlugin,
  httpRoutes,
  optional,
  questionBefore,
  type Scope,
  type SqlStatement,
  sqlAfter,
  sqlBefore,
  sqlSettled,
  storeMigrations,
} from '../../kernel/index.ts';
import { internalDb, storeTables } from '../internal-db/index.ts';
import { jobs, purgeDaily } from '../jobs/index.ts';
import { findDialect, redactLiterals } from '../sql-kit/index.ts';
import type { Audit } from './api.ts';
import { rowOfChange } from './change.ts';
import { COUNTS_TABLE } from './count-migration.ts';
import { type AuditRow, entryOfEvent, entryOfOutcome, entryOfReply, type Redact } from './entry.ts';
import { AUDIT_TABLE, migrationsFor } from './migrations.ts';
import { AuditOptions } from './options.ts';
import { recorder } from './recorder.ts';
import { auditRoutes } from './routes.ts';
import { AuditStore, type Purged } from './store.ts';
import { auditWriter } from './writer.ts';

export type { Audit, AuditedChange, AuditedEvent } from './api.ts';
export type { AuditEntry, AuditStats } from './schemas.ts';
export { auditedPeople, auditedStatements } from './store.ts';

const DAY_MS = 86_400_000;

export const audit = definePlugin({
  name: 'audit',
  version: '1.0.0',
  type: 'policy',
  description: 'Records every statement with its user and how it ended.',
  needs: { db: optional(internalDb), jobs: optional(jobs) },
  options: AuditOptions,
  setup(ctx, options, { db, jobs: queue }): Audit {
    const redactionOf = async (statement: SqlStatement | undefined, scope: Scope): Promise<Redact> => {
      if (!options.redactLiterals) return (sql) => sql;
      const dialect = statement && (await findDialect(ctx, statement.connection.dbType, scope));
      return (sql) => redactLiterals(sql, dialect?.notation);
    };
    const writer = db?.configured === true ? auditWriter(db) : undefined;
    const write = writer && ((row: AuditRow) => writer.add(row));
    /** Rejects at once while nothing can be audited: the rows would be withheld in the end. */
    const auditable = () => (options.required ? db?.check()?.then(() => undefined) : undefined);
    ctx.tap(questionBefore, auditable, { stage: 'pre' });
    ctx.tap(sqlBefore, auditable, { stage: 'pre' });

    const keep = recorder({ write, required: options.required, logOf: ctx.logOf });
    // There are no rows to withhold.
    const keepIfPossible = recorder({ write, required: false, logOf: ctx.logOf });
    // Last, so that nothing can withhold rows of which the log says that they were handed out.
    ctx.tap(
      sqlAfter,
      async (reply, scope) => {
        const redact = await redactionOf(reply.statement, scope);
        const auditId = await keep(entryOfReply(reply, scope, ctx.now(), redact), scope);
        return auditId === undefined ? undefined : { ...reply, auditId };
      },
      { stage: 'post' },
    );
    ctx.tap(sqlSettled, async (outcome, scope) => {
      if (outcome.status === 'succeeded') return;
      const redact = await redactionOf(outcome.statement, scope);
      await keepIfPossible(entryOfOutcome(outcome, scope, ctx.now(), redact), scope);
    });
    const service: Audit = {
      record: async (event, trx) => void (await trx(AUDIT_TABLE).insert(entryOfEvent(event))),
      change: async (change, scope, trx) => void (await trx(AUDIT_TABLE).insert(rowOfChange(change, scope, ctx.now()))),
    };
    if (db === undefined) return service;

    const store = new AuditStore(db);
    const cutoff = () => ctx.now() - options.retentionDays * DAY_MS;
    ctx.tap(storeMigrations, () => migrationsFor(db.dialect));
    // The sums are made again where the entries are written.
    ctx.tap(storeTables, () => [
      { table: AUDIT_TABLE, runsTriggers: true },
      { table: COUNTS_TABLE, isTransient: true },
    ]);
    const purged = (results: readonly Purged[], scope: Scope) =>
      db.transaction(async (trx) => {
        const target = { type: 'audit_log', id: scope.orgId ?? 'platform' };
        await service.change({ action: 'audit_log.purged', target, after: { results } }, scope, trx);
      });
    ctx.tap(httpRoutes, () => db.routes(auditRoutes(store, { now: ctx.now, cutoff, purged })));
    if (!db.configured) return service;
    purgeDaily(ctx, queue, 'The audit log', async () => {
      await store.purgeAll(cutoff(), ctx.now());
      await store.erase(ctx.now() - options.erasedAfterDays * DAY_MS);
      await store.joinSums();
    });
    ctx.onClose(() => writer?.close());
    return service;
  },
});
