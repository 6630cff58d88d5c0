/** Stores requests to move to another region; each change of state is one compare-and-set. */
import type { Knex } from 'knex';
import { type RowOf, readPage } from '../admin-kit/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import { REGION_MIGRATIONS } from './migrations.ts';
import { MIGRATION_ORDERS, type MigrationQuery, type MigrationStatus, type RegionMigration } from './schemas.ts';

export interface MigrationRow extends Omit<RowOf<RegionMigration>, 'workspace_id'> {
  readonly org_id: string | null;
  readonly leased_until: number | string | null;
}

/** Rows that a server looks at in one go. */
const BATCH_ROWS = 100;

/** Runs in the transaction of a change. */
type Record = (before: MigrationRow, after: MigrationRow, trx: Knex.Transaction) => Promise<unknown>;

export const migrationStore = (db: InternalDb) => ({
  transaction: <T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T> => db.transaction(work),

  /** The latest request of the organization. */
  last: (orgId: string | null, trx: Knex): Promise<MigrationRow | undefined> =>
    trx<MigrationRow>(REGION_MIGRATIONS).where({ org_id: orgId }).orderBy(NEWEST).first(),

  /** Where its last completed move has led; `undefined`: it has never moved. */
  async region(orgId: string | null, trx?: Knex): Promise<string | undefined> {
    const read = (knex: Knex) =>
      knex<MigrationRow>(REGION_MIGRATIONS)
        .where({ org_id: orgId, status: 'completed' })
        .orderBy([{ column: 'completed_at', order: 'desc' }, ...NEWEST])
        .first('target_region');
    return (await (trx === undefined ? db.run(read) : read(trx)))?.target_region;
  },

  /** False where another request of the organization is open. */
  async insert(row: MigrationRow, trx: Knex.Transaction): Promise<boolean> {
    const inserted: unknown[] = await trx(REGION_MIGRATIONS).insert(row).onConflict().ignore().returning('id');
    return inserted.length === 1;
  },

  find: (id: string): Promise<MigrationRow | undefined> =>
    db.run((knex) => knex<MigrationRow>(REGION_MIGRATIONS).where({ id }).first()),

  list: (orgId: string | null, { status, ...request }: MigrationQuery) =>
    db.run((knex) => {
      const filter = { org_id: orgId, ...(status !== undefined && { status }) };
      const matching = () => knex(REGION_MIGRATIONS).where(filter);
      return readPage<MigrationRow>({ matching, order: MIGRATION_ORDERS.order(request.sort) }, request);
    }),

  /** Changes a request that is still in one of the states `from`; `undefined` where it is not, or another one is open. */
  move: (id: string, from: readonly MigrationStatus[], set: Partial<MigrationRow>, record: Record) =>
    db
      .transaction(async (trx) => {
        const before = await trx<MigrationRow>(REGION_MIGRATIONS).where({ id }).whereIn('status', from).first();
        if (before === undefined) return undefined;
        const [after]: MigrationRow[] = await trx(REGION_MIGRATIONS)
          .where({ id, status: before.status })
          .update(set)
          .returning('*');
        if (after !== undefined) await record(before, after, trx);
        return after;
      })
      .catch((error: { code?: string }) => {
        // Another request of the organization was opened meanwhile.
        if (error.code === '23505' || error.code?.startsWith('SQLITE_CONSTRAINT') === true) return undefined;
        throw error;
      }),

  /** Requests that no server and no operator moves. */
  waiting: (nowMs: number): Promise<MigrationRow[]> =>
    db.run((knex) =>
      knex<MigrationRow>(REGION_MIGRATIONS)
        .where((free) => void free.where({ status: 'pending' }).orWhere((lost) => isLost(lost, nowMs)))
        .orderBy('requested_at')
        .limit(BATCH_ROWS),
    ),

  /** Makes this server the one that moves it. False where another was faster. */
  claim: async (id: string, nowMs: number, untilMs: number): Promise<boolean> => {
    const claimed = await db.run((knex) =>
      knex(REGION_MIGRATIONS)
        .where({ id })
        .where((free) => void free.where({ status: 'pending' }).orWhere((lost) => isLost(lost, nowMs)))
        .update({ status: 'in_progress', leased_until: untilMs }),
    );
    return claimed === 1;
  },

  /** Renews the lease of a move of this server; 0 gives it up, so that another one goes on. */
  lease: async (id: string, untilMs: number): Promise<void> => {
    await db.run((knex) =>
      knex(REGION_MIGRATIONS)
        .where({ id, ...MOVING })
        .update({ leased_until: untilMs }),
    );
  },

  /** Leaves it to the operator. */
  giveBack: async (id: string): Promise<void> => {
    const set = { status: 'pending', leased_until: null };
    await db.run((knex) =>
      knex(REGION_MIGRATIONS)
        .where({ id, ...MOVING })
        .update(set),
    );
  },
});
export type MigrationStore = ReturnType<typeof migrationStore>;

const MOVING = { status: 'in_progress' } as const;

const NEWEST = [...MIGRATION_ORDERS.order()];

/** Its server has died. */
function isLost(query: Knex.QueryBuilder, nowMs: number): void {
  query.where(MOVING).where('leased_until', '<', nowMs);
}
