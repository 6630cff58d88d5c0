/**
 * Reserves tokens of budgets for running questions, so that questions that run at the same time, on any server, do not
 * spend the same tokens twice. A reservation ends with its question, or expires with its server.
 */
import type { Knex } from 'knex';
import { AtlasError } from '../../kernel/index.ts';
import { GroupCommit, type InternalDb } from '../internal-db/index.ts';
import { type Budget, type Refusal, unchecked } from './budgets.ts';
import { RESERVATIONS, TOTALS } from './tables.ts';

/** What a question asks for, of every one of its budgets. */
export interface Claim {
  /** Id of the question. */
  readonly id: string;
  readonly budgets: readonly Budget[];
  /** Tokens that it has reserved already. */
  readonly reservedTokens: number;
  /** It is refused unless it gets more than these in all. */
  readonly neededTokens: number;
  /** Tokens that it would like to have reserved in all. */
  readonly wantedTokens: number;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Tokens of a budget in its period. */
export interface Spent {
  readonly usedTokens: number;
  /** By all running questions. */
  readonly reservedTokens: number;
}

interface Waiting extends Claim {
  outcome: number | Refusal | undefined;
}

/** Claims that share a transaction. */
const CLAIMS_AT_ONCE = 100;

type Key = Pick<Budget, 'subject' | 'period'>;

const keyOf = ({ subject, period }: Key) => `${period} ${subject}`;

export class Reservations {
  readonly #db: InternalDb;
  readonly #now: () => number;
  readonly #claims: GroupCommit<Waiting>;

  constructor(db: InternalDb, now: () => number) {
    this.#db = db;
    this.#now = now;
    this.#claims = new GroupCommit((claims) => this.#decide(claims), { maxItems: CLAIMS_AT_ONCE });
  }

  /** Resolves to the tokens that the question has reserved now. Rejects with `unavailable` when that cannot be known. */
  async claim(claim: Claim): Promise<number | Refusal> {
    const waiting: Waiting = { ...claim, outcome: undefined };
    try {
      await this.#claims.add(waiting);
    } catch (error) {
      throw error instanceof AtlasError && error.code === 'unavailable' ? unchecked(error) : error;
    }
    if (waiting.outcome === undefined) throw unchecked(undefined);
    return waiting.outcome;
  }

  /** What is spent of the budgets, in their order. */
  async spent(budgets: readonly Budget[]): Promise<Spent[]> {
    if (budgets.length === 0) return [];
    const [used, reserved] = await this.#db.run(async (db) => [
      await usedOf(db, budgets),
      await reservedOf(db, budgets, this.#now()),
    ]);
    return budgets.map((budget) => ({
      usedTokens: used?.get(keyOf(budget)) ?? 0,
      reservedTokens: reserved?.get(keyOf(budget)) ?? 0,
    }));
  }

  /** Decides claims one after the other while no other server decides about the same budgets. */
  async #decide(claims: readonly Waiting[]): Promise<void> {
    const budgets = claims.flatMap((claim) => claim.budgets);
    const keys = [...new Map(budgets.map((budget) => [keyOf(budget), budget])).values()];
    await this.#db.transaction(async (trx) => {
      const used = await locked(trx, keys);
      const reserved = await reservedOf(trx, keys, this.#now());
      const rows: object[] = [];
      for (const claim of claims) {
        const granted = grant(claim, used, reserved);
        claim.outcome = granted;
        if (typeof granted !== 'number') continue;
        for (const budget of claim.budgets) {
          const key = keyOf(budget);
          reserved.set(key, (reserved.get(key) ?? 0) - claim.reservedTokens + granted);
          const { subject, period } = budget;
          rows.push({ id: claim.id, subject, period, tokens: granted, expires_at: claim.expiresAt });
        }
      }
      if (rows.length > 0) {
        await trx(RESERVATIONS).insert(rows).onConflict(['id', 'subject']).merge(['tokens', 'expires_at']);
      }
    });
  }
}

function grant(
  { budgets, reservedTokens, neededTokens, wantedTokens }: Claim,
  used: ReadonlyMap<string, number>,
  reserved: ReadonlyMap<string, number>,
): number | Refusal {
  let granted = wantedTokens;
  for (const budget of budgets) {
    const unused = budget.limitTokens - (used.get(keyOf(budget)) ?? 0);
    const left = unused - (reserved.get(keyOf(budget)) ?? 0) + reservedTokens;
    if (left <= neededTokens) return { budget, isReserved: unused > neededTokens };
    granted = Math.min(granted, left);
  }
  return granted;
}

/** The totals of the budgets, which stay locked until the transaction ends. */
async function locked(trx: Knex.Transaction, budgets: readonly Key[]): Promise<Map<string, number>> {
  const used = await usedOf(trx, budgets, true);
  if (used.size === budgets.length) return used;
  const missing = budgets.filter((budget) => !used.has(keyOf(budget)));
  const rows = missing.map(({ subject, period }) => ({ subject, period, tokens: 0 }));
  await trx(TOTALS).insert(rows).onConflict().ignore();
  return usedOf(trx, budgets, true);
}

async function usedOf(db: Knex, budgets: readonly Key[], isLocked = false): Promise<Map<string, number>> {
  const query = matching(db, TOTALS, budgets).select('subject', 'period', 'tokens').orderBy(['subject', 'period']);
  return byKey(await (isLocked ? query.forUpdate() : query));
}

async function reservedOf(db: Knex, budgets: readonly Key[], now: number): Promise<Map<string, number>> {
  const rows = await matching(db, RESERVATIONS, budgets)
    .where('expires_at', '>', now)
    .groupBy('subject', 'period')
    .select('subject', 'period')
    .sum({ tokens: 'tokens' });
  return byKey(rows);
}

const matching = (db: Knex, table: string, budgets: readonly Key[]): Knex.QueryBuilder =>
  db(table).whereIn(
    ['subject', 'period'],
    budgets.map(({ subject, period }) => [subject, period]),
  );

/** PostgreSQL answers large integers as texts. */
const byKey = (rows: readonly (Key & { readonly tokens: number | string })[]) =>
  new Map(rows.map((row) => [keyOf(row), Number(row.tokens)]));
