/** Keeps how the last check of each verified query ended, in the internal database. */
import { createHash } from 'node:crypto';
import type { InternalDb } from '../internal-db/index.ts';
import type { ModelVerifiedQuery } from '../semantic-layer/index.ts';
import { CHECKS } from './migrations.ts';

export type CheckStatus = 'ok' | 'changed' | 'empty' | 'refused' | 'failed' | 'slow' | 'unchecked';

export interface Check {
  readonly status: CheckStatus;
  /** What is wrong, in one sentence. */
  readonly message: string | null;
  /** ISO 8601. */
  readonly checkedAt: string;
}

/** What a query was like when it was first checked. */
export interface Baseline {
  /** Type by `table.column` of what it reads. */
  readonly columns: Readonly<Record<string, string>>;
  readonly result: readonly string[];
  readonly isEmpty: boolean;
}

export interface StoredCheck extends Check {
  readonly baseline: Baseline | undefined;
}

/** The same for the same query; vouching for it again makes it another. */
export const contentOf = ({ file: _, source: __, ...query }: ModelVerifiedQuery) =>
  createHash('sha1').update(JSON.stringify(query)).digest('base64');

export class CheckStore {
  readonly #db: InternalDb;

  constructor(db: InternalDb) {
    this.#db = db;
  }

  /** That of the query as it is now. `orgId`: whose check; `null` is the server's own. */
  async find(orgId: string | null, query: ModelVerifiedQuery): Promise<StoredCheck | undefined> {
    const key = { org_id: orgId ?? '', name: query.name, content: contentOf(query) };
    const row = await this.#db.run((db) => db(CHECKS).where(key).first());
    if (row === undefined) return undefined;
    const { status, message, checked_at, baseline } = row;
    return { status, message, checkedAt: checked_at, baseline: baseline ? JSON.parse(baseline) : undefined };
  }

  async save(orgId: string | null, query: ModelVerifiedQuery, check: StoredCheck): Promise<void> {
    const { status, message, checkedAt, baseline } = check;
    const row = {
      ...{ org_id: orgId ?? '', name: query.name, content: contentOf(query), status, message, checked_at: checkedAt },
      baseline: baseline ? JSON.stringify(baseline) : null,
    };
    await this.#db.run((db) => db(CHECKS).insert(row).onConflict(['org_id', 'name']).merge());
  }

  async removeAll(orgId: string): Promise<void> {
    await this.#db.run((db) => db(CHECKS).where({ org_id: orgId }).delete());
  }
}
