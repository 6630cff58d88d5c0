/** Stores jobs in a table of the SQLite file, which processes of one machine may share. */
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { type InternalDb, migration } from '../internal-db/index.ts';
import type { LeasedJob, NewJob, Queue } from './queue.ts';

export const JOBS_TABLE = 'jobs';

type Row = Omit<LeasedJob, 'key'> & { readonly key: string | null };

export const createJobs = migration('0001-jobs', async (trx) => {
  await trx.schema.createTable(JOBS_TABLE, (table) => {
    table.string('id', 36).primary();
    table.text('kind').notNullable();
    table.text('key');
    table.text('payload').notNullable();
    table.integer('attempt').notNullable().defaultTo(0);
    // Times are milliseconds since the epoch. A lease moves it to when the lease runs out.
    table.bigInteger('due_at').notNullable();
    table.string('lease', 73);
    table.unique(['kind', 'key']);
    table.index(['kind', 'due_at']);
  });
});

const leasedJob = ({ key, ...row }: Row): LeasedJob => ({ ...row, key: key ?? undefined });

export function sqliteQueue(db: InternalDb, leaseMs: number): Queue {
  const held = (knex: Knex, { id, lease }: LeasedJob) => knex(JOBS_TABLE).where({ id, lease });

  return {
    engine: 'sqlite',
    async open() {},

    async add({ kind, key, payload, startAt }: NewJob, transaction) {
      const row = { id: randomUUID(), kind, key: key ?? null, payload, due_at: startAt?.getTime() ?? Date.now() };
      const insert = (knex: Knex) => knex(JOBS_TABLE).insert(row).onConflict(['kind', 'key']).ignore();
      await (transaction === undefined ? db.run(insert) : insert(transaction));
    },

    async remove(kind, key) {
      await db.run((knex) => knex(JOBS_TABLE).where({ kind, key }).whereNull('lease').delete());
    },

    async take(free) {
      const isDue = await db.run((knex) =>
        knex(JOBS_TABLE)
          .whereIn('kind', [...free.keys()])
          .where('due_at', '<=', Date.now())
          .first('id'),
      );
      if (isDue === undefined) return [];
      return db.transaction(async (trx) => {
        const now = Date.now();
        const taken: LeasedJob[] = [];
        for (const [kind, count] of free) {
          const due = trx(JOBS_TABLE)
            .select('id')
            .where({ kind })
            .where('due_at', '<=', now)
            .orderBy('due_at')
            .limit(count);
          const rows: Row[] = await trx(JOBS_TABLE)
            .whereIn('id', due)
            .update({
              attempt: trx.raw('attempt + 1'),
              due_at: now + leaseMs,
              lease: trx.raw('? || id', [`${randomUUID()}/`]),
            })
            .returning(['id', 'kind', 'key', 'payload', 'attempt', 'lease']);
          taken.push(...rows.map(leasedJob));
        }
        return taken;
      });
    },

    async renew(jobs) {
      const leases = jobs.map(({ lease }) => lease);
      const rows = await db.run((knex) =>
        knex(JOBS_TABLE)
          .whereIn('lease', leases)
          .update({ due_at: Date.now() + leaseMs })
          .returning('lease'),
      );
      return new Set(rows.map(({ lease }: { lease: string }) => lease));
    },

    async finish(job) {
      await db.run((knex) => held(knex, job).delete());
    },

    async putBack(job, delayMs, isCounted) {
      const attempt = job.attempt - (isCounted ? 0 : 1);
      await db.run((knex) => held(knex, job).update({ attempt, due_at: Date.now() + delayMs, lease: null }));
    },

    async size() {
      const rows = await db.run((knex) => knex(JOBS_TABLE).count({ size: '*' }));
      return Number(rows[0]?.size ?? 0);
    },

    async close() {},
  };
}
