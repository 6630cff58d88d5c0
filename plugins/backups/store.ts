/** Stores the list of backups, and lets one operation at a time hold it, on all servers. */
import type { Knex } from 'knex';
import { AtlasError } from '../../kernel/index.ts';
import { readPage, type SortedPage, sorted } from '../admin-kit/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import type { BackupRow, Operation } from './api.ts';
import { BACKUPS_TABLE, INSTALLATION_TABLE } from './migrations.ts';
import { BACKUP_ORDERS } from './schemas.ts';

/** Silence after which the server that works on a backup counts as gone. */
const LEASE_MS = 60_000;
/** In place of the id of an installation. */
export const ANY = 'any';
export const RENEW_MS = 10_000;

/** What is known of a backup whose file is complete. */
export type WholeBackup = Pick<BackupRow, 'id' | 'status' | 'size_bytes' | 'checksum' | 'content'>;

export type NewBackup = Pick<BackupRow, 'id' | 'created_at' | 'storage_path' | 'retention_expires_at'> & {
  readonly installation: string;
};

/** Writes what else belongs into the transaction: the entry of the admin audit. */
export type Along = (trx: Knex.Transaction) => Promise<void>;

export class BackupStore {
  readonly #db: InternalDb;
  readonly #now: () => number;

  constructor(db: InternalDb, now: () => number) {
    this.#db = db;
    this.#now = now;
  }

  /** The id of this installation. */
  async installation(): Promise<string> {
    return (await this.#db.run((db) => db(INSTALLATION_TABLE).first('id'))).id;
  }

  /** Those of this installation, of another, or with `any` all; by default newest first. */
  async list(page: SortedPage<typeof BACKUP_ORDERS>, of?: string): Promise<{ rows: BackupRow[]; total: number }> {
    const order = BACKUP_ORDERS.order(page.sort);
    const installation = of ?? (await this.installation());
    return this.#db.run((db) => {
      const matching = () => db(BACKUPS_TABLE).where(installation === ANY ? {} : { installation });
      return readPage<BackupRow>({ matching, order }, page);
    });
  }

  /** Those of all installations, newest first. */
  all(): Promise<BackupRow[]> {
    return this.#db.run((db) => sorted(db(BACKUPS_TABLE), BACKUP_ORDERS.order()));
  }

  /** Rejects with `not_found`, also where it is not of this installation, or of the one that is named. */
  async find(id: string, of?: string): Promise<BackupRow> {
    const row = await this.#db.run((db) => db<BackupRow>(BACKUPS_TABLE).where({ id }).first());
    if (row === undefined) throw new AtlasError('There is no such backup.', { code: 'not_found' });
    if (of === ANY || row.installation === (of ?? (await this.installation()))) return row;
    const { installation } = row;
    throw new AtlasError(
      installation === null
        ? 'This backup is of a version that did not record which installation made it.'
        : `This backup was made by the installation ${installation}.`,
      { code: 'not_found', hint: `To use it all the same, add ?installation=${installation ?? ANY} to the path.` },
    );
  }

  /** Adds a backup that is being made; with `holds` it is the one operation. Rejects with `conflict` when there is one. */
  async begin(row: NewBackup, holds: boolean) {
    const taken = { operation: 'create', slot: holds ? 1 : null, lease_until: this.#lease() };
    await this.#exclusive(() =>
      this.#db.run((db) => db(BACKUPS_TABLE).insert({ ...row, ...taken, status: 'in_progress', size_bytes: 0 })),
    );
  }

  /** Adds a backup whose file is there and of which the list knows nothing. */
  async adopt(row: BackupRow): Promise<void> {
    await this.#db.run((db) => db(BACKUPS_TABLE).insert(row).onConflict('id').ignore());
  }

  /** Takes those of other installations off the list whose files these have deleted. */
  async forgetOthers(there: readonly string[]): Promise<void> {
    const installation = await this.installation();
    await this.#db.run((db) =>
      db(BACKUPS_TABLE).whereNot({ installation }).whereNull('operation').whereNotIn('id', there).delete(),
    );
  }

  /** Holds a finished backup for an operation. Rejects with `conflict` when there is one, or it cannot be used. */
  async hold(id: string, operation: Operation): Promise<BackupRow> {
    const taken = { operation, slot: 1, lease_until: this.#lease() };
    const [held]: BackupRow[] = await this.#exclusive(() =>
      this.#db.run((db) =>
        db(BACKUPS_TABLE)
          .where({ id })
          .whereNull('operation')
          .whereIn('status', ['completed', 'verified'])
          .update(taken)
          .returning('*'),
      ),
    );
    if (held !== undefined) return held;
    const { status, error_message: why } = await this.find(id, ANY);
    throw new AtlasError(status === 'failed' ? `This backup failed: ${why}` : 'This backup is in use.', {
      code: 'conflict',
      hint: status === 'failed' ? 'Take another one.' : 'Try again when that has ended.',
    });
  }

  /** Ends the operation. */
  async end(id: string, set: Partial<BackupRow>, along?: Along): Promise<void> {
    await this.#db.transaction(async (trx) => {
      await trx(BACKUPS_TABLE)
        .where({ id })
        .update({ ...set, operation: null, slot: null, lease_until: null });
      await along?.(trx);
    });
  }

  async renew(ids: readonly string[]): Promise<void> {
    await this.#db.run((db) =>
      db(BACKUPS_TABLE).whereIn('id', ids).whereNotNull('operation').update({ lease_until: this.#lease() }),
    );
  }

  /** Whether a server that is gone has begun something. */
  async hasAbandoned(): Promise<boolean> {
    return (await this.#db.run((db) => this.#abandoned(db).first('id'))) !== undefined;
  }

  /** Ends what servers that are gone have begun. Resolves to the backups that they were making, but those in `whole`. */
  async endAbandoned(whole: readonly WholeBackup[]): Promise<BackupRow[]> {
    const free = { operation: null, slot: null, lease_until: null };
    return this.#db.transaction(async (trx) => {
      const begun: BackupRow[] = await this.#abandoned(trx).where({ status: 'in_progress' }).forUpdate();
      const lost: BackupRow[] = [];
      for (const row of begun) {
        const found = whole.find(({ id }) => id === row.id);
        if (found === undefined) lost.push(row);
        const { status, size_bytes, checksum, content } = found ?? { ...row, status: 'failed' };
        const error_message = found === undefined ? 'The server that made this backup stopped meanwhile.' : null;
        await trx(BACKUPS_TABLE).where({ id: row.id }).update({ status, size_bytes, checksum, content, error_message });
      }
      await this.#abandoned(trx).update(free);
      return lost;
    });
  }

  /** Deletes it. Rejects with `conflict` while it is in use. */
  async remove(id: string, along?: Along): Promise<void> {
    const removed = await this.#db.transaction(async (trx) => {
      const count = await trx(BACKUPS_TABLE).where({ id }).whereNull('operation').delete();
      if (count > 0) await along?.(trx);
      return count;
    });
    if (removed > 0) return;
    await this.find(id, ANY);
    throw new AtlasError('This backup is in use.', { code: 'conflict', hint: 'Try again when that has ended.' });
  }

  /** Makes list and installation what they were before the database was replaced. */
  async replaceAll(rows: readonly BackupRow[], installation: string): Promise<void> {
    await this.#db.transaction(async (trx) => {
      await trx(INSTALLATION_TABLE).update({ id: installation });
      await trx(BACKUPS_TABLE).delete();
      await trx.batchInsert(BACKUPS_TABLE, [...rows], 50);
    });
  }

  #abandoned(db: Knex): Knex.QueryBuilder {
    return db(BACKUPS_TABLE).where('lease_until', '<', new Date(this.#now()).toISOString());
  }

  #lease(): string {
    return new Date(this.#now() + LEASE_MS).toISOString();
  }

  async #exclusive<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const { code = '' } = error as { code?: string };
      if (code !== '23505' && !code.startsWith('SQLITE_CONSTRAINT')) throw error;
      throw new AtlasError('Another backup is being made, verified or restored.', {
        code: 'conflict',
        hint: 'Try again when it has ended.',
      });
    }
  }
}
