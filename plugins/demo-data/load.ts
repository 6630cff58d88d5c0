/** Loads a demo into a database: all of its tables, or nothing. */
import { setImmediate } from 'node:timers/promises';
import { AtlasError, messageOf } from '../../kernel/index.ts';
import { createIndexes, createTable } from './create-statements.ts';
import type { Demo, Row } from './table.ts';
import type { OpenTarget, Target } from './writer.ts';

/** By the scheme of the URL. The drivers are large, so each is loaded when it is used. */
const TARGETS: Readonly<Record<string, () => Promise<OpenTarget>>> = {
  sqlite: async () => (await import('./sqlite-writer.ts')).openSqlite,
  duckdb: async () => (await import('./duckdb-writer.ts')).openDuckdb,
  postgres: async () => (await import('./postgres-writer.ts')).openPostgres,
  postgresql: async () => (await import('./postgres-writer.ts')).openPostgres,
};
const BATCH_ROWS = 1_000;
const SHOWN_TABLES = 3;

export interface LoadProgress {
  readonly table: string;
  /** Tables that are complete, of how many. */
  readonly done: number;
  readonly tables: number;
  /** Written so far. */
  readonly rows: number;
}

export interface LoadOptions {
  /** `sqlite:PATH`, `duckdb:PATH` or `postgres://…` */
  readonly url: string;
  /** Folder that a relative path belongs to. Default: the working directory. */
  readonly cwd?: string;
  readonly onProgress?: (progress: LoadProgress) => void;
  readonly signal?: AbortSignal;
}

export interface Loaded {
  readonly tables: number;
  readonly rows: number;
  /** The database without passwords. */
  readonly shown: string;
}

const refuse = (message: string, hint?: string) =>
  new AtlasError(message, { code: 'configuration_error', ...(hint !== undefined && { hint }) });

/**
 * Creates the demo's tables with their keys, rows and indexes in one transaction. Throws `configuration_error` and
 * changes nothing when the database has one of the tables already or cannot be written.
 */
export async function loadInto(demo: Demo, options: LoadOptions): Promise<Loaded> {
  const { url, cwd = process.cwd(), signal = new AbortController().signal } = options;
  const scheme = /^\s*([a-z0-9]+):/i.exec(url)?.[1]?.toLowerCase() ?? '';
  const open = TARGETS[scheme];
  if (open === undefined) {
    throw refuse(
      'Demo data cannot be loaded into this database: expected SQLite, DuckDB or PostgreSQL.',
      'Give a URL such as sqlite:./demo.db, duckdb:./demo.duckdb or postgres://user:password@host/database.',
    );
  }
  signal.throwIfAborted();
  try {
    await using target = await (await open())({ url, cwd, signal });
    await refuseExisting(demo, target);
    const rows = await writeTables(demo, target, { ...options, signal });
    signal.throwIfAborted();
    await target.commit();
    return { tables: demo.tables.length, rows, shown: target.shown };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AtlasError) throw error;
    throw refuse(`The demo data could not be written, and nothing was changed: ${messageOf(error).split('\n', 1)[0]}`);
  }
}

async function refuseExisting({ name, tables }: Demo, target: Target): Promise<void> {
  const taken = await target.existing(tables.map((table) => table.name));
  if (taken.length === 0) return;
  const more = taken.length > SHOWN_TABLES ? ` and ${taken.length - SHOWN_TABLES} more` : '';
  const shown = taken.slice(0, SHOWN_TABLES).map((table) => `"${table}"`);
  throw refuse(
    `The database has tables of the demo "${name}" already: ${shown.join(', ')}${more}. Nothing was changed.`,
    'Load it into an empty database or schema.',
  );
}

async function writeTables(demo: Demo, target: Target, { onProgress, signal }: LoadOptions): Promise<number> {
  const { tables } = demo;
  const byTable = demo.rows();
  for (const sql of tables.flatMap((table) => createTable(table, target.dialect))) await target.run(sql);
  let rows = 0;
  for (const [done, table] of tables.entries()) {
    const inserter = target.insert(table);
    for (const batch of batches(byTable[table.name] ?? [])) {
      signal?.throwIfAborted();
      await inserter.add(batch);
      rows += batch.length;
      onProgress?.({ table: table.name, done, tables: tables.length, rows });
      // Lets Ctrl-C through where the driver works without pauses.
      await setImmediate();
    }
    await inserter.end?.();
  }
  for (const sql of tables.flatMap(createIndexes)) {
    signal?.throwIfAborted();
    await target.run(sql);
  }
  return rows;
}

function* batches(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let from = 0; from < rows.length; from += BATCH_ROWS) yield rows.slice(from, from + BATCH_ROWS);
}
