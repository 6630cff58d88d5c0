/**
 * Reads a folder of JSON files into SQLite, inside a process of the datasource kit: `orders.ndjson`, `orders.jsonl` or
 * `orders.json` becomes the table `orders`. Changed files are read again.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { TableDescription } from 'atlas-query';
import type { OpenEngine, Value, WireParam } from 'atlas-query/plugins/datasource-kit';

class MissingFolder extends Error {}
class Refusal extends Error {}

/** Limit for all files together, which are held in memory. */
const MAX_BYTES = 64 * 1024 * 1024;
const FILE = /^(.+)\.(?:json|jsonl|ndjson)$/i;

type JsonRow = Readonly<Record<string, unknown>>;

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** JSON as a value of SQLite: lists and objects stay JSON. Integers beyond 2^53 keep their digits. */
function stored(value: unknown): SQLInputValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'string') return value;
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner));
}

function parsed(text: string): unknown {
  // The third argument holds the digits as they stand in the file.
  return JSON.parse(text, (_, value: unknown, ...[context]: { readonly source?: string }[]) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
      ? BigInt(context?.source ?? 0)
      : value,
  );
}

/** The rows of one file: a list of objects, or one object a line. */
function rowsOf(file: string, text: string): JsonRow[] {
  const isList = text.trimStart().startsWith('[');
  const lines = isList ? [text] : text.split('\n');
  return lines.flatMap((line, index) => {
    if (line.trim() === '') return [];
    const place = isList ? file : `${file}, line ${index + 1}`;
    let value: unknown;
    try {
      value = parsed(line);
    } catch {
      throw new Refusal(`${place} is not JSON.`);
    }
    const rows: unknown[] = Array.isArray(value) ? value : [value];
    if (rows.every((row): row is JsonRow => typeof row === 'object' && row !== null && !Array.isArray(row)))
      return rows;
    throw new Refusal(`${place} is not an object.`);
  });
}

interface Column {
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
}

function typeOf(values: readonly SQLInputValue[]): string {
  const given = values.filter((value) => value !== null);
  if (given.every((value) => typeof value === 'bigint' || Number.isSafeInteger(value))) return 'INTEGER';
  return given.every((value) => typeof value === 'number' || typeof value === 'bigint') ? 'REAL' : 'TEXT';
}

/** The columns of a table: every key of its rows, in the order in which they appear. */
function columnsOf(rows: readonly JsonRow[]): Column[] {
  // SQLite takes `Id` and `id` for one column.
  const names = new Map<string, string>();
  for (const row of rows)
    for (const key of Object.keys(row)) names.set(key.toLowerCase(), names.get(key.toLowerCase()) ?? key);
  return [...names.values()].map((name) => {
    const values = rows.map((row) => stored(row[name]));
    return { name, type: typeOf(values), nullable: values.includes(null) };
  });
}

interface Loaded {
  readonly database: DatabaseSync;
  readonly tables: readonly TableDescription[];
  /** Changes when a file changes. */
  readonly signature: string;
}

function filesOf(folder: string): { readonly name: string; readonly path: string; readonly signature: string }[] {
  let names: string[];
  try {
    names = readdirSync(folder).sort();
  } catch {
    throw new MissingFolder();
  }
  const files = names.flatMap((file) => {
    const [, name] = FILE.exec(file) ?? [];
    const path = join(folder, file);
    const status = name === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
    if (name === undefined || status?.isFile() !== true) return [];
    return [{ name, path, bytes: status.size, signature: `${file} ${status.size} ${status.mtimeMs}` }];
  });
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > MAX_BYTES) throw new Refusal(`The files hold ${bytes} bytes; at most ${MAX_BYTES} can be read.`);
  return files;
}

function load(folder: string, files = filesOf(folder)): Loaded {
  const database = new DatabaseSync(':memory:');
  const tables = new Map<string, TableDescription>();
  for (const { name, path } of files) {
    if (tables.has(name.toLowerCase())) throw new Refusal(`Two files make the table "${name}".`);
    const rows = rowsOf(name, readFileSync(path, 'utf8'));
    const columns = columnsOf(rows);
    // An empty file has no columns, and SQLite no table without one.
    if (columns.length === 0) continue;
    database.exec(`CREATE TABLE ${quoted(name)} (${columns.map((c) => `${quoted(c.name)} ${c.type}`).join(', ')})`);
    const insert = database.prepare(`INSERT INTO ${quoted(name)} VALUES (${columns.map(() => '?').join(', ')})`);
    database.exec('BEGIN');
    for (const row of rows) insert.run(...columns.map((column) => stored(row[column.name])));
    database.exec('COMMIT');
    tables.set(name.toLowerCase(), { name, kind: 'table', columns, primaryKey: [], foreignKeys: [] });
  }
  // From here on nothing can be written, whatever the statement.
  database.exec('PRAGMA query_only = ON');
  return { database, tables: [...tables.values()], signature: files.map(({ signature }) => signature).join('\n') };
}

/** Values to bind travel as JSON. */
function bound(param: WireParam): SQLInputValue {
  if (typeof param === 'boolean') return param ? 1 : 0;
  if (typeof param !== 'object' || param === null) return param;
  if ('integer' in param) return BigInt(param.integer);
  return 'base64' in param ? Buffer.from(param.base64, 'base64') : param.timestamp;
}

export const openEngine: OpenEngine = ([folder = '']) => {
  let loaded: Loaded | undefined;
  let isReading = false;
  const current = (): Loaded => {
    const files = filesOf(folder);
    if (loaded?.signature === files.map(({ signature }) => signature).join('\n')) return loaded;
    loaded?.database.close();
    loaded = undefined;
    loaded = load(folder, files);
    return loaded;
  };

  return {
    retireAboveBytes: 512 * 1024 * 1024,

    ping() {
      filesOf(folder);
    },

    async execute({ sql, params }, rows) {
      isReading = false;
      if (!/^\s*(?:select|with|values)\b/i.test(sql)) throw new Refusal('Only statements that read can be run.');
      const statement = current().database.prepare(sql);
      // SQLite prepares the first statement of a text and leaves the rest.
      if (statement.sourceSQL.trim().length < sql.trim().length) throw new Refusal('Only one statement can be run.');
      statement.setReadBigInts(true);
      statement.setReturnArrays(true);
      rows.begin(statement.columns().map(({ name }) => name));
      isReading = true;
      for (const row of statement.iterate(...params.map(bound))) {
        if (!rows.add(row as unknown as Value[])) break;
        if (rows.isSending) await rows.sent();
      }
    },

    describe: () => current().tables,

    failureOf(error) {
      if (error instanceof MissingFolder) return { kind: 'missing', code: '', message: '' };
      const message = error instanceof Error ? error.message : String(error);
      return { kind: error instanceof Refusal ? 'refused' : 'engine', code: '', message, metData: isReading };
    },
  };
};
