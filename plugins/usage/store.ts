/** Reads the sums of usage, and deletes what is too old. */
import type { Knex } from 'knex';
import { type SortedPage, sorted } from '../admin-kit/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import { dayOf } from './periods.ts';
import { USAGE_ORDERS } from './schemas.ts';
import { DAYS, QUESTIONS, RESERVATIONS, TOTALS } from './tables.ts';

const PURGE_BATCH_ROWS = 1_000;

export interface UsageFilter {
  /** Empty: what belongs to no organization. Never all of them. */
  readonly orgId: string;
  /** Empty: anonymous; `undefined`: all users of the organization. */
  readonly userId: string | undefined;
  /** Days in UTC; both inclusive. */
  readonly from: string;
  readonly to: string;
}

/** As the API answers it. */
export interface UsageSums {
  readonly questions: number;
  readonly modelCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
  readonly estimatedTokens: number;
  readonly totalTokens: number;
  /** `null`: no model has a price. */
  readonly cost: number | null;
}

export interface UsageEntry extends UsageSums {
  readonly day: string;
  readonly provider: string;
  readonly model: string;
}

const SUMS = {
  questions: 'questions',
  modelCalls: 'model_calls',
  inputTokens: 'input_tokens',
  outputTokens: 'output_tokens',
  cachedInputTokens: 'cached_input_tokens',
  estimatedTokens: 'estimated_tokens',
  cost: 'cost',
} as const;

/** Only to sort by. */
const TOTAL_TOKENS = 'sum(input_tokens) + sum(output_tokens) AS total_tokens';

const KEY = ['day', 'provider', 'model'] as const;

/** Digits of a unit of money: what adding up many small costs leaves behind is cut off. */
const COST_DIGITS = 9;

export class UsageStore {
  readonly #db: InternalDb;

  constructor(db: InternalDb) {
    this.#db = db;
  }

  /** By day and model, by default the latest day first; `sums` and `total` of all that match. */
  async read(
    filter: UsageFilter,
    { limit, offset, sort }: SortedPage<typeof USAGE_ORDERS>,
  ): Promise<{ entries: UsageEntry[]; sums: UsageSums; total: number }> {
    return this.#db.run(async (db) => {
      const groups = filtered(db, filter).groupBy(KEY).select(KEY);
      const summed = groups.clone().sum(SUMS).select(db.raw(TOTAL_TOKENS));
      const page = sorted(summed, USAGE_ORDERS.order(sort)).limit(limit).offset(offset);
      const rows: (Record<keyof typeof SUMS, unknown> & Record<(typeof KEY)[number], string>)[] = await page;
      const [all] = await filtered(db, filter).sum(SUMS);
      const [counted] = await db(groups.as('groups')).count({ total: '*' });
      return {
        entries: rows.map((row) => ({ day: row.day, provider: row.provider, model: row.model, ...shown(row) })),
        sums: shown(all ?? {}),
        total: Number(counted?.total ?? 0),
      };
    });
  }

  /** Deletes what was asked before `cutoff`, in batches, and reservations whose server has died. */
  async purge(cutoff: number, now: number): Promise<void> {
    let purged: number;
    do {
      purged = await this.#db.run((db) => {
        const old = db(QUESTIONS).where('asked_at', '<', new Date(cutoff).toISOString());
        return db(QUESTIONS).whereIn('id', old.select('id').limit(PURGE_BATCH_ROWS)).delete();
      });
    } while (purged === PURGE_BATCH_ROWS);
    const day = dayOf(cutoff);
    await this.#db.run((db) => db(DAYS).where('day', '<', day).delete());
    await this.#db.run((db) => db(TOTALS).where('period', '<', day).delete());
    await this.#db.run((db) => db(RESERVATIONS).where('expires_at', '<', now).delete());
  }
}

function filtered(db: Knex, { orgId, userId, from, to }: UsageFilter): Knex.QueryBuilder {
  const query = db(DAYS).where('org_id', orgId).whereBetween('day', [from, to]);
  return userId === undefined ? query : query.where('user_id', userId);
}

/** PostgreSQL answers sums as texts; without rows they are null. */
function shown(row: Partial<Record<keyof typeof SUMS, unknown>>): UsageSums {
  const of = (name: keyof typeof SUMS) => Number(row[name] ?? 0);
  return {
    questions: of('questions'),
    modelCalls: of('modelCalls'),
    inputTokens: of('inputTokens'),
    outputTokens: of('outputTokens'),
    cachedInputTokens: of('cachedInputTokens'),
    estimatedTokens: of('estimatedTokens'),
    totalTokens: of('inputTokens') + of('outputTokens'),
    cost: row.cost == null ? null : Number(of('cost').toFixed(COST_DIGITS)),
  };
}
