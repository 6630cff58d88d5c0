/** Reads the audit log and deletes entries that are too old. */
import type { Knex } from 'knex';
import { readPage, type SortedPage, shownBy, sorted } from '../admin-kit/index.ts';
import { SYSTEM_ACTOR } from '../auth-kit/index.ts';
import { ANY_CASE, type InternalDb } from '../internal-db/index.ts';
import { listChanges } from './changes.ts';
import { COUNTS_TABLE, JOIN_SUMS } from './count-migration.ts';
import { countEntries } from './counts.ts';
import { type AuditRow, EVENT_TYPE } from './entry.ts';
import { type AuditFilter, type ChangeFilter, firstMoment, lastMoment } from './filter.ts';
import { AUDIT_TABLE } from './migrations.ts';
import { AUDIT_ORDERS, type CHANGE_ORDERS } from './orders.ts';
import { AuditEntry, type AuditStats } from './schemas.ts';

const DAY_MS = 86_400_000;
const STATS_DAYS = 7;
const EXPORT_BATCH_ROWS = 1_000;
const PURGE_BATCH_ROWS = 1_000;
/** Statements are looked through for a text among so many entries, the newest that match otherwise. */
const SEARCHED_ENTRIES = 50_000;
const MAX_PEOPLE = 1_000;
/** Before every entry, on both databases. */
const BEGINNING = '0001-01-01T00:00:00.000Z';
/** The day of an entry in UTC. */
const DAY = {
  sqlite: 'substr(timestamp, 1, 10)',
  postgres: `to_char(timestamp AT TIME ZONE 'UTC', 'YYYY-MM-DD')`,
};

export interface Purged {
  readonly orgId: string | null;
  readonly softDeletedCount: number;
}

export class AuditStore {
  readonly #db: InternalDb;
  readonly #searchedEntries: number;

  constructor(db: InternalDb, searchedEntries = SEARCHED_ENTRIES) {
    this.#db = db;
    this.#searchedEntries = searchedEntries;
  }

  /** By default newest first. */
  async list(
    filter: AuditFilter,
    page: SortedPage<typeof AUDIT_ORDERS>,
  ): Promise<{ entries: AuditEntry[]; total: number }> {
    const { rows, total } = await this.#db.run((db) => {
      const key = { column: 'id', all: () => db(AUDIT_TABLE) };
      const matching = (narrowed = filter) => this.#matching(db, narrowed);
      const total = () => countEntries(db, COUNTS_TABLE, filter, matching);
      return readPage<AuditRow>({ matching: () => matching(), total, order: AUDIT_ORDERS.order(page.sort), key }, page);
    });
    return { entries: rows.map(shownEntry), total };
  }

  /** What administrators have changed, by default newest first. */
  changes(filter: ChangeFilter, page: SortedPage<typeof CHANGE_ORDERS>) {
    return listChanges(this.#db, filter, page);
  }

  /** Every entry that matches, newest first, in batches. */
  async *all(filter: AuditFilter): AsyncGenerator<AuditEntry[]> {
    let last: AuditRow | undefined;
    for (;;) {
      const rows: AuditRow[] = await this.#db.run((db) => {
        const query = sorted(this.#matching(db, filter).select('*'), NEWEST_FIRST).limit(EXPORT_BATCH_ROWS);
        if (last !== undefined) query.andWhereRaw('(timestamp, id) < (?, ?)', [last.timestamp, last.id]);
        return query;
      });
      if (rows.length > 0) yield rows.map(shownEntry);
      if (rows.length < EXPORT_BATCH_ROWS) return;
      last = rows.at(-1);
    }
  }

  /** Counts the seven days in UTC that end with the one that `now` is in. */
  async stats(orgId: string | null, now: number): Promise<AuditStats> {
    const days = Array.from({ length: STATS_DAYS }, (_, index) => dayOf(now - (STATS_DAYS - 1 - index) * DAY_MS));
    const rows = await this.#db.run((db) =>
      filtered(db, { orgId, from: `${days[0]}T00:00:00.000Z` })
        .where((statement) => statement.whereNull('db_type').orWhereNot('db_type', EVENT_TYPE))
        .select(db.raw(`${DAY[this.#db.dialect]} AS day`), 'success')
        .count({ count: '*' })
        .groupByRaw(`${DAY[this.#db.dialect]}, success`),
    );
    const counted = (rows as { day: string; success: boolean | number; count: number | string }[]).map((row) => ({
      day: row.day,
      success: Boolean(row.success),
      count: Number(row.count),
    }));
    const sum = (some: typeof counted) => some.reduce((total, { count }) => total + count, 0);
    const known = counted.filter(({ day }) => days.includes(day));
    const totalQueries = sum(known);
    const errorCount = sum(known.filter(({ success }) => !success));
    return {
      totalQueries,
      errorCount,
      errorRate: totalQueries === 0 ? 0 : errorCount / totalQueries,
      queriesPerDay: days.map((day) => ({ day, count: sum(known.filter((row) => row.day === day)) })),
    };
  }

  /** Soft-deletes what was written before `cutoff`; says how much of each organization. */
  purge(orgId: string | null, cutoff: number, now: number): Promise<Purged[]> {
    return this.#purgeOf((query) => query.where('org_id', orgId), cutoff, now);
  }

  /** The same for all organizations; no request may do this. */
  purgeAll(cutoff: number, now: number): Promise<Purged[]> {
    return this.#purgeOf((query) => query, cutoff, now);
  }

  /** Permanently deletes what was soft-deleted before `before`, in batches as well. */
  async erase(before: number): Promise<void> {
    let erased: number;
    do {
      erased = await this.#db.run((db) => {
        const old = db(AUDIT_TABLE).where('deleted_at', '<', new Date(before).toISOString());
        return db(AUDIT_TABLE).whereIn('id', old.select('id').limit(PURGE_BATCH_ROWS)).delete();
      });
    } while (erased > 0);
  }

  /** Keeps the sums of entries few. */
  async joinSums(): Promise<void> {
    if (this.#db.dialect === 'postgres') await this.#db.run((db) => db.raw(JOIN_SUMS));
  }

  /** `text` alone needs the statements themselves, and is looked for in the newest entries that the rest finds. */
  #matching(db: Knex, { text, ...filter }: AuditFilter): Knex.QueryBuilder {
    const query = filtered(db, filter);
    if (text === undefined) return query;
    const { operator, pattern } = ANY_CASE[this.#db.dialect];
    const oldest = filtered(db, filter)
      .select('timestamp')
      .orderBy('timestamp', 'desc')
      .offset(this.#searchedEntries - 1)
      .limit(1);
    query.whereRaw('timestamp >= COALESCE(?, ?)', [oldest, BEGINNING]);
    return query.whereRaw(`sql ${operator} ?`, [pattern(text)]);
  }

  /** In batches, so that statements that come meanwhile do not wait for all of it. */
  async #purgeOf(
    narrow: (query: Knex.QueryBuilder) => Knex.QueryBuilder,
    cutoff: number,
    now: number,
  ): Promise<Purged[]> {
    const counts = new Map<string | null, number>();
    for (;;) {
      const rows: { org_id: string | null }[] = await this.#db.run((db) => {
        const old = narrow(shown(db)).where('timestamp', '<', new Date(cutoff).toISOString());
        const batch = old.select('id').orderBy('timestamp').limit(PURGE_BATCH_ROWS);
        const change = { deleted_at: new Date(now).toISOString() };
        // Asked again of each row: another server may be at the same batch.
        return db(AUDIT_TABLE).whereIn('id', batch).whereNull('deleted_at').update(change, ['org_id']);
      });
      for (const { org_id } of rows) counts.set(org_id, (counts.get(org_id) ?? 0) + 1);
      if (rows.length === 0) break;
    }
    const purged = [...counts].map(([org, softDeletedCount]) => ({ orgId: org, softDeletedCount }));
    return purged.sort((a, b) => (a.orgId ?? '').localeCompare(b.orgId ?? ''));
  }
}

/** Which entries work on the server itself reads. `orgId`: `undefined` for those of all; `since`: ISO 8601. */
export interface AuditedFilter {
  readonly orgId: string | undefined;
  readonly limit: number;
  readonly since: string | undefined;
}

/** What the server asks as a reader, beside what was asked for. */
const UNASKED_SURFACES = ['explanation', 'freshness', 'reading', 'evaluation'];

/** Those that the server asks by itself are left out: they say nothing about what people need. */
function askedByPeople(db: Knex, orgId: string | undefined): Knex.QueryBuilder {
  const query = shown(db).whereNot('auth_mode', SYSTEM_ACTOR.mode).whereNotIn('surface', UNASKED_SURFACES);
  return orgId === undefined ? query : query.where('org_id', orgId);
}

/** Statements that ran or failed, newest first; no request may see those of others. */
export async function auditedStatements(db: InternalDb, { orgId, limit, since }: AuditedFilter): Promise<AuditEntry[]> {
  const rows: AuditRow[] = await db.run((knex) => {
    const isStatement = (query: Knex.QueryBuilder) => query.whereNull('db_type').orWhereNot('db_type', EVENT_TYPE);
    const asked = askedByPeople(knex, orgId).select('*').where(isStatement);
    const query = sorted(asked, NEWEST_FIRST.slice(1)).limit(limit);
    return since === undefined ? query : query.where('timestamp', '>=', firstMoment(since));
  });
  return rows.map(shownEntry);
}

/** People and their organizations in the newest entries: a thousand of them at most. */
export async function auditedPeople(
  db: InternalDb,
  orgId: string | undefined,
): Promise<Pick<AuditEntry, 'userId' | 'orgId'>[]> {
  const rows: Pick<AuditRow, 'user_id' | 'org_id'>[] = await db.run((knex) => {
    const newest = sorted(askedByPeople(knex, orgId), NEWEST_FIRST.slice(1)).limit(SEARCHED_ENTRIES);
    return knex.from(newest.select('user_id', 'org_id').as('newest')).distinct('user_id', 'org_id').limit(MAX_PEOPLE);
  });
  return rows.map(({ user_id: userId, org_id: orgId }) => ({ userId, orgId }));
}

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

const NEWEST_FIRST = AUDIT_ORDERS.order();

const shown = (db: Knex): Knex.QueryBuilder => db(AUDIT_TABLE).whereNull('deleted_at');

function filtered(db: Knex, filter: Omit<AuditFilter, 'text'>): Knex.QueryBuilder {
  const { orgId, user, success, connection, surface, id, from, to } = filter;
  const query = shown(db).where('org_id', orgId);
  if (user !== undefined) query.where('user_id', user);
  // As the index of failures has it.
  if (success !== undefined) query.whereRaw(success ? 'success' : 'NOT success');
  if (connection !== undefined) query.where('connection_id', connection);
  if (surface !== undefined) query.where('surface', surface);
  if (id !== undefined) query.where({ id });
  if (from !== undefined) query.where('timestamp', '>=', firstMoment(from));
  if (to !== undefined) query.where('timestamp', '<=', lastMoment(to));
  return query;
}

/** A row as the API and the log show it. */
export const shownEntry = shownBy(AuditEntry);
