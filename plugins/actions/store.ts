/** Stores actions and their history. Every move is one compare-and-set, in one transaction with what tells of it. */
import type { Knex } from 'knex';
import { readPage, type SortedPage } from '../admin-kit/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import { ACTIONS, HISTORY } from './migrations.ts';
import type { ActionRow, HistoryRow, Move, Mover } from './rows.ts';
import { ACTION_ORDERS, type ActionStatus } from './schemas.ts';

/** Milliseconds since the epoch by the database's clock: those of servers may differ. */
const NOW_MS = {
  sqlite: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
  postgres: '(extract(epoch FROM clock_timestamp()) * 1000)::bigint',
};

const BATCH_ROWS = 200;

export interface ActionFilter {
  /** Empty: what belongs to no organization. Never all of them. */
  readonly orgId: string;
  /** Empty: anonymous; `undefined`: all requesters of the organization. */
  readonly requestedBy: string | undefined;
  readonly status: ActionStatus;
  readonly type?: string;
}

/** A run's hold on an action. */
export interface Lease {
  readonly id: string;
  readonly durationMs: number;
}

/** A move to store, and what it changes of the row. */
export interface Change {
  readonly move: Move;
  /** ISO 8601. */
  readonly at: string;
  readonly mover: Mover;
  readonly note?: string | null;
  readonly set: Partial<ActionRow>;
  /** Holds the action for a run, or gives it up; default: as it was. */
  readonly lease?: Lease | null;
}

/** Writes what belongs to a move into its transaction: the audit entry, the job. */
export type Along = (row: ActionRow, change: Change, trx: Knex.Transaction) => Promise<void>;

export class ActionStore {
  readonly #db: InternalDb;
  readonly #along: Along;

  constructor(db: InternalDb, along: Along) {
    this.#db = db;
    this.#along = along;
  }

  /** By default newest first. */
  page(filter: ActionFilter, page: SortedPage<typeof ACTION_ORDERS>): Promise<{ rows: ActionRow[]; total: number }> {
    const order = ACTION_ORDERS.order(page.sort);
    return this.#db.run((db) => readPage<ActionRow>({ matching: () => filtered(db, filter), order }, page));
  }

  async count(filter: ActionFilter): Promise<number> {
    const [counted] = await this.#db.run((db) => filtered(db, filter).count({ total: '*' }));
    return Number(counted?.total ?? 0);
  }

  async find(id: string): Promise<ActionRow | undefined> {
    return this.#db.run((db) => db<ActionRow>(ACTIONS).where({ id }).first());
  }

  /** The action with that key that awaits approval. */
  async pendingWish(wishKey: string): Promise<ActionRow | undefined> {
    return this.#db.run((db) => db<ActionRow>(ACTIONS).where({ wish_key: wishKey, status: 'pending' }).first());
  }

  /** In order, by action. */
  async history(ids: readonly string[]): Promise<Map<string, HistoryRow[]>> {
    const rows: HistoryRow[] = await this.#db.run((db) => db(HISTORY).whereIn('action_id', ids).orderBy('id'));
    return Map.groupBy(rows, ({ action_id }) => action_id);
  }

  /** Stores an action with its first moves. */
  async insert(row: ActionRow, changes: readonly Change[]): Promise<ActionRow> {
    return this.#db.transaction(async (trx) => {
      const lease = changes.find((change) => change.lease != null)?.lease;
      const inserted = { ...row, ...Object.assign({}, ...changes.map(({ set }) => set)) };
      await trx(ACTIONS).insert({ ...inserted, ...this.#leased(trx, lease) });
      for (const change of changes) await this.#record(inserted, change, trx);
      return inserted;
    });
  }

  /**
   * Moves an action that is still `from` and, where given, of which no other run holds the lease, or this one does.
   * Resolves to the action as it is now; to `undefined` when another was faster.
   */
  async move(
    id: string,
    from: ActionStatus,
    change: Change,
    holder: { readonly lease?: string; readonly free?: true } = {},
  ): Promise<ActionRow | undefined> {
    return this.#db.transaction(async (trx) => {
      const query = trx(ACTIONS).where({ id, status: from });
      if (holder.lease !== undefined) query.where({ lease: holder.lease });
      if (holder.free === true)
        query.where((free) => free.whereNull('lease').orWhereRaw(`leased_until < ${this.#now}`));
      if (change.move === 'approved') query.where('expires_at', '>', change.at);
      const [row]: ActionRow[] = await query
        .update({ ...change.set, ...this.#leased(trx, change.lease) })
        .returning('*');
      if (row === undefined) return undefined;
      await this.#record(row, change, trx);
      return row;
    });
  }

  /** Gives a run's hold up, so that another may begin at once. */
  async release(id: string, lease: string): Promise<void> {
    await this.#db.run((db) => db(ACTIONS).where({ id, lease }).update({ lease: null, leased_until: null }));
  }

  /** How long another run holds the action; at least a second. */
  async heldForMs(id: string): Promise<number> {
    const row = await this.#db.run((db) =>
      db(ACTIONS)
        .where({ id })
        .first({ left: db.raw(`leased_until - ${this.#now}`) }),
    );
    return Math.max(Number(row?.left ?? 0), 1_000);
  }

  /** Ids of actions that wait for approval although their time is over. */
  async expired(now: string): Promise<string[]> {
    const rows: { id: string }[] = await this.#db.run((db) =>
      db(ACTIONS).where('status', 'pending').where('expires_at', '<=', now).limit(BATCH_ROWS).select('id'),
    );
    return rows.map(({ id }) => id);
  }

  /** Ids of actions of a user, or of an organization, that wait for approval; at most a batch of them. */
  async pendingOf(of: Partial<Pick<ActionRow, 'requested_by' | 'org_id'>>): Promise<string[]> {
    const rows: { id: string }[] = await this.#db.run((db) =>
      db(ACTIONS)
        .where({ ...of, status: 'pending' })
        .limit(BATCH_ROWS)
        .select('id'),
    );
    return rows.map(({ id }) => id);
  }

  /** Deletes what ended before `cutoff`, with its history. */
  async purge(cutoff: string): Promise<void> {
    let purged: number;
    do {
      purged = await this.#db.run((db) => {
        const old = db(ACTIONS).where('resolved_at', '<', cutoff).whereIn('status', ['denied', 'executed', 'failed']);
        return db(ACTIONS).whereIn('id', old.select('id').limit(BATCH_ROWS)).delete();
      });
    } while (purged === BATCH_ROWS);
  }

  get #now(): string {
    return NOW_MS[this.#db.dialect];
  }

  #leased(trx: Knex.Transaction, lease: Lease | null | undefined): object {
    if (lease === undefined) return {};
    if (lease === null) return { lease: null, leased_until: null };
    return { lease: lease.id, leased_until: trx.raw(`${this.#now} + ?`, [lease.durationMs]) };
  }

  async #record(row: ActionRow, change: Change, trx: Knex.Transaction): Promise<void> {
    const { move, at, mover, note = null } = change;
    await trx(HISTORY).insert({ ...mover, action_id: row.id, move, at, note } satisfies HistoryRow);
    await this.#along(row, change, trx);
  }
}

function filtered(db: Knex, { orgId, requestedBy, status, type }: ActionFilter): Knex.QueryBuilder {
  const query = db(ACTIONS).where({ org_id: orgId, status, ...(type !== undefined && { action_type: type }) });
  return requestedBy === undefined ? query : query.where({ requested_by: requestedBy });
}
