/** Reads and writes the list of exports, each user's own. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { AtlasError, type Scope } from '../../kernel/index.ts';
import { type InternalDb, lockName } from '../internal-db/index.ts';
import { EXPORTS } from './migrations.ts';
import type { ExportsOptions } from './options.ts';

export type Format = 'parquet' | 'csv';
export type Status = 'waiting' | 'running' | 'finished' | 'failed';

export interface ExportRow {
  readonly id: string;
  /** Empty: of no organization. */
  readonly org_id: string;
  /** Empty: of no user. */
  readonly user_id: string;
  readonly auth_mode: string;
  readonly presented: string | null;
  readonly format: Format;
  readonly sql: string;
  readonly connection_id: string;
  readonly conversation_id: string | null;
  readonly is_own_sql: boolean;
  readonly status: Status;
  readonly row_count: number;
  readonly size_bytes: number;
  readonly error: string | null;
  readonly run: string | null;
  readonly file: string | null;
  readonly policy: string | null;
  readonly link_key: string;
  readonly created_at: string | Date;
  readonly ended_at: string | Date | null;
  readonly expires_at: string | Date;
}

export type NewExport = Pick<
  ExportRow,
  'auth_mode' | 'presented' | 'format' | 'sql' | 'connection_id' | 'conversation_id' | 'is_own_sql'
>;

const MAX_LISTED = 200;
const DELETION_BATCH = 200;

export class ExportStore {
  readonly #db: InternalDb;
  readonly #options: Pick<ExportsOptions, 'perUser' | 'perOrganization' | 'retentionDays'>;
  readonly #now: () => number;

  constructor(db: InternalDb, options: ExportsOptions, now: () => number) {
    this.#db = db;
    this.#options = options;
    this.#now = now;
  }

  /** `along` is called in the transaction. Rejects with `conflict` at the bounds of the user and of the organization. */
  add(given: NewExport, scope: Scope, along: (id: string, trx: Knex.Transaction) => Promise<void>): Promise<ExportRow> {
    const owner = ownerOf(scope);
    const { perUser, perOrganization, retentionDays } = this.#options;
    const row: ExportRow = {
      id: randomUUID(),
      ...owner,
      ...given,
      status: 'waiting',
      row_count: 0,
      size_bytes: 0,
      error: null,
      run: null,
      file: null,
      policy: null,
      link_key: randomBytes(32).toString('hex'),
      created_at: this.#time(),
      ended_at: null,
      expires_at: this.#time(retentionDays * 86_400_000),
    };
    return this.#db.transaction(async (trx) => {
      await lockName(trx, `${EXPORTS} ${owner.org_id}`);
      const countOf = async (of: Partial<ExportRow>) => {
        const open = trx(EXPORTS).where(of).whereIn('status', ['waiting', 'running']);
        return Number((await open.count({ count: '*' }).first())?.count);
      };
      if ((await countOf(owner)) >= perUser) throw tooMany(`${perUser} exports of yours wait or run`);
      if ((await countOf({ org_id: owner.org_id })) >= perOrganization)
        throw tooMany(`${perOrganization} exports of your organization wait or run`);
      await trx(EXPORTS).insert(row);
      await along(row.id, trx);
      return row;
    });
  }

  /** One of the actor's own. Rejects with `not_found` for any other. */
  async find(id: string, scope: Scope): Promise<ExportRow> {
    const row = await this.#db.run((db) =>
      db<ExportRow>(EXPORTS)
        .where({ id, ...ownerOf(scope) })
        .first(),
    );
    return row ?? Promise.reject(notFound());
  }

  /** The actor's own, newest first. */
  list(scope: Scope): Promise<ExportRow[]> {
    return this.#db.run((db) =>
      db<ExportRow>(EXPORTS).where(ownerOf(scope)).orderBy('created_at', 'desc').orderBy('id').limit(MAX_LISTED),
    );
  }

  /** Gives the export to a run; `undefined` when it has ended or is deleted. A run that had it before may write no more. */
  async begin(id: string, run: string): Promise<ExportRow | undefined> {
    const set = { status: 'running', run, row_count: 0, size_bytes: 0 } as const;
    const open = (db: Knex) => db<ExportRow>(EXPORTS).where({ id }).whereIn('status', ['waiting', 'running']);
    const [row] = await this.#db.run((db) => open(db).update(set).returning('*'));
    return row as ExportRow | undefined;
  }

  /** False: the run does not have the export any more. */
  async update(id: string, run: string, set: Partial<ExportRow>): Promise<boolean> {
    return (await this.#db.run((db) => db<ExportRow>(EXPORTS).where({ id, run, status: 'running' }).update(set))) > 0;
  }

  end(id: string, run: string, set: Partial<ExportRow>): Promise<boolean> {
    return this.update(id, run, { ...set, ended_at: this.#time() });
  }

  /** Deletes one of the actor's own. Rejects with `not_found` for any other. */
  async remove(id: string, scope: Scope): Promise<ExportRow> {
    return this.#db.transaction(async (trx) => {
      const own = () => trx<ExportRow>(EXPORTS).where({ id, ...ownerOf(scope) });
      const row = await own().forUpdate().first();
      if (row === undefined) throw notFound();
      await own().delete();
      return row;
    });
  }

  /** Deletes up to some hundred of those that match, once `along` has dealt with them. False when there are no more. */
  async removeSome(matching: (rows: Knex.QueryBuilder) => unknown, along: (row: ExportRow) => Promise<void>) {
    const rows: ExportRow[] = await this.#db.run((db) => {
      const query = db<ExportRow>(EXPORTS).limit(DELETION_BATCH);
      matching(query);
      return query;
    });
    for (const row of rows) await along(row);
    const ids = rows.map(({ id }) => id);
    if (ids.length > 0) await this.#db.run((db) => db(EXPORTS).whereIn('id', ids).delete());
    return ids.length === DELETION_BATCH;
  }

  /** Ends those that no server has ended in `afterMs`, so that they count no more. */
  async endAbandoned(afterMs: number): Promise<void> {
    const error = 'The servers that ran it stopped; export again.';
    await this.#db.run((db) =>
      db<ExportRow>(EXPORTS)
        .whereIn('status', ['waiting', 'running'])
        .where('created_at', '<', this.#time(-afterMs))
        .update({ status: 'failed', error, ended_at: this.#time() }),
    );
  }

  #time(laterMs = 0): string {
    return new Date(this.#now() + laterMs).toISOString();
  }
}

const ownerOf = ({ actor, orgId }: Scope) => ({ org_id: orgId ?? '', user_id: actor.id ?? '' });

export const notFound = () =>
  new AtlasError('There is no such export.', {
    code: 'not_found',
    hint: 'It may have been deleted, or have expired; export again.',
  });

const tooMany = (what: string) =>
  new AtlasError(`No further export can begin: ${what}.`, {
    code: 'conflict',
    reason: 'E_EXPORT_LIMIT',
    hint: 'Wait until one has ended, or delete one.',
  });
