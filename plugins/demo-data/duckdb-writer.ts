/** Writes tables and rows into DuckDB files. */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import type { DuckDBAppender, DuckDBConnection } from '@duckdb/node-api';
import { parseDuckdbUrl } from '../datasource-duckdb/index.ts';
import { requirePackages } from '../package-kit/index.ts';
import type { Dialect } from './create-statements.ts';
import { type Column, type Table, targetOf, type Value } from './table.ts';
import type { OpenTarget, RowInserter } from './writer.ts';

const DUCKDB: Dialect = {
  types: {
    integer: 'INTEGER',
    decimal: 'DECIMAL(14, 2)',
    real: 'DOUBLE',
    text: 'VARCHAR',
    boolean: 'BOOLEAN',
    date: 'DATE',
    timestamp: 'TIMESTAMP',
    json: 'JSON',
  },
  hasComments: true,
};
const SETTINGS = { threads: '2', memory_limit: '1GB' };

/** The appender turns numbers and texts into the column's type. */
function append(appender: DuckDBAppender, value: Value | undefined): void {
  if (value === null || value === undefined) appender.appendNull();
  else if (typeof value === 'number') appender.appendDouble(value);
  else if (typeof value === 'boolean') appender.appendBoolean(value);
  else appender.appendVarchar(value);
}

/** A key is seen by rows of the same table only after a flush. */
function rowAppender(connection: DuckDBConnection, { name, columns }: Table): RowInserter {
  const names = Object.keys(columns);
  const own = names.flatMap((column) => {
    const to = targetOf(columns[column] as Column);
    return to?.table === name ? [{ column, target: to.column }] : [];
  });
  const appending = connection.createAppender(name);
  const unseen = new Set<Value | undefined>();
  return {
    add: async (rows) => {
      const appender = await appending;
      const flush = () => {
        appender.flushSync();
        unseen.clear();
      };
      for (const row of rows) {
        if (own.some(({ column }) => unseen.has(row[column]))) flush();
        for (const column of names) append(appender, row[column]);
        appender.endRow();
        for (const { target } of own) unseen.add(row[target]);
      }
      flush();
    },
    end: async () => (await appending).closeSync(),
  };
}

export const openDuckdb: OpenTarget = async ({ url, cwd, signal }) => {
  requirePackages(['@duckdb/node-api'], import.meta.url);
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const path = parseDuckdbUrl(url, cwd);
  const isNew = !existsSync(path);
  mkdirSync(dirname(path), { recursive: true });
  const instance = await DuckDBInstance.create(path, SETTINGS);
  const connection = await instance.connect();
  const interrupt = () => connection.interrupt();
  signal.addEventListener('abort', interrupt, { once: true });
  await connection.run('BEGIN');
  let isDone = false;
  return {
    dialect: DUCKDB,
    shown: relative(cwd, path),
    existing: async (names) => {
      const found = await connection.runAndReadAll(
        `SELECT lower(table_name) FROM information_schema.tables WHERE table_schema = current_schema()`,
      );
      const taken = new Set(found.getRows().map(([name]) => name));
      return names.filter((name) => taken.has(name.toLowerCase()));
    },
    run: async (sql) => void (await connection.run(sql)),
    insert: (table) => rowAppender(connection, table),
    commit: async () => {
      await connection.run('COMMIT');
      isDone = true;
    },
    [Symbol.asyncDispose]: async () => {
      signal.removeEventListener('abort', interrupt);
      // Closing rolls back what was not committed.
      connection.closeSync();
      instance.closeSync();
      if (isNew && !isDone) for (const left of [path, `${path}.wal`]) rmSync(left, { force: true });
    },
  };
};
