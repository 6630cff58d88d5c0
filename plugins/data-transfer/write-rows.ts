/** Writes rows of an archive into a table; leaves those that are there already, and refuses others with their key. */
import type { Knex } from 'knex';
import { AtlasError } from '../../kernel/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import { type Column, quoted, rowsOf, type Table } from './columns.ts';
import type { TablePart } from './manifest.ts';
import {
  type ArchivedRow,
  type ArchivedValue,
  archivedValue,
  isArchivedValue,
  readExpression,
  storedValue,
} from './values.ts';

type Dialect = InternalDb['dialect'];

const BATCH_ROWS = 500;
const BATCH_BYTES = 4 * 1024 * 1024;
/** SQLite takes at most 32,766 parameters, PostgreSQL 65,535. */
const BATCH_VALUES = 30_000;

export interface WrittenRows {
  readonly added: number;
  /** Rows that are there with the same values. */
  readonly same: number;
}

function corrupt({ path }: TablePart, why: string): AtlasError {
  return new AtlasError(`The archive is damaged: ${path} ${why}.`, {
    code: 'invalid_request',
    reason: 'E_ARCHIVE_DAMAGED',
    hint: 'Export again.',
  });
}

/** The columns of the archive in the table. Throws when one of them is unknown, or a needed one is not in the archive. */
function columnsOf(table: Table, part: TablePart): Column[] {
  const columns = part.columns.map((name) => {
    const column = table.columns.find((one) => one.name === name);
    if (column !== undefined) return column;
    throw new AtlasError(
      `The archive comes from a later version of Atlas: the table "${table.name}" has no column "${name}" here.`,
      { code: 'conflict', reason: 'E_ARCHIVE_NEWER', hint: 'Update Atlas here, then import again.' },
    );
  });
  const missing = table.columns.find(({ name, isNeeded }) => isNeeded && !part.columns.includes(name));
  if (missing === undefined) return columns;
  throw new AtlasError(
    `The archive comes from an earlier version of Atlas: it has no column "${missing.name}" for the table "${table.name}".`,
    { code: 'conflict', reason: 'E_ARCHIVE_OLDER', hint: 'Update Atlas where the archive was made, and export again.' },
  );
}

function parsedRow(line: string, part: TablePart, columns: readonly Column[]): ArchivedRow {
  let row: unknown;
  try {
    row = JSON.parse(line);
  } catch {
    throw corrupt(part, 'has a line that is not JSON');
  }
  const values = typeof row === 'object' && row !== null ? Object.entries(row) : [];
  const isSound = values.length === columns.length && columns.every(({ name }) => isArchivedValue(Object(row)[name]));
  if (!isSound) throw corrupt(part, 'has a row with other columns than the manifest says');
  return row as ArchivedRow;
}

const keyOf = (row: ArchivedRow, key: readonly Column[]) => JSON.stringify(key.map(({ name }) => row[name]));

/** Rows of the table with the keys of the batch, by key. */
async function existingRows(
  trx: Knex,
  dialect: Dialect,
  table: Table,
  columns: readonly Column[],
  rows: readonly ArchivedRow[],
) {
  const { name, key } = table;
  const selected = columns.map((column) => `${readExpression(column, dialect)} AS ${quoted(column.name)}`).join(', ');
  const keys = key.map((column) => quoted(column.name)).join(', ');
  const places = rows.map(() => `(${key.map(() => '?').join(', ')})`).join(', ');
  const bindings = rows.flatMap((row) =>
    key.map((column) => storedValue(row[column.name] as ArchivedValue, column.kind, dialect)),
  );
  const list = dialect === 'sqlite' && key.length > 1 ? `(VALUES ${places})` : `(${places})`;
  const found = await rowsOf<Record<string, unknown>>(
    trx,
    `SELECT ${selected} FROM ${quoted(name)} WHERE (${keys}) IN ${list}`,
    bindings,
  );
  const archived = found.map(
    (row): ArchivedRow =>
      Object.fromEntries(columns.map((column) => [column.name, archivedValue(row[column.name], column.kind)])),
  );
  return new Map(archived.map((row) => [keyOf(row, key), row]));
}

function different(table: Table, row: ArchivedRow): AtlasError {
  const key = table.key.map(({ name }) => `${name} ${JSON.stringify(row[name])}`).join(', ');
  return new AtlasError(
    `The table "${table.name}" has another row of the same key here (${key.slice(0, 300)}), so nothing was imported.`,
    {
      code: 'conflict',
      reason: 'E_IMPORT_CONFLICT',
      hint: 'Import into an empty database: rows that are there already are left only where they are the same.',
    },
  );
}

/** Says what broke a rule of the table, without values. */
function insertFault(error: unknown, table: Table): unknown {
  const { code = '' } = error as { code?: string };
  const isUnique =
    code === '23505' || code.startsWith('SQLITE_CONSTRAINT_UNIQUE') || code.startsWith('SQLITE_CONSTRAINT_PRIMARYKEY');
  const isConstraint = /^23/.test(code) || code.startsWith('SQLITE_CONSTRAINT');
  const isValue = /^22/.test(code);
  if (!isConstraint && !isValue) return error;
  const why = isUnique
    ? 'another row there has the same value where none may'
    : isConstraint
      ? 'it breaks a rule of the table'
      : 'it has a value that the column does not take';
  return new AtlasError(`A row cannot be added to the table "${table.name}": ${why}; nothing was imported.`, {
    code: 'conflict',
    reason: 'E_IMPORT_CONFLICT',
    hint: 'Import into an empty database.',
    cause: error,
  });
}

async function insert(
  trx: Knex,
  dialect: Dialect,
  table: Table,
  columns: readonly Column[],
  rows: readonly ArchivedRow[],
): Promise<void> {
  const names = columns.map(({ name }) => quoted(name)).join(', ');
  const places = `(${columns.map(() => '?').join(', ')})`;
  const bindings = rows.flatMap((row) =>
    columns.map(({ name, kind }) => storedValue(row[name] as ArchivedValue, kind, dialect)),
  );
  try {
    await rowsOf(
      trx,
      `INSERT INTO ${quoted(table.name)} (${names}) VALUES ${rows.map(() => places).join(', ')}`,
      bindings,
    );
  } catch (error) {
    throw insertFault(error, table);
  }
}

/** Values as the table would give them back, so that they can be compared with what it has. */
function comparable(row: ArchivedRow, columns: readonly Column[], dialect: Dialect): string {
  return JSON.stringify(
    columns.map(({ name, kind }) => archivedValue(storedValue(row[name] as ArchivedValue, kind, dialect), kind)),
  );
}

/** Writes the lines, in batches, and says after each how many rows are done; what it throws ends the work. Rejects with `conflict` at the first row that the table cannot take. */
export async function writeRows(
  trx: Knex,
  dialect: Dialect,
  table: Table,
  part: TablePart,
  lines: AsyncIterable<string>,
  onRows: (count: number) => void,
): Promise<WrittenRows> {
  const columns = columnsOf(table, part);
  const [{ found = 0 } = {}] = await rowsOf<{ found?: number }>(
    trx,
    `SELECT 1 AS found FROM ${quoted(table.name)} LIMIT 1`,
  );
  let [added, same, seen] = [0, 0, 0];
  let batch: ArchivedRow[] = [];
  let bytes = 0;
  const flush = async () => {
    const present =
      found === 0 ? new Map<string, ArchivedRow>() : await existingRows(trx, dialect, table, columns, batch);
    const fresh: ArchivedRow[] = [];
    for (const row of batch) {
      const there = present.get(keyOf(row, table.key));
      if (there === undefined) fresh.push(row);
      else if (comparable(there, columns, dialect) === comparable(row, columns, dialect)) same += 1;
      else throw different(table, row);
    }
    if (fresh.length > 0) await insert(trx, dialect, table, columns, fresh);
    added += fresh.length;
    onRows(seen);
    batch = [];
    bytes = 0;
  };
  const largest = Math.max(1, Math.min(BATCH_ROWS, Math.floor(BATCH_VALUES / columns.length)));
  for await (const line of lines) {
    batch.push(parsedRow(line, part, columns));
    seen += 1;
    bytes += line.length;
    if (batch.length >= largest || bytes >= BATCH_BYTES) await flush();
  }
  if (batch.length > 0) await flush();
  if (seen !== part.rows) throw corrupt(part, `has ${seen} rows where the manifest says ${part.rows}`);
  return { added, same };
}

/** Moves the sequences that number rows beyond the rows that were added. */
export async function advanceSequences(trx: Knex, { name, columns }: Table): Promise<void> {
  for (const { name: column, sequence } of columns) {
    if (sequence === null) continue;
    await rowsOf(
      trx,
      `SELECT setval(CAST(? AS regclass), greatest((SELECT max(${quoted(column)}) FROM ${quoted(name)}), 1))`,
      [sequence],
    );
  }
}

interface Trigger {
  readonly name: string;
  readonly sql: string;
}

/**
 * Runs `work` while the triggers of the tables are off, which would do again what stands in other tables already. They
 * are back when it resolves; when it rejects, with the transaction.
 */
export async function withoutTriggers<T>(
  trx: Knex,
  dialect: Dialect,
  tables: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  if (dialect === 'postgres') {
    const found = await rowsOf<{ name: string }>(
      trx,
      `SELECT DISTINCT c.relname AS name FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
        WHERE NOT t.tgisinternal AND t.tgenabled <> 'D' AND pg_table_is_visible(c.oid)`,
    );
    const own = found.filter(({ name }) => tables.includes(name));
    for (const { name } of own) await rowsOf(trx, `ALTER TABLE ${quoted(name)} DISABLE TRIGGER USER`);
    const result = await work();
    for (const { name } of own) await rowsOf(trx, `ALTER TABLE ${quoted(name)} ENABLE TRIGGER USER`);
    return result;
  }
  const found = await rowsOf<Trigger & { tbl_name: string }>(
    trx,
    "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger'",
  );
  const own = found.filter(({ tbl_name }) => tables.includes(tbl_name));
  for (const { name } of own) await rowsOf(trx, `DROP TRIGGER ${quoted(name)}`);
  const result = await work();
  for (const { sql } of own) await rowsOf(trx, sql);
  return result;
}
