/** Opens the internal database in a SQLite file, which several processes may share. */
import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { type Engine, type EngineSettings, knexConfig, MigratingPhase } from './engine.ts';
import { SqliteConnection } from './sqlite-connection.ts';

/** How long the thread waits for a lock at a time; it takes no other statement meanwhile, and cannot be stopped. */
const THREAD_WAIT_MS = 50;
const RETRY_MS = 15;

/** Creates the file and its folder for this user only. An existing file keeps its permissions. */
function createFile(path: string): void {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

/** As SQLite says it. */
function cannotOpen(): Error {
  return Object.assign(new Error('unable to open database file'), { code: 'SQLITE_CANTOPEN' });
}

function isBusy(error: unknown): boolean {
  return String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY');
}

/** Statements that wait for another process to give the lock back. */
class LockWaits {
  #waiting = 0;
  #abandoned = 0;

  get any(): boolean {
    return this.#waiting > 0;
  }

  /** Ends the waiting: each call gets the error of its last attempt. */
  abandon(): void {
    this.#abandoned += 1;
  }

  /** Again and again while another process holds the lock. Such a statement has done nothing yet. */
  async whenFree<T>(waitMs: () => number, attempt: () => T | Promise<T>): Promise<T> {
    const startedAt = performance.now();
    const abandoned = this.#abandoned;
    let isWaiting = false;
    try {
      for (;;) {
        try {
          return await attempt();
        } catch (error) {
          const isOver = this.#abandoned !== abandoned || performance.now() - startedAt >= waitMs();
          if (!isBusy(error) || isOver) throw error;
        }
        if (!isWaiting) this.#waiting += 1;
        isWaiting = true;
        await sleep(RETRY_MS);
      }
    } finally {
      if (isWaiting) this.#waiting -= 1;
    }
  }
}

export async function openSqlite(path: string, settings: EngineSettings): Promise<Engine> {
  const [{ default: knex }, { default: BaseClient }] = await Promise.all([
    import('knex'),
    import('knex/lib/dialects/better-sqlite3/index.js'),
  ]);
  const migrating = new MigratingPhase();
  const locks = new LockWaits();
  const waitMs = () => (migrating.on ? settings.migrationWaitMs : settings.busyTimeoutMs);
  const inodes = new WeakMap<SqliteConnection, number | undefined>();

  /** The dialect of the library with its own driver replaced by the thread. */
  class SqliteClient extends BaseClient {
    override _driver(): object {
      return {};
    }

    override acquireRawConnection(): Promise<SqliteConnection> {
      return locks.whenFree(waitMs, async () => {
        if (migrating.on) createFile(path);
        const inode = inodeOf(path);
        // The thread would say the same, at the cost of starting it, and the database is asked twice a second.
        if (inode === undefined) throw cannotOpen();
        const connection = await SqliteConnection.open({ path, waitMs: THREAD_WAIT_MS });
        inodes.set(connection, inode);
        return connection;
      });
    }

    /** Others may write while a transaction only reads. */
    override transaction(container: unknown, config?: Knex.TransactionConfig, outer?: unknown) {
      const transaction = super.transaction(container, config, outer);
      if (config?.readOnly === true) {
        transaction.begin = (connection: unknown) => transaction.query(connection, 'BEGIN DEFERRED;');
      }
      return transaction;
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
      const { rows, changes, lastInsertRowid } = await locks.whenFree(waitMs, () =>
        connection.run(query.sql, bindings),
      );
      query.response = rows ?? { changes, lastInsertRowid };
      query.context = { lastID: lastInsertRowid, changes };
      return query;
    }
  }

  const instance = knex({ ...knexConfig(settings, 1), client: SqliteClient, useNullAsDefault: true } as Knex.Config);
  return {
    dialect: 'sqlite',
    knex: instance,
    exists: () => existsSync(path),
    get isMigrating() {
      return migrating.on;
    },
    silenceMs: settings.busyTimeoutMs,
    // The clock of this machine.
    clockAheadMs: 0,
    async answers() {
      if (locks.any) return false;
      const { client } = instance;
      // In use by this process itself: its statement works, or gives up by itself.
      if (client.pool === undefined || client.pool.numUsed() > 0) return true;
      let connection: SqliteConnection | undefined;
      try {
        connection = (await client.acquireConnection()) as SqliteConnection;
        await connection.run('BEGIN IMMEDIATE', []);
        await connection.run('ROLLBACK', []);
        return true;
      } catch (error) {
        // No call waits for what fails at once.
        return !isBusy(error);
      } finally {
        if (connection !== undefined) await client.releaseConnection(connection);
      }
    },
    async execute(batch) {
      const connection: SqliteConnection = await instance.client.acquireConnection();
      try {
        await locks.whenFree(waitMs, () => connection.runAll(batch));
      } finally {
        await instance.client.releaseConnection(connection);
      }
    },
    abandon: () => locks.abandon(),
    close: () => instance.destroy(),
    migrating: (work) => migrating.during(work),
    // The transaction itself is the lock: it is immediate.
    async lock() {},
  };
}
