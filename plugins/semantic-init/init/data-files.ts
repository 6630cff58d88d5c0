/** Imports CSV and Parquet files into a DuckDB file, one table for each. */
import { existsSync, globSync, mkdtempSync, readdirSync, rmSync, type Stats, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, extname, join, resolve } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { AtlasError, type CliRun, messageOf } from '../../../kernel/index.ts';
import { requirePackages } from '../../package-kit/index.ts';
import { readableCsv } from './csv-text.ts';

/** In the working directory. */
const DATABASE = 'atlas-files.duckdb';
const MAX_FILES = 1_000;
/** Limit for one line of a CSV file, which may hold a document in a column. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
/** Bad rows that are shown with their lines. */
const MAX_SHOWN_ROWS = 3;
const FORMATS = ['csv', 'parquet'] as const;

type Format = (typeof FORMATS)[number];

const NAMES: Readonly<Record<Format, string>> = { csv: 'CSV', parquet: 'Parquet' };

interface DataFile {
  readonly format: Format;
  /** As given. */
  readonly path: string;
  readonly table: string;
}

interface BadRow {
  readonly line: string;
  readonly message: string;
}

interface Imported extends DataFile {
  readonly rows: number;
  readonly badRows: number;
  readonly firstBadRows: readonly BadRow[];
}

const refuse = (message: string, hint?: string) => new AtlasError(message, { code: 'invalid_request', hint });

/** The files that `--csv` and `--parquet` name. A list of a shell's pattern continues in the arguments of the command. */
export function dataFiles({ args, options, cwd }: CliRun): DataFile[] {
  const given = FORMATS.filter((format) => options[format] !== undefined);
  if (given.length === 0 && args.length > 0) {
    throw refuse(`There is nothing to do with "${args[0]}".`, 'Name data files with --csv or --parquet.');
  }
  const files = given.flatMap((format, index) =>
    [...listed(String(options[format]), cwd), ...(index === 0 ? args : [])]
      .map((path) => path.trim())
      .filter((path) => path !== '')
      .flatMap((path) => matching(path, format, cwd))
      .map((path): DataFile => ({ format, path, table: tableName(path) })),
  );
  if (given.length > 0 && files.length === 0) throw refuse(`--${given[0]} names no file.`);
  if (files.length > MAX_FILES) throw refuse(`${files.length} files are given; ${MAX_FILES} can be imported at once.`);
  for (const [index, { path, table }] of files.entries()) {
    const other = files.slice(0, index).find((file) => file.table === table);
    if (other === undefined) continue;
    throw refuse(`${other.path} and ${path} would both become the table "${table}".`, 'Rename one of them.');
  }
  return files;
}

/** The names between commas; a name with a comma is that of a file. */
const listed = (names: string, cwd: string) => (existsSync(resolve(cwd, names)) ? [names] : names.split(','));

/** `undefined` for what is not there, or cannot be reached. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** A file, the files of a folder, or those that match a pattern. */
function matching(path: string, format: Format, cwd: string): string[] {
  const is = statOf(resolve(cwd, path));
  const names = is?.isDirectory() ? readdirSync(resolve(cwd, path)).map((name) => join(path, name)) : [];
  const inFolder = names.filter((name) => extname(name).toLowerCase() === `.${format}`);
  const found = is === undefined ? globSync(path, { cwd }) : is.isDirectory() ? inFolder : [path];
  if (found.length === 0)
    throw refuse(`There is no ${is === undefined ? 'file' : `${NAMES[format]} file in`} ${path}.`);
  for (const name of found) {
    if (statOf(resolve(cwd, name))?.isFile() !== true) throw refuse(`${name} is not a file.`);
  }
  return found.sort();
}

/** `2025 Orders.csv` becomes `2025_orders`. */
function tableName(path: string): string {
  const name = basename(path, extname(path)).normalize('NFKC').toLowerCase();
  return name.replace(/[^\p{L}\p{N}]+/gu, '_').replace(/^_+|_+$/g, '') || 'data';
}

/** Replaces the tables of these files in the database; resolves to its URL and what to tell. All files or none. */
export async function importDataFiles(
  files: readonly DataFile[],
  { cwd, signal }: CliRun,
): Promise<{ url: string; report: string }> {
  requirePackages(['@duckdb/node-api'], import.meta.url);
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const path = join(cwd, DATABASE);
  const isNew = !existsSync(path);
  const instance = await DuckDBInstance.create(path, { threads: '2', memory_limit: '1GB' }).catch((error) => {
    throw refuse(`${DATABASE} cannot be written: ${firstLine(error)}`, 'Close programs that have it open, or move it.');
  });
  const connection = await instance.connect();
  const interrupt = () => connection.interrupt();
  signal.addEventListener('abort', interrupt, { once: true });
  const copies = mkdtempSync(join(tmpdir(), 'atlas-init-'));
  let isDone = false;
  try {
    await connection.run('BEGIN');
    const imported: Imported[] = [];
    for (const file of files) {
      const path = resolve(cwd, file.path);
      const source =
        file.format === 'csv' ? await readableCsv(path, join(copies, 'copy.csv'), file.path, signal) : path;
      imported.push(await importFile(connection, file, source));
    }
    signal.throwIfAborted();
    await connection.run('COMMIT');
    isDone = true;
    return { url: `duckdb:${DATABASE}`, report: imported.map(told).join('\n') };
  } finally {
    signal.removeEventListener('abort', interrupt);
    connection.closeSync();
    instance.closeSync();
    rmSync(copies, { recursive: true, force: true });
    if (isNew && !isDone) for (const left of [path, `${path}.wal`]) rmSync(left, { force: true });
  }
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
const identifier = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** DuckDB takes a path for a pattern. */
const literal = (path: string) => quoted(path.replace(/[*?[]/g, '[$&]'));

async function importFile(connection: DuckDBConnection, file: DataFile, from: string): Promise<Imported> {
  const { format, path, table } = file;
  const source = literal(from);
  // Types from all rows, so that no late value makes its row a bad one.
  const read =
    format === 'csv'
      ? `read_csv(${source}, sample_size = -1, max_line_size = ${MAX_LINE_BYTES}, store_rejects = true, rejects_limit = 0)`
      : `read_parquet(${source})`;
  try {
    await connection.run(`CREATE OR REPLACE TABLE ${identifier(table)} AS SELECT * FROM ${read}`);
  } catch (error) {
    throw refuse(`${path} cannot be read as ${NAMES[format]}: ${reasonOf(error)}`);
  }
  const rows = Number((await rowsOf(connection, `SELECT count(*) AS n FROM ${identifier(table)}`))[0]?.n);
  return { ...file, rows, ...(format === 'csv' ? await badRows(connection) : { badRows: 0, firstBadRows: [] }) };
}

/** Counts the bad rows of the file that was read last; several faults of a line are one bad row. */
async function badRows(connection: DuckDBConnection): Promise<Pick<Imported, 'badRows' | 'firstBadRows'>> {
  const rows = await rowsOf(
    connection,
    `SELECT line, min(error_message) AS message, count(*) OVER () AS total
      FROM reject_errors GROUP BY line ORDER BY line LIMIT ${MAX_SHOWN_ROWS}`,
  );
  await connection.run('DROP TABLE reject_errors; DROP TABLE reject_scans;');
  return {
    badRows: Number(rows[0]?.total ?? 0),
    firstBadRows: rows.map(({ line, message }) => ({ line: String(line), message: String(message) })),
  };
}

async function rowsOf(connection: DuckDBConnection, sql: string): Promise<Record<string, unknown>[]> {
  return (await connection.runAndReadAll(sql)).getRowObjectsJson();
}

const firstLine = (error: unknown) => messageOf(error).split('\n', 1)[0] ?? '';

/** The second line of an error in a CSV file says more: the first names the file, or a line that is shown whole. */
function reasonOf(error: unknown): string {
  const [first = '', ...others] = messageOf(error).split('\n');
  const reason = others.find((line) => /^It was not possible|^Maximum line size/.test(line));
  if (reason?.startsWith('It was') === true) return 'its columns cannot be told apart.';
  return reason ?? first;
}

function told({ path, table, rows, badRows, firstBadRows }: Imported): string {
  const read = `${path}: ${rows} ${rows === 1 ? 'row' : 'rows'} in the table "${table}"`;
  if (badRows === 0) return `${read}.`;
  const lines = firstBadRows.map(({ line, message }) => `  line ${line}: ${message}`);
  const more = badRows > firstBadRows.length ? [`  and ${badRows - firstBadRows.length} more`] : [];
  return [`${read}; ${badRows} bad ${badRows === 1 ? 'row was' : 'rows were'} left out:`, ...lines, ...more].join('\n');
}
