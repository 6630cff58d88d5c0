/** Keeps what the files of the semantic layer were before each change. */
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { AtlasError, Type } from '../../kernel/index.ts';
import { columnsOf, type RowOf, readPage, type SortedPage, shownBy } from '../admin-kit/index.ts';
import { type InternalDb, lockName } from '../internal-db/index.ts';
import { VERSIONS } from './migrations.ts';
import type { AdminSemanticOptions } from './options.ts';
import { FileVersion, VERSION_ORDERS } from './schemas.ts';
import { versionOf } from './version-name.ts';

export type ChangeKind = 'updated' | 'deleted' | 'imported' | 'restored' | 'interrupted';

/** What a change replaced. */
export interface Replaced {
  readonly path: string;
  readonly before: Buffer;
}

/** Who replaced it, when and by what. */
export interface Replacement {
  readonly orgId: string | null;
  readonly kind: ChangeKind;
  /** ISO 8601. */
  readonly at: string;
  readonly userId: string | null;
  readonly userLabel: string | null;
}

type VersionRow = Omit<RowOf<FileVersion>, 'file'> & { readonly path: string };

const OfColumns = Type.Omit(FileVersion, ['file']);
const COLUMNS = ['path', ...columnsOf(OfColumns)];
/** Versions of all files of one organization. */
const MAX_VERSIONS = 10_000;
/** Rows of one statement, within SQLite's limit of parameters. */
const BATCH = 50;

const shownColumns = shownBy(OfColumns);
const shown = (row: VersionRow): FileVersion => ({ ...shownColumns(row), file: row.path });

/** PostgreSQL has no NUL in its texts, and no file that can be used has one. */
const textOf = (bytes: Buffer) => bytes.toString('utf8').replaceAll('\0', '\u{fffd}');

export class VersionStore {
  readonly #db: InternalDb;
  readonly #options: AdminSemanticOptions;

  constructor(db: InternalDb, options: AdminSemanticOptions) {
    this.#db = db;
    this.#options = options;
  }

  /** Lists the versions of one file, or of all, by default the latest first. */
  async list(orgId: string | null, path: string | undefined, request: SortedPage<typeof VERSION_ORDERS>) {
    const wanted = { org_id: orgId ?? '', ...(path !== undefined && { path }) };
    const { rows, total } = await this.#db.run((db) =>
      readPage<VersionRow>(
        { matching: () => db(VERSIONS).where(wanted), order: VERSION_ORDERS.order(request.sort), columns: COLUMNS },
        request,
      ),
    );
    return { versions: rows.map(shown), total };
  }

  /** Rejects with `not_found` for one of another organization, too. */
  async find(orgId: string | null, id: string): Promise<FileVersion & { readonly content: string }> {
    const row = await this.#db.run((db) =>
      db(VERSIONS)
        .where({ org_id: orgId ?? '', id: id.toLowerCase() })
        .first<(VersionRow & { readonly content: string }) | undefined>([...COLUMNS, 'content']),
    );
    if (row !== undefined) return { ...shown(row), content: row.content };
    throw new AtlasError('There is no such version of a file.', {
      code: 'not_found',
      hint: 'GET /api/v1/admin/semantic/versions lists them; old ones are deleted.',
    });
  }

  /** Makes others wait that change the layer of the organization, until the transaction ends. */
  lock(orgId: string | null, trx: Knex.Transaction): Promise<void> {
    return lockName(trx, `${VERSIONS} ${orgId ?? ''}`);
  }

  /** Those that are not the newest version of their file. Needs the lock. */
  async unknown(orgId: string | null, replaced: readonly Replaced[], trx: Knex.Transaction): Promise<Replaced[]> {
    const found: Replaced[] = [];
    for (const file of replaced) {
      const newest = await trx(VERSIONS)
        .where({ org_id: orgId ?? '', path: file.path })
        .orderBy('number', 'desc')
        .first<{ version: string } | undefined>('version');
      if (newest?.version !== versionOf(file.before)) found.push(file);
    }
    return found;
  }

  /** Adds what was replaced, and deletes what is too much. Needs the lock. */
  async add(replaced: readonly Replaced[], by: Replacement, trx: Knex.Transaction): Promise<void> {
    const org_id = by.orgId ?? '';
    for (let at = 0; at < replaced.length; at += BATCH) {
      const batch = replaced.slice(at, at + BATCH);
      const paths = batch.map(({ path }) => path);
      const last: { path: string; number: number }[] = await trx(VERSIONS)
        .where({ org_id })
        .whereIn('path', paths)
        .groupBy('path')
        .select('path')
        .max({ number: 'number' });
      const numbers = new Map(last.map(({ path, number }) => [path, number]));
      await trx(VERSIONS).insert(
        batch.map(({ path, before }) => ({
          ...{ id: randomUUID(), org_id, path, number: (numbers.get(path) ?? 0) + 1 },
          ...{ version: versionOf(before), bytes: before.length, change: by.kind, content: textOf(before) },
          ...{ replaced_at: by.at, replaced_by: by.userId, replaced_by_label: by.userLabel },
        })),
      );
    }
    if (replaced.length > 0) await this.#prune(org_id, trx);
  }

  async #prune(orgId: string, trx: Knex.Transaction): Promise<void> {
    const newest = 'ORDER BY replaced_at DESC, number DESC, id DESC';
    await trx.raw(
      `DELETE FROM ${VERSIONS} WHERE id IN (SELECT id FROM (
        SELECT id, row_number() OVER (PARTITION BY path ORDER BY number DESC) AS of_file,
          row_number() OVER (${newest}) AS of_all, sum(bytes) OVER (${newest}) AS bytes
        FROM ${VERSIONS} WHERE org_id = ?
      ) AS counted WHERE of_file > ? OR of_all > ? OR bytes > ?)`,
      [orgId, this.#options.keptVersions, MAX_VERSIONS, this.#options.keptVersionBytes],
    );
  }
}
