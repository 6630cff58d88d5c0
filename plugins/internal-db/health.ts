/** Reports whether the internal database answers, and after a failure whether it takes writes. */
import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type HealthItem, messageOf, withTimeout } from '../../kernel/index.ts';
import type { Database } from './database.ts';
import { unavailable } from './errors.ts';
import type { DatabaseTarget } from './url.ts';

const PROBE_MS = 2_000;

/** About what a question writes: less may still fit where that does not. */
const WRITTEN_BYTES = 65_536;

/** Writes and deletes some pages, in a table that is not there in between. Rejects with `unavailable` where that fails. */
async function write(database: Database): Promise<void> {
  const table = `atlas_write_probe_${randomBytes(4).toString('hex')}`;
  await database.transaction(async (trx) => {
    await trx.schema.createTable(table, (columns) => columns.text('content'));
    await trx(table).insert({ content: randomBytes(WRITTEN_BYTES / 2).toString('hex') });
  });
  await database.run(async (db) => db.schema.dropTable(table));
}

/**
 * One question at a time: while one hangs, the next report waits for the same. It writes only while the database is in
 * doubt, since a full disk answers every read.
 */
export function probeOf(database: Database): () => Promise<HealthItem> {
  let asked: Promise<void> | undefined;
  const ask = () => {
    asked ??= database
      .run(async (db) => {
        await db.raw('select 1');
      })
      .then(async () => {
        if (!database.isInDoubt) return;
        await write(database).catch((error: { code?: unknown }) => {
          // A user who may not create tables, since another one applies the migrations.
          if (error.code !== '42501') throw error;
        });
        database.trust();
      })
      .finally(() => {
        asked = undefined;
      });
    return asked;
  };
  return async () => {
    const startedAt = performance.now();
    try {
      await withTimeout(ask(), PROBE_MS, () => {
        throw unavailable('it does not answer');
      });
      return { component: 'internalDb', status: 'ok', latencyMs: Math.round(performance.now() - startedAt) };
    } catch (error) {
      return { component: 'internalDb', status: 'error', message: messageOf(error) };
    }
  };
}

/** Before the start: a SQLite file that is missing and that the start can create; `undefined` for anything else. */
export function notYetCreated(target: DatabaseTarget): HealthItem | undefined {
  if (target.dialect !== 'sqlite' || existsSync(target.path) || !canBeCreated(target.path)) return undefined;
  return { component: 'internalDb', status: 'ok', message: 'The file does not exist yet; the first start creates it.' };
}

function canBeCreated(path: string): boolean {
  const folder = dirname(path);
  try {
    if (!existsSync(folder)) return canBeCreated(folder);
    accessSync(folder, constants.W_OK | constants.X_OK);
    return statSync(folder).isDirectory();
  } catch {
    return false;
  }
}
