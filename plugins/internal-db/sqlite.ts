/** The internal database as a SQLite file, which several processes may share. */
import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { type Engine, type EngineSettings, knexConfig, MigratingPhase } from './engine.ts';
import { SqliteConnection } from './sqlite-connection.ts';

/** How long the thread waits for a lock at a time; it takes no other statement meanwhile, and cannot be stopped. */
const THREAD_WAIT_MS = 50;
const RETRY_MS = 15;

/** The file and its folder, readable by nobody else. A file that is there keeps its rights. */
function createFile(path: string): void {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

function isBusy(error: unknown): boolean {
  return String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY');
}

/** Again and again while another process holds the lock. Such a statement has done nothing yet. */
async function whenFree<T>(waitMs: () => number, attempt: () => T | Promise<T>): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() - startedAt >= waitMs()) throw error;
      await sleep(RETRY_MS);
    }
  }
}

export async function openSqlite(path: string, settings: EngineSettings): Promise<Engine> {
  const [{ default: knex }, { default: BaseClient }] = await Promise.all([
    import('knex'),
    import('knex/lib/dialects/better-sqlite3/index.js'),
  ]);
  const migrating = new MigratingPhase();
  const waitMs = () => (migrating.on ? settings.migrationWaitMs : settings.busyTimeoutMs);
  const inodes = new WeakMap<SqliteConnection, number | undefined>();

  /** The dialect of the library with its own driver replaced by the thread. */
  class SqliteClient extends BaseClient {
    override _driver(): object {
      return {};
    }

    override acquireRawConnection(): Promise<SqliteConnection> {
      return whenFree(waitMs, async () => {
        if (migrating.on) createFile(path);
        const inode = inodeOf(path);
        const connection = await SqliteConnection.open({ path, waitMs: THREAD_WAIT_MS });
        inodes.set(connection, inode);
        return connection;
      });
    }

    override destroyRawConnection(connection: SqliteConnection): Promise<void> {
      return connection.close();
    }

    /** A file that was deleted or replaced takes writes and keeps none of them. */
    override async validateConnection(connection: SqliteConnection): Promise<boolean> {
      return connection.isOpen && inodes.get(connection) === inodeOf(path);
    }

    override async _query(connection: SqliteConnection, query: DialectQuery): Promise<DialectQuery> {
      // A transaction that begins by reading could not write once another process has written.
      if (query.sql === 'BEGIN;') query.sql = 'BEGIN IMMEDIATE;';
      const bindings = this._formatBindings(query.bindings);
      const { rows, changes, lastInsertRowid } = await whenFree(waitMs, () => connection.run(query.sql, bindings));
      query.response = rows ?? { changes, lastInsertRowid };
      query.context = { lastID: lastInsertRowid, changes };
      return query;
    }
  }

  return {
    dialect: 'sqlite',
    knex: knex({ ...knexConfig(settings, 1), client: SqliteClient, useNullAsDefault: true } as Knex.Config),
    exists: () => existsSync(path),
    migrating: (work) => migrating.during(work),
    // The transaction itself is the lock: it is immediate.
    async lock() {},
  };
}
