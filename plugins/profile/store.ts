/** Stores measured facts in the internal database, and lets one server at a time measure. */
import type { Knex } from 'knex';
import type { InternalDb } from '../internal-db/index.ts';
import type { LayerFacts, TableFacts } from '../semantic-layer/index.ts';
import { FACTS, RUNS } from './migrations.ts';

interface FactRow {
  readonly org_id: string;
  readonly table_key: string;
  readonly facts: string;
  readonly measured_at: number;
}

type StoredFacts = Pick<TableFacts, 'rowCount'> & {
  readonly ranges: Readonly<Record<string, readonly [string, string]>>;
  readonly values: Readonly<Record<string, readonly string[]>>;
};

/** The same text for the same facts. */
export const textOf = ({ rowCount, ranges, values }: TableFacts): string =>
  JSON.stringify({ rowCount, ranges: Object.fromEntries(ranges), values: Object.fromEntries(values) });

function factsOf(text: string): TableFacts {
  const { ranges, values, ...rest } = JSON.parse(text) as StoredFacts;
  return { ...rest, ranges: new Map(Object.entries(ranges)), values: new Map(Object.entries(values)) };
}

/** Rows per statement, within SQLite's limit of parameters. */
const BATCH = 200;
const RUN = 'daily';

const ownerOf = (orgId: string | null) => orgId ?? '';

export class FactStore {
  readonly #db: InternalDb;

  constructor(db: InternalDb) {
    this.#db = db;
  }

  /** Whether the caller is to measure now: no server has begun to within the last `restMs`. */
  claim(now: number, restMs: number): Promise<boolean> {
    return this.#db.run(async (db) => {
      const last = await db(RUNS)
        .where({ name: RUN })
        .where('started_at', '>', now - restMs)
        .first('name');
      if (last !== undefined) return false;
      await db(RUNS).insert({ name: RUN, started_at: 0 }).onConflict('name').ignore();
      const claimed = await db(RUNS)
        .where({ name: RUN })
        .where('started_at', '<=', now - restMs)
        .update({ started_at: now });
      return claimed === 1;
    });
  }

  /** When tables of each organization, or of one, were last measured; the shared layer is `null`. */
  async lastMeasured(orgId?: string | null): Promise<ReadonlyMap<string | null, number>> {
    const one = orgId === undefined ? {} : { org_id: ownerOf(orgId) };
    const rows = await this.#db.run<{ org_id: string; at: string | number }[]>((db) =>
      db(FACTS).where(one).select('org_id').max({ at: 'measured_at' }).groupBy('org_id'),
    );
    return new Map(rows.map(({ org_id, at }) => [org_id === '' ? null : org_id, Number(at)]));
  }

  /** When each table was last measured, by its key. */
  async measuredAt(orgId: string | null): Promise<ReadonlyMap<string, number>> {
    const rows: Pick<FactRow, 'table_key' | 'measured_at'>[] = await this.#db.run((db) =>
      db(FACTS)
        .where({ org_id: ownerOf(orgId) })
        .select('table_key', 'measured_at'),
    );
    return new Map(rows.map(({ table_key, measured_at }) => [table_key, Number(measured_at)]));
  }

  async facts(orgId: string | null): Promise<LayerFacts> {
    const rows: Pick<FactRow, 'table_key' | 'facts'>[] = await this.#db.run((db) =>
      db(FACTS)
        .where({ org_id: ownerOf(orgId) })
        .orderBy('table_key')
        .select('table_key', 'facts'),
    );
    return new Map(rows.map(({ table_key, facts }) => [table_key, factsOf(facts)]));
  }

  /** Stores what was measured, and removes the facts of the tables `gone`, in one step. */
  async save(orgId: string | null, measured: LayerFacts, gone: readonly string[], at: number): Promise<void> {
    const rows = Array.from(
      measured,
      ([table_key, facts]): FactRow => ({ org_id: ownerOf(orgId), table_key, facts: textOf(facts), measured_at: at }),
    );
    if (rows.length === 0 && gone.length === 0) return;
    await this.#db.transaction(async (trx) => {
      for (const keys of batches(gone)) {
        await trx(FACTS)
          .where({ org_id: ownerOf(orgId) })
          .whereIn('table_key', keys)
          .delete();
      }
      for (const batch of batches(rows)) await upsert(trx, batch);
    });
  }

  /** Removes all facts of an organization. */
  async removeAll(orgId: string): Promise<void> {
    await this.#db.run((db) => db(FACTS).where({ org_id: orgId }).delete());
  }
}

const upsert = (trx: Knex.Transaction, rows: readonly FactRow[]) =>
  trx(FACTS).insert(rows).onConflict(['org_id', 'table_key']).merge(['facts', 'measured_at']);

function* batches<T>(items: readonly T[]): Generator<T[]> {
  for (let start = 0; start < items.length; start += BATCH) yield items.slice(start, start + BATCH);
}
