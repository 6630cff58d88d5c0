/** Keeps the files of backups: private, each with a description beside it, and found again by it. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, constants, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { AtlasError } from '../../kernel/index.ts';
import type { BackupRow } from './api.ts';
import { problemOf } from './errors.ts';

const PARTIAL = '.partial';
const DESCRIPTION = '.json';
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What stands beside a file: enough to list it where the database is lost. */
type Described = Omit<BackupRow, 'operation' | 'slot' | 'lease_until'>;

export class BackupFiles {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = resolve(dir);
  }

  /** Makes the folder. Rejects with `unavailable` when it cannot be used. */
  async prepare(): Promise<void> {
    try {
      await mkdir(this.#dir, { recursive: true, mode: 0o700 });
      await access(this.#dir, constants.W_OK);
    } catch (error) {
      throw new AtlasError(problemOf(error), {
        code: 'unavailable',
        hint: 'Give the server a folder that it may write (SVC_BACKUP_DIR).',
        cause: error,
      });
    }
  }

  pathOf(id: string, extension: string): string {
    return join(this.#dir, `${id}${extension}`);
  }

  /** Where a file is written until it is whole. */
  partialOf(path: string): string {
    return path + PARTIAL;
  }

  /** Moves a whole file to its place, durably, and describes it. */
  async keep(row: BackupRow): Promise<void> {
    const path = row.storage_path;
    await rename(this.partialOf(path), path);
    const { operation: _o, slot: _s, lease_until: _l, ...described } = row;
    await writeFile(this.#described(row.id), `${JSON.stringify(described satisfies Described, null, 2)}\n`, {
      mode: 0o600,
      flush: true,
    });
    const dir = await open(this.#dir);
    await dir.sync().finally(() => dir.close());
  }

  async remove({ id, storage_path }: Pick<BackupRow, 'id' | 'storage_path'>): Promise<void> {
    const partial = this.partialOf(storage_path);
    for (const path of [storage_path, partial, `${partial}-journal`, `${storage_path}.scratch`, this.#described(id)])
      await rm(path, { force: true });
  }

  /** SHA-256 and size. Rejects with `conflict` when this server does not see the file. */
  async measure(path: string, signal: AbortSignal): Promise<{ checksum: string; size: number }> {
    const info = await stat(path).catch(() => undefined);
    if (info === undefined) {
      throw new AtlasError('The file of this backup is not on this server.', {
        code: 'conflict',
        hint: 'Ask the server that made it, or give all servers the same folder (SVC_BACKUP_DIR).',
      });
    }
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(path, { signal })) hash.update(chunk);
    return { checksum: hash.digest('hex'), size: info.size };
  }

  /** Every described backup of the folder. */
  async described(): Promise<Described[]> {
    const found: Described[] = [];
    for (const name of await readdir(this.#dir)) {
      const id = name.slice(0, -DESCRIPTION.length);
      if (!name.endsWith(DESCRIPTION) || !ID.test(id)) continue;
      const row = await readFile(join(this.#dir, name), 'utf8')
        .then(JSON.parse)
        .catch(() => undefined);
      // The folder may have been moved.
      const path =
        typeof row?.storage_path === 'string' ? this.pathOf(id, row.storage_path.replace(/^.*(\.\w+)$/, '$1')) : '';
      const isThere = path !== '' && (await stat(path).catch(() => undefined)) !== undefined;
      if (row?.id === id && isThere) found.push({ ...row, storage_path: path });
    }
    return found;
  }

  #described(id: string): string {
    return join(this.#dir, id + DESCRIPTION);
  }
}
