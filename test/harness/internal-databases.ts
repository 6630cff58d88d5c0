/** Starts both engines for tests, with empty databases and a plugin that brings migrations. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import knex, { type Knex } from 'knex';
import SqliteClient from 'knex/lib/dialects/better-sqlite3/index.js';
import { definePlugin, type Migration, type PluginEntry, storeMigrations } from '../../kernel/index.ts';
import { internalDb } from '../../plugins/internal-db/index.ts';
import { emptyFolder } from './command.ts';
import { createPostgresDatabase } from './postgres-database.ts';

export interface TestEngine extends AsyncDisposable {
  /** The URL of a new database. */
  fresh(): Promise<string>;
}

async function sqlite(): Promise<TestEngine> {
  const folder = emptyFolder();
  return {
    fresh: async () => `sqlite:${join(folder.path, randomUUID(), 'atlas.db')}`,
    [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
  };
}

async function postgres(): Promise<TestEngine> {
  return { fresh: createPostgresDatabase, async [Symbol.asyncDispose]() {} };
}

export const engines = [
  ['sqlite', sqlite],
  ['postgres', postgres],
] as const;

/** The one that `ATLAS_TEST_ENGINE` names, or both with `all`. Default: SQLite. */
const chosen = process.env.ATLAS_TEST_ENGINE ?? 'sqlite';
export const chosenEngines = engines.filter(([name]) => chosen === name || chosen === 'all');

export type Dialect = 'sqlite' | 'postgres';

/** The names of the chosen engines. */
export const dialects: readonly Dialect[] = chosenEngines.map(([name]) => name);

/** Longest time that another connection of this process may hold a file, in milliseconds. */
const LOCK_MS = 20_000;

/** Lets the server of a test go on while it holds the file: the driver would wait for it on the same thread. */
class SharedSqlite extends SqliteClient {
  override async acquireRawConnection(): ReturnType<SqliteClient['acquireRawConnection']> {
    const connection = await super.acquireRawConnection();
    connection.pragma('busy_timeout = 0');
    return connection;
  }

  override async _query(...given: Parameters<SqliteClient['_query']>): ReturnType<SqliteClient['_query']> {
    const until = Date.now() + LOCK_MS;
    for (;;)
      try {
        return await super._query(...given);
      } catch (error) {
        const isBusy = error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
        if (!isBusy || Date.now() > until) throw error;
        await sleep(10);
      }
  }
}

/** Looks into the internal database of a server of this process. */
export function connectTo(url: string): Knex {
  if (!url.startsWith('sqlite:')) return knex({ client: 'pg', connection: url });
  return knex({ client: SharedSqlite, connection: { filename: url.slice(7) }, useNullAsDefault: true });
}

/** A migration that knows its connection. */
export function migration(name: string, up: (trx: Knex.Transaction) => PromiseLike<unknown>): Migration {
  return {
    name,
    async up(connection) {
      await up(connection as Knex.Transaction);
    },
  };
}

/** A plugin of this name with these migrations. */
export function storing(name: string, migrations: readonly Migration[]): PluginEntry {
  return definePlugin({
    name,
    version: '1.0.0',
    type: 'core',
    description: 'Has tables.',
    needs: { internalDb },
    setup(ctx) {
      ctx.tap(storeMigrations, () => migrations);
    },
  })();
}

export const createNotes = migration('0001-notes', (trx) =>
  trx.schema.createTable('notes', (table) => {
    table.increments('id');
    table.text('text').notNullable().unique();
  }),
);
