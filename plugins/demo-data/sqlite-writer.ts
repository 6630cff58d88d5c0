/** Writes tables and rows into SQLite files. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import Database from 'better-sqlite3';
import { parseSqliteUrl } from '../datasource-sqlite/index.ts';
import { createIndexes, createTable, type Dialect, identifier } from './create-statements.ts';
import type { Demo, Row, Table } from './table.ts';
import type { OpenTarget } from './writer.ts';

const SQLITE: Dialect = {
  types: {
    integer: 'INTEGER',
    decimal: 'REAL',
    real: 'REAL',
    text: 'TEXT',
    boolean: 'BOOLEAN',
    date: 'DATE',
    timestamp: 'TIMESTAMP',
    json: 'JSON',
  },
  hasComments: false,
};
const LEFTOVERS = ['', '-journal', '-wal', '-shm'];

const toSqlite = (value: Row[string] | undefined) => (typeof value === 'boolean' ? Number(value) : (value ?? null));

function inserter(database: Database.Database, { name, columns }: Table): (row: Row) => void {
  const names = Object.keys(columns);
  const statement = database.prepare(
    `INSERT INTO ${identifier(name)} (${names.map(identifier).join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  );
  return (row) => statement.run(names.map((column) => toSqlite(row[column])));
}

export const openSqlite: OpenTarget = async ({ url, cwd }) => {
  const path = parseSqliteUrl(url, cwd);
  const isNew = !existsSync(path);
  mkdirSync(dirname(path), { recursive: true });
  const database = new Database(path);
  let isDone = false;
  const close = () => {
    if (database.inTransaction) database.exec('ROLLBACK');
    database.close();
    if (isNew && !isDone) for (const end of LEFTOVERS) rmSync(`${path}${end}`, { force: true });
  };
  try {
    database.pragma('foreign_keys = ON');
    database.exec('BEGIN IMMEDIATE');
  } catch (error) {
    close();
    throw error;
  }
  const taken = database.prepare('SELECT 1 FROM sqlite_schema WHERE lower(name) = lower(?)');
  return {
    dialect: SQLITE,
    shown: relative(cwd, path),
    existing: (names) => names.filter((name) => taken.get(name) !== undefined),
    run: (sql) => void database.exec(sql),
    insert: (table) => {
      const insert = inserter(database, table);
      return { add: (rows) => rows.forEach(insert) };
    },
    commit: () => {
      database.exec('COMMIT');
      isDone = true;
    },
    [Symbol.asyncDispose]: async () => close(),
  };
};

/** Lets `write` make a file that then appears at once and complete, in place of an older one whose readers keep it. */
export function replaceFile(path: string, write: (draft: string) => void): void {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    write(draft);
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Writes a demo as a SQLite file, with missing folders: complete or not at all, with the same bytes each time. */
export function createDemoFile({ tables, rows }: Demo, path: string): void {
  const byTable = rows();
  replaceFile(path, (draft) => {
    const database = new Database(draft);
    try {
      // The draft is thrown away on failure, so a journal would only cost time.
      database.pragma('journal_mode = OFF');
      database.pragma('synchronous = OFF');
      database.transaction(() => {
        for (const table of tables) for (const sql of createTable(table, SQLITE)) database.exec(sql);
        for (const table of tables) {
          const insert = inserter(database, table);
          for (const row of byTable[table.name] ?? []) insert(row);
        }
        for (const sql of tables.flatMap(createIndexes)) database.exec(sql);
      })();
    } finally {
      database.close();
    }
  });
}
