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

const hashOf = (value: unknown) => createHash('sha1').update(JSON.stringify(value)).digest('base64');
/** Who vouches, and for what; of a query for which nobody does, what it is. */
function contentOf({ file: _, source: __, onboarding: ___, verifiedBy, verifiedAt, ...query }: ModelVerifiedQuery) {
  // In another order it is the same.
  const what = hashOf(Object.entries(query).toSorted());
  return [verifiedBy === undefined ? what : hashOf([verifiedBy, verifiedAt]), what] as const;
}

export class CheckStore {
  readonly #db: InternalDb;

  constructor(db: InternalDb) {
    this.#db = db;
  }

  /**
   * Since somebody last vouched for the query, or of one for which nobody does, as it is now. `orgId`: whose check; `null`
   * is the server's own.
   */
  async find(orgId: string | null, query: ModelVerifiedQuery): Promise<StoredCheck | undefined> {
    const key = { org_id: orgId ?? '', name: query.name };
    const row = await this.#db.run((db) => db(CHECKS).where(key).first());
    const [by, what] = contentOf(query);
    const [vouchedBy, vouchedFor] = String(row?.content).split(' ');
    if (row === undefined || vouchedBy !== by) return undefined;
    const { status, message, checked_at: checkedAt, baseline } = row;
    const found = { status, message, checkedAt, baseline: baseline ? JSON.parse(baseline) : undefined };
    return vouchedFor === what
      ? found
      : { ...found, status: 'changed', message: `It was edited after ${query.verifiedBy} vouched for it.` };
  }

  async save(orgId: string | null, query: ModelVerifiedQuery, check: StoredCheck): Promise<void> {
    const { status, message, checkedAt, baseline } = check;
    const content = contentOf(query).join(' ');
    const row = {
      ...{ org_id: orgId ?? '', name: query.name, content, status, message, checked_at: checkedAt },
      baseline: baseline ? JSON.stringify(baseline) : null,
    };
    await this.#db.run((db) => db(CHECKS).insert(row).onConflict(['org_id', 'name']).merge());
  }

  async removeAll(orgId: string): Promise<void> {
    await this.#db.run((db) => db(CHECKS).where({ org_id: orgId }).delete());
  }
}
