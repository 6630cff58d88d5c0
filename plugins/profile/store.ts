/** Stores measured facts in the internal database, and lets one server at a time measure. */
import type { Knex } from 'knex';
import type { InternalDb } from '../internal-db/index.ts';
import type { LayerFacts, TableFacts } from '../semantic-layer/index.ts';
import { FACTS, RUNS } from './migrations.ts';

interface FactRow {
  readonly org_id: string;
  readonly table_key: string;
  readonly facts: string;
  /** 0: never. */
  readonly measured_at: number;
  readonly tried_at: number;
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

/** The facts of a table that was read and gave nothing, or could not be read yet. */
export const NO_FACTS: TableFacts = { ranges: new Map(), values: new Map() };

/** What a run has found out about the tables of one layer. */
export interface Outcome {
  readonly measured: LayerFacts;
  /** Keys of tables that did not answer: their facts stay, and others come before them the next time. */
  readonly tried: readonly string[];
  /** Keys of tables that are not to be measured any more. */
  readonly gone: readonly string[];
}

/** Rows per statement, within SQLite's limit of parameters. */
const BATCH = 200;
const RUN = 'daily';
const LAYER_RUN = 'layer:';

const ownerOf = (orgId: string | null) => orgId ?? '';
const orgOf = (owner: string) => (owner === '' ? null : owner);

export class FactStore {
  readonly #db: InternalDb;

  constructor(db: InternalDb) {
    this.#db = db;
  }

  /** Whether the caller is to measure now: no server has begun to within the last `restMs`. */
  claim(now: number, restMs: number): Promise<boolean> {
    return this.#db.run(async (db) => {
      await db(RUNS).insert({ name: RUN, started_at: 0 }).onConflict('name').ignore();
      // What a clock that was wrong has written is not waited for.
      const claimed = await db(RUNS)
        .where({ name: RUN })
        .whereNotBetween('started_at', [now - restMs + 1, now + restMs])
        .update({ started_at: now });
      return claimed === 1;
    });
  }

  /** Records that the tables of a layer are being measured, before anything is asked of them. */
  async begin(orgId: string | null, at: number): Promise<void> {
    const row = { name: LAYER_RUN + ownerOf(orgId), started_at: at };
    await this.#db.run((db) => db(RUNS).insert(row).onConflict('name').merge());
  }

  /** When the layers were begun, by organization; the shared layer is `null`. */
  async begun(): Promise<ReadonlyMap<string | null, number>> {
    const rows = await this.#db.run<{ name: string; started_at: string | number }[]>((db) =>
      db(RUNS).whereNot('name', RUN).select('name', 'started_at'),
    );
    return new Map(rows.map(({ name, started_at }) => [orgOf(name.slice(LAYER_RUN.length)), Number(started_at)]));
  }

  /** When each table was last tried, by its key. */
  async tried(orgId: string | null): Promise<ReadonlyMap<string, number>> {
    const rows: Pick<FactRow, 'table_key' | 'tried_at'>[] = await this.#db.run((db) =>
      db(FACTS)
        .where({ org_id: ownerOf(orgId) })
        .select('table_key', 'tried_at'),
    );
    return new Map(rows.map(({ table_key, tried_at }) => [table_key, Number(tried_at)]));
  }

  /** A text for each organization, or for one, that is another when its facts since `since` have changed. */
  async versions(since: number, orgId?: string | null): Promise<ReadonlyMap<string | null, string>> {
    const one = orgId === undefined ? {} : { org_id: ownerOf(orgId) };
    const rows = await this.#db.run<{ org_id: string; at: string | number; tables: string | number }[]>((db) =>
      db(FACTS)
        .where(one)
        .where('measured_at', '>', since)
        .select('org_id')
        .max({ at: 'measured_at' })
        .count({ tables: '*' })
        .groupBy('org_id'),
    );
    return new Map(rows.map(({ org_id, at, tables }) => [orgOf(org_id), `${at} ${tables}`]));
  }

  /** Those measured since `since`. */
  async facts(orgId: string | null, since: number): Promise<LayerFacts> {
    const rows: Pick<FactRow, 'table_key' | 'facts'>[] = await this.#db.run((db) =>
      db(FACTS)
        .where({ org_id: ownerOf(orgId) })
        .where('measured_at', '>', since)
        .orderBy('table_key')
        .select('table_key', 'facts'),
    );
    return new Map(rows.map(({ table_key, facts }) => [table_key, factsOf(facts)]));
  }

  /** Stores the outcome in one step. */
  async save(orgId: string | null, { measured, tried, gone }: Outcome, at: number): Promise<void> {
    const row = (table_key: string, facts: TableFacts, measured_at: number): FactRow => ({
      ...{ org_id: ownerOf(orgId), table_key, facts: textOf(facts), measured_at, tried_at: at },
    });
    const known = Array.from(measured, ([key, facts]) => row(key, facts, at));
    const unknown = tried.map((key) => row(key, NO_FACTS, 0));
    if (known.length + unknown.length + gone.length === 0) return;
    await this.#db.transaction(async (trx) => {
      for (const keys of batches(gone)) {
        await trx(FACTS)
          .where({ org_id: ownerOf(orgId) })
          .whereIn('table_key', keys)
          .delete();
      }
      for (const batch of batches(known)) await upsert(trx, batch, ['facts', 'measured_at', 'tried_at']);
      for (const batch of batches(unknown)) await upsert(trx, batch, ['tried_at']);
    });
  }

  /** Removes all facts of an organization. */
  async removeAll(orgId: string): Promise<void> {
    await this.#db.transaction(async (trx) => {
      await trx(FACTS).where({ org_id: orgId }).delete();
      await trx(RUNS)
        .where({ name: LAYER_RUN + orgId })
        .delete();
    });
  }

  /** Removes what is stored of all organizations but these. */
  async removeOthers(orgIds: ReadonlySet<string | null>): Promise<void> {
    const owners: string[] = await this.#db.run((db) => db(FACTS).distinct().pluck('org_id'));
    for (const orgId of new Set([...owners.map(orgOf), ...(await this.begun()).keys()]))
      if (orgId !== null && !orgIds.has(orgId)) await this.removeAll(orgId);
  }
}

const upsert = (trx: Knex.Transaction, rows: readonly FactRow[], columns: readonly (keyof FactRow)[]) =>
  trx(FACTS).insert(rows).onConflict(['org_id', 'table_key']).merge(columns);

function* batches<T>(items: readonly T[]): Generator<T[]> {
  for (let start = 0; start < items.length; start += BATCH) yield items.slice(start, start + BATCH);
}
