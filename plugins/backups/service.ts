/** Makes, verifies, restores and deletes backups: one at a time, on all servers. */
import { randomUUID } from 'node:crypto';
import { AtlasError, type Logger, type Scope } from '../../kernel/index.ts';
import type { SortedPage } from '../admin-kit/index.ts';
import type { Audit } from '../audit/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import type { BackupEngine, BackupRow, Content, TableState } from './api.ts';
import { damaged, isDamage, problemOf } from './errors.ts';
import type { BackupFiles } from './files.ts';
import { OWN_TABLES } from './migrations.ts';
import type { BackupsOptions } from './options.ts';
import type { BACKUP_ORDERS } from './schemas.ts';
import { type Along, type BackupStore, type NewBackup, RENEW_MS } from './store.ts';

const DAY_MS = 86_400_000;

export interface BackupsInit {
  readonly options: BackupsOptions;
  readonly db: InternalDb;
  readonly store: BackupStore;
  readonly files: BackupFiles;
  readonly engine: BackupEngine;
  readonly log: Audit | undefined;
  readonly logger: Logger;
  readonly now: () => number;
  /** Tables of all plugins. */
  readonly tables: () => Promise<readonly string[]>;
}

/** Work that goes on. */
export interface Begun {
  readonly id: string;
  /** Resolves to why it failed, which the record says too. */
  readonly done: Promise<AtlasError | undefined>;
}

const isGood = ({ status }: BackupRow) => status === 'completed' || status === 'verified';

export class Backups {
  readonly #init: BackupsInit;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  constructor(init: BackupsInit) {
    this.#init = init;
  }

  /** `of`: the installation that made them, or `any`; by default this one. */
  async list(page: SortedPage<typeof BACKUP_ORDERS>, of?: string) {
    await this.#settle();
    return this.#init.store.list(page, of);
  }

  /** Rejects with `not_found`. */
  async find(id: string, of?: string): Promise<BackupRow> {
    await this.#settle();
    return this.#init.store.find(id, of);
  }

  /** Rejects with `conflict` while another operation runs, or when there are too many, `configuration_error` without tools. */
  async create(scope: Scope): Promise<Begun> {
    const { store, engine, options } = this.#init;
    await this.tidy();
    await engine.check(this.#stopping.signal);
    const { total } = await store.list({ limit: 1, offset: 0 });
    if (total >= options.maxBackups) {
      throw new AtlasError(`There are ${total} backups already, and at most ${options.maxBackups} may exist.`, {
        code: 'conflict',
        hint: 'Delete some, or keep them for fewer days.',
      });
    }
    const row = await this.#newRow();
    await store.begin(row, true);
    return this.#go(row.id, () => this.#make(row, scope));
  }

  /** Restores it into a scratch database and compares. Rejects as `create` does, and with `not_found`. */
  async verify(id: string, of: string | undefined, scope: Scope): Promise<Begun> {
    await this.#usable(id, of);
    const row = await this.#init.store.hold(id, 'verify');
    return this.#go(id, async () => {
      const { store, engine, now, logger } = this.#init;
      try {
        const content = await this.#soundContent(row);
        const names = content.tables.map(({ name }) => name);
        const states = await engine.inspect(row.storage_path, names, this.#stopping.signal);
        mustBeEqual(content.tables, states);
        const verified_at = new Date(now()).toISOString();
        await store.end(
          id,
          { status: 'verified', verified_at, error_message: null },
          this.#told('backup.verified', row, scope),
        );
      } catch (error) {
        const error_message = `Verification failed: ${problemOf(error)}`;
        // What could not be tried says nothing about the backup.
        if (!isDamage(error)) {
          await store.end(id, { error_message });
          throw error;
        }
        await store.end(id, { status: 'failed', error_message });
        logger.error({ backup: id, error: error_message }, 'A backup cannot be used.');
      }
    });
  }

  /** Replaces all data by those of the backup, after a backup of what is there now. Rejects as `verify` does. */
  async restore(id: string, of: string | undefined, scope: Scope): Promise<Begun> {
    await this.#usable(id, of);
    const row = await this.#init.store.hold(id, 'restore');
    return this.#go(id, async (held) => {
      const { store, engine, db, logger } = this.#init;
      try {
        const content = await this.#soundContent(row);
        await this.#mustKnow(content);
        const before = await this.#newRow();
        await store.begin(before, false);
        held.push(before.id);
        await this.#make(before, scope);
        const list = await store.all();
        const tables = [...new Set([...(await this.#tables()), ...content.tables.map(({ name }) => name)])];
        await engine.restore(row.storage_path, tables, this.#stopping.signal);
        await db.migrate();
        // A copied file has the list of its time, and the installation that it was made by.
        await store.replaceAll(list, before.installation);
        await store.end(id, { error_message: null }, this.#told('backup.restored', row, scope));
        logger.warn({ backup: id }, 'The internal database was restored; restart all servers.');
      } catch (error) {
        await store.end(id, { error_message: `Restoring failed: ${problemOf(error)}` });
        throw error;
      }
    });
  }

  /** Rejects with `not_found`, and with `conflict` while it is in use. */
  async remove(id: string, of: string | undefined, scope: Scope): Promise<void> {
    const { store, files } = this.#init;
    const row = await store.find(id, of);
    await files.prepare();
    await store.remove(id, this.#told('backup.deleted', row, scope));
    await files.remove(row);
  }

  /** Makes one, deletes what has expired. */
  async nightly(scope: Scope): Promise<void> {
    await this.expire(scope);
    try {
      await (await this.create(scope)).done;
    } catch (error) {
      // The one of the last attempt goes on.
      if (!(error instanceof AtlasError) || error.code !== 'conflict') throw error;
    }
    await this.expire(scope);
  }

  /** Begins to keep backups, and says whether there are some that are not its own. */
  async start(): Promise<void> {
    await this.tidy();
    const { store, logger } = this.#init;
    const installation = await store.installation();
    const others = (await store.all()).filter((row) => row.installation !== installation).length;
    if (others === 0) return;
    const message = 'The backup folder also holds backups that this installation is not known to have made.';
    logger.info({ installation, others, list: 'GET /api/v1/platform/backups?installation=any' }, message);
  }

  /** Lists files that the list does not know, and ends what a crash has left. */
  async tidy(): Promise<void> {
    const { store, files } = this.#init;
    await files.prepare();
    const described = await files.described();
    for (const row of await store.endAbandoned(described)) await files.remove(row);
    const known = new Set((await store.all()).map(({ id }) => id));
    for (const row of described) {
      const { installation = null } = row;
      if (!known.has(row.id))
        await store.adopt({ ...row, installation, operation: null, slot: null, lease_until: null });
    }
    await store.forgetOthers(described.map(({ id }) => id));
  }

  /** So that nothing which a crash has left is shown as going on. The list is shown without a folder, too. */
  async #settle(): Promise<void> {
    const { store, logger } = this.#init;
    if (!(await store.hasAbandoned())) return;
    await this.tidy().catch((error: unknown) =>
      logger.warn({ error: problemOf(error) }, 'Backups could not be tidied.'),
    );
  }

  async close(): Promise<void> {
    this.#stopping.abort(new AtlasError('The server stopped.', { code: 'unavailable' }));
    await Promise.allSettled(this.#running);
  }

  /** `held`: the backups that are kept from counting as abandoned meanwhile. */
  #go(id: string, work: (held: string[]) => Promise<void>): Begun {
    const { store, logger } = this.#init;
    const held = [id];
    const renewing = setInterval(() => {
      // What cannot be renewed now is in a moment; a restore holds the database.
      store.renew(held).catch(() => {});
    }, RENEW_MS);
    const done = work(held)
      .then(
        () => undefined,
        (error: unknown) => {
          const problem = problemOf(error);
          logger.error({ backup: id, error: problem }, 'A backup operation failed.');
          const code = error instanceof AtlasError && error.code === 'configuration_error' ? error.code : 'unavailable';
          return new AtlasError(problem, { code, cause: error });
        },
      )
      .finally(() => {
        clearInterval(renewing);
        this.#running.delete(done);
      });
    this.#running.add(done);
    return { id, done };
  }

  async #newRow(): Promise<NewBackup> {
    const { options, store, engine, files, now } = this.#init;
    const id = randomUUID();
    return {
      id,
      created_at: new Date(now()).toISOString(),
      retention_expires_at: new Date(now() + options.retentionDays * DAY_MS).toISOString(),
      storage_path: files.pathOf(id, engine.extension),
      installation: await store.installation(),
    };
  }

  async #make(row: NewBackup, scope: Scope): Promise<void> {
    const { store, files, engine, db } = this.#init;
    const { signal } = this.#stopping;
    const partial = files.partialOf(row.storage_path);
    let isKept = false;
    try {
      const migrations = (await db.migrations()).filter(({ appliedAt }) => appliedAt !== undefined);
      const tables = await engine.dump(partial, await this.#tables(), signal);
      const { checksum, size } = await files.measure(partial, signal);
      const content: Content = {
        dialect: db.dialect,
        tables,
        migrations: migrations.map(({ plugin, name }) => `${plugin}/${name}`),
      };
      const whole = { checksum, size_bytes: size, status: 'completed', content: JSON.stringify(content) } as const;
      const described = { ...row, ...whole, error_message: null, verified_at: null };
      await files.keep({ ...described, operation: null, slot: null, lease_until: null });
      isKept = true;
      await store.end(row.id, whole, this.#told('backup.created', row, scope));
    } catch (error) {
      // A whole file without a database to list it is found again by its description.
      if (!isKept) await files.remove(row);
      await store.end(row.id, { status: 'failed', error_message: problemOf(error) });
      await files.remove(row);
      throw error;
    }
  }

  /** Deletes those whose time is over; the newest good one stays. */
  async expire(scope: Scope): Promise<void> {
    const { store, now } = this.#init;
    const installation = await store.installation();
    const rows = (await store.all()).filter((row) => row.installation === installation);
    const newest = rows.find(isGood);
    const isOver = (row: BackupRow) => row.retention_expires_at < new Date(now()).toISOString();
    for (const row of rows) if (row !== newest && isOver(row)) await this.remove(row.id, installation, scope);
  }

  async #usable(id: string, of: string | undefined): Promise<void> {
    await this.#init.store.find(id, of);
    await this.tidy();
    await this.#init.engine.check(this.#stopping.signal);
  }

  async #tables(): Promise<string[]> {
    const tables = await this.#init.tables();
    return [...new Set([...tables, 'atlas_migrations'])].filter((name) => !OWN_TABLES.includes(name));
  }

  /** What the backup holds, if its file is what was written. */
  async #soundContent(row: BackupRow): Promise<Content> {
    const { checksum } = await this.#init.files.measure(row.storage_path, this.#stopping.signal);
    if (checksum !== row.checksum || row.content === null) {
      throw damaged('the file is not what was written: its checksum differs');
    }
    const content = JSON.parse(row.content) as Content;
    if (content.dialect === this.#init.db.dialect) return content;
    throw new AtlasError(`It is a backup of ${content.dialect}, and the database is ${this.#init.db.dialect}.`, {
      code: 'configuration_error',
      hint: 'Use export and migrate-import to move between the two.',
    });
  }

  async #mustKnow({ migrations }: Content): Promise<void> {
    const known = new Set((await this.#init.db.migrations()).map(({ plugin, name }) => `${plugin}/${name}`));
    const unknown = migrations.filter((name) => !known.has(name));
    if (unknown.length === 0) return;
    throw new AtlasError(
      `The backup was made by a newer version or with more plugins: ${unknown.slice(0, 3).join(', ')}.`,
      {
        code: 'configuration_error',
        hint: 'Restore it with that version and those plugins.',
      },
    );
  }

  #told(action: string, { id, created_at }: Pick<BackupRow, 'id' | 'created_at'>, scope: Scope): Along {
    return async (trx) =>
      this.#init.log?.change({ action, target: { type: 'backup', id, label: `of ${created_at}` } }, scope, trx);
  }
}

function mustBeEqual(expected: readonly TableState[], found: readonly TableState[]): void {
  const byName = new Map(found.map((state) => [state.name, state]));
  for (const { name, rows, digest } of expected) {
    const state = byName.get(name);
    if (state === undefined) throw damaged(`the table ${name} is missing`);
    if (state.rows !== rows) throw damaged(`the table ${name} has ${state.rows} rows instead of ${rows}`);
    if (state.digest !== digest) throw damaged(`rows of the table ${name} differ`);
  }
}
