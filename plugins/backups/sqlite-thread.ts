/** Copies SQLite files with the database's online backup, in a thread that ends with the copy. */
import { createHash } from 'node:crypto';
import { closeSync, openSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import type { TableState } from './api.ts';
import type { SqliteAnswer, SqliteTask } from './sqlite-task.ts';

const BUSY_MS = 10_000;
/** Longest wait of a restore for others that write. */
const LOCK_MS = 60_000;
const PAUSE_MS = 5;

const { kind, database, file, tables } = workerData as SqliteTask;
const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

function existing(db: Sqlite.Database): string[] {
  const found = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[];
  return tables.filter((name) => found.includes(name)).sort();
}

const plain = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value);

function stateOf(db: Sqlite.Database, name: string): TableState {
  const hash = createHash('sha256');
  let rows = 0;
  for (const row of db
    .prepare(`SELECT * FROM ${quoted(name)}`)
    .raw()
    .safeIntegers()
    .iterate()) {
    hash.update(JSON.stringify(row, plain));
    rows += 1;
  }
  return { name, rows, digest: hash.digest('hex') };
}

const statesOf = (db: Sqlite.Database) => existing(db).map((name) => stateOf(db, name));

/** Copies the whole database over that of the file, and waits while others write there. */
async function backUp(db: Sqlite.Database, to: string): Promise<void> {
  const end = performance.now() + LOCK_MS;
  // The library takes a file that is locked for a copy that is done: it has seen no page then.
  while ((await db.backup(to)).totalPages === 0) {
    if (performance.now() > end) throw Object.assign(new Error('the database is in use'), { code: 'SQLITE_BUSY' });
    await sleep(PAUSE_MS);
  }
}

/** The copy is private from its first byte, and one file without a log beside it. */
async function copy(db: Sqlite.Database, to: string): Promise<void> {
  closeSync(openSync(to, 'wx', 0o600));
  await backUp(db, to);
  using copied = closing(new Sqlite(to));
  copied.db.pragma('journal_mode = DELETE');
}

function closing(db: Sqlite.Database) {
  return { db, [Symbol.dispose]: () => void db.close() };
}

async function dump(): Promise<readonly TableState[]> {
  using source = closing(new Sqlite(database, { fileMustExist: true, timeout: BUSY_MS }));
  // One moment for what is counted and what is copied, whatever is written meanwhile.
  source.db.exec('BEGIN');
  const states = statesOf(source.db);
  await copy(source.db, file);
  source.db.exec('COMMIT');
  return states;
}

async function inspect(): Promise<readonly TableState[]> {
  // Always the same name: what a crash has left is removed by the next verification, and with the backup.
  const scratch = `${file}.scratch`;
  const remove = () => {
    for (const end of ['', '-wal', '-shm', '-journal']) rmSync(scratch + end, { force: true });
  };
  remove();
  try {
    using source = closing(new Sqlite(file, { fileMustExist: true, readonly: true }));
    await copy(source.db, scratch);
    using copied = closing(new Sqlite(scratch, { readonly: true }));
    const [fault] = copied.db.pragma('integrity_check(1)') as { integrity_check: string }[];
    if (fault?.integrity_check !== 'ok') {
      throw Object.assign(new Error(`the copy is damaged: ${fault?.integrity_check}`), { code: 'SQLITE_CORRUPT' });
    }
    return statesOf(copied.db);
  } finally {
    remove();
  }
}

async function restore(): Promise<readonly TableState[]> {
  using source = closing(new Sqlite(file, { fileMustExist: true, readonly: true }));
  // One transaction of the database in use: others see it before or after, and wait meanwhile.
  await backUp(source.db, database);
  return [];
}

async function answer(): Promise<SqliteAnswer> {
  try {
    return { states: await { dump, inspect, restore }[kind]() };
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    return { error: { message, code } };
  }
}

parentPort?.postMessage(await answer());
