/** Reads and writes stored connections in the internal database. */
import type { Knex } from 'knex';
import type { InternalDb } from '../internal-db/index.ts';
import { changedMeanwhile, taken, tooMany } from './errors.ts';
import { CONNECTIONS } from './migrations.ts';

export interface ConnectionRow {
  /** Unique in the database; a deleted connection's is never used again. */
  readonly id: string;
  readonly org_id: string | null;
  /** The connection's id within its organization. */
  readonly name: string;
  readonly db_type: string;
  /** Encrypted. */
  readonly url: string;
  readonly masked_url: string;
  readonly description: string | null;
  /** The schema that was asked for besides that of the URL. */
  readonly given_schema: string | null;
  /** The schema that holds. */
  readonly schema: string | null;
  /** Counts the changes. */
  readonly revision: number;
  readonly created_by: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** What is done in the transaction of a change, such as its row of the audit log. */
export type Along = (trx: Knex.Transaction) => PromiseLike<unknown>;

const isTaken = (error: unknown) =>
  /^23505$|^SQLITE_CONSTRAINT_UNIQUE$/.test(String((error as { code?: unknown }).code));

export const purposeOf = ({ org_id, id }: Pick<ConnectionRow, 'org_id' | 'id'>) =>
  `${CONNECTIONS}.url:${org_id ?? ''}:${id}`;

const ofOrganization = (orgId: string | null) => (query: Knex.QueryBuilder) =>
  orgId === null ? query.whereNull('org_id') : query.where({ org_id: orgId });

export class ConnectionStore {
  readonly #db: InternalDb;
  readonly #limits: { readonly perOrganization: number; readonly inAll: number };

  constructor(db: InternalDb, limits: { readonly perOrganization: number; readonly inAll: number }) {
    this.#db = db;
    this.#limits = limits;
  }

  /** Those of an organization; of none for `null`. The oldest first. */
  list(orgId: string | null): Promise<ConnectionRow[]> {
    return this.#db.run((db) =>
      db(CONNECTIONS)
        .where(ofOrganization(orgId))
        .orderBy([{ column: 'created_at' }, { column: 'id' }])
        .limit(this.#limits.perOrganization),
    );
  }

  /** Organizations with a connection. */
  owners(): Promise<string[]> {
    return this.#db.run((db) => db(CONNECTIONS).whereNotNull('org_id').distinct().pluck('org_id'));
  }

  find(orgId: string | null, name: string): Promise<ConnectionRow | undefined> {
    return this.#db.run((db) => db(CONNECTIONS).where({ name }).where(ofOrganization(orgId)).first());
  }

  /** Rejects with `conflict` when the name is taken, or there are too many. */
  async create(row: ConnectionRow, along: Along): Promise<void> {
    const write = this.#db.transaction(async (trx) => {
      if (this.#db.dialect === 'postgres') await trx.raw(`lock table ${CONNECTIONS} in share row exclusive mode`);
      await this.#checkRoom(trx, row.org_id);
      await trx(CONNECTIONS).insert(row);
      await along(trx);
    });
    await write.catch((error: unknown) => {
      throw isTaken(error) ? taken(row.name) : error;
    });
  }

  /** Rejects with `conflict` unless it still is the revision that `before` is. */
  async update(before: ConnectionRow, after: ConnectionRow, along: Along): Promise<void> {
    await this.#db.transaction(async (trx) => {
      const { id, revision } = before;
      const changed = await trx(CONNECTIONS).where({ id, revision }).update(after);
      if (changed === 0) throw changedMeanwhile(before.name);
      await along(trx);
    });
  }

  /** `false`: it was not there any more. */
  remove({ id }: ConnectionRow, along: Along): Promise<boolean> {
    return this.#db.transaction(async (trx) => {
      const removed = await trx(CONNECTIONS).where({ id }).delete();
      if (removed > 0) await along(trx);
      return removed > 0;
    });
  }

  async #checkRoom(trx: Knex.Transaction, orgId: string | null): Promise<void> {
    const { perOrganization, inAll } = this.#limits;
    const total = async (query: Knex.QueryBuilder) => Number((await query.count({ total: '*' }).first())?.total ?? 0);
    const own = await total(trx(CONNECTIONS).where(ofOrganization(orgId)));
    if (own >= perOrganization) throw tooMany(perOrganization, orgId === null ? 'here' : 'in this organization');
    if ((await total(trx(CONNECTIONS))) >= inAll) throw tooMany(inAll, 'on this server');
  }
}
