/**
 * Writes rows as Parquet, through DuckDB in a process of its own: they go to it as lines through a pipe, of which it reads as
 * much as it can write, so that neither process holds more than some thousand rows.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { AtlasError, type SqlLimits } from '../../kernel/index.ts';
import { CACHED_SOURCES, type Cell, moduleBeside, type SinkType } from '../datasource-kit/index.ts';
import { requirePackages } from '../package-kit/index.ts';
import { fixedType, OpenColumn } from './column-type.ts';
import type { RowFile } from './file.ts';

const CHILD = fileURLToPath(moduleBeside('parquet-child', import.meta.url));
/** Bounds all private memory of the process, on Linux: DuckDB's own limit, Node, and what threads reserve. */
const MEMORY_LIMIT_KIB = 2 * 1024 * 1024;
/** Unquoted, and so no text. */
const NULL = '\\N';
/** Longer than a row may be with all of its quotation marks doubled. */
const MOST_LINE_BYTES = 40 * 1024 * 1024;
const LEAST_LINE_BYTES = 1024 * 1024;
/** Longer than a number or a time is as text. */
const SHORT_BYTES = 512;

/** Sent at a time, and what may wait to be taken before the rows are held back: with 4 MB, garbage doubles the processor time. */
const PART_LENGTH = 128 * 1024;
const MOST_AHEAD_BYTES = 256 * 1024;

export interface ParquetTask {
  readonly sql: string;
}
/** `rows`: how many were written. */
export type ParquetReply =
  | { readonly ok: true; readonly rows: number }
  | { readonly ok: false; readonly message: string };

/** Throws `configuration_error` where DuckDB is not installed, and on a system that has no pipes between processes. */
export function requireParquet(): void {
  requirePackages(['@duckdb/node-api'], import.meta.url);
  if (process.platform !== 'win32') return;
  throw new AtlasError('Parquet files cannot be written on Windows.', {
    code: 'configuration_error',
    hint: 'Export as CSV, or run the server on Linux or macOS.',
  });
}

const quotedName = (name: string) => `"${name.replaceAll('"', '""')}"`;
const quotedText = (text: string) => `'${text.replaceAll("'", "''")}'`;
const quotedCell = (text: string) => `"${text.includes('"') ? text.replaceAll('"', '""') : text}"`;

/** A line for each row. What is a text is in quotes; JSON is written as such. */
export function linesOf(rows: readonly Cell[][], isJson: readonly boolean[]): string {
  let lines = '';
  for (const row of rows) {
    for (let at = 0; at < row.length; at += 1) {
      const cell = row[at];
      if (at > 0) lines += ',';
      if (cell === null || cell === undefined) lines += NULL;
      else if (typeof cell === 'string') lines += quotedCell(isJson[at] ? JSON.stringify(cell) : cell);
      else if (typeof cell === 'object') lines += quotedCell(JSON.stringify(cell));
      else lines += String(cell);
    }
    lines += '\n';
  }
  return lines;
}

interface Column {
  readonly name: string;
  readonly type: string | undefined;
  readonly open: OpenColumn | undefined;
}

/** The columns of `source`, which are named c0, c1, … there, under other names. */
function selected(source: string, names: readonly string[], valueFrom: (column: string, at: number) => string): string {
  const items = names.map((name, at) => `${valueFrom(`c${at}`, at)} AS ${quotedName(name)}`);
  return `SELECT ${items.join(', ')} FROM ${source}`;
}

const copied = (select: string, path: string) =>
  `COPY (${select}) TO ${quotedText(path)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE_BYTES '64MB')`;

const isText = (type: string | undefined) => type === undefined || type === 'VARCHAR' || type === 'BLOB';

/**
 * Bytes of the longest line. DuckDB reads as many at a time, and takes none while it works on them: the fewer they are, the
 * less does the server wait. A quotation mark takes two bytes, and a character that JSON escapes up to six.
 */
function lineBytes(types: readonly SinkType[], maxCellBytes: number): number {
  const cells = types.map((type) => {
    if (type === 'json' || type === 'any') return 6 * maxCellBytes;
    return isText(fixedType(type)) ? 2 * maxCellBytes : SHORT_BYTES;
  });
  const sum = cells.reduce((bytes, cell) => bytes + cell, 0);
  return Math.min(Math.max(sum, LEAST_LINE_BYTES), MOST_LINE_BYTES);
}

function linesSource(columns: readonly Column[], longest: number): string {
  const names = columns.map(({ type }, at) => `'c${at}': '${isText(type) ? 'VARCHAR' : type}'`).join(', ');
  const format = `auto_detect = false, header = false, delim = ',', quote = '"', escape = '"', new_line = '\\n'`;
  const nulls = `nullstr = ${quotedText(NULL)}, allow_quoted_nulls = false`;
  // Without `parallel`, which it is by default, all that was read of a pipe stays in memory; one thread keeps the order.
  const sizes = `max_line_size = ${longest}, buffer_size = ${longest}`;
  return `read_csv('/dev/stdin', ${format}, ${nulls}, ${sizes}, columns = {${names}})`;
}

/** The file must not exist. Columns whose type the values tell are written as text first, and then once more. */
export function parquetFile(path: string, { maxCellBytes }: Pick<SqlLimits, 'maxCellBytes'>): RowFile {
  const rawPath = `${path}.raw`;
  let columns: Column[] = [];
  let text = '';
  let isJson: boolean[] = [];
  let child: ChildProcess | undefined;
  let given = 0;
  let copying: Promise<void> | undefined;
  /** Rejects when the process has failed, gone or taken all that will come, so that nobody waits for its pipe. */
  let broken: Promise<never> | undefined;

  const ask = (sql: string): Promise<void> => {
    const running = child as ChildProcess;
    return new Promise((resolve, reject) => {
      const gone = () => reject(notWritten('the process that writes it has ended'));
      running.once('exit', gone).once('error', gone);
      running.once('message', (reply: ParquetReply) => {
        running.off('exit', gone);
        if (!reply.ok) reject(failureOf(reply.message));
        // Whatever there is between here and the process may end before it.
        else if (reply.rows !== given) reject(notWritten('the process that writes it did not get all of its rows'));
        else resolve();
      });
      running.send({ sql } satisfies ParquetTask, () => {});
    });
  };
  const stop = async () => {
    const running = child;
    child = undefined;
    if (running?.pid === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const exited = once(running, 'exit');
    // The shell, the program that copies, and the process.
    process.kill(-running.pid, 'SIGKILL');
    await exited;
  };

  return {
    async begin(names, types) {
      columns = names.map((name, at) => {
        const type = types[at] ?? 'any';
        const fixed = fixedType(type);
        // DuckDB has no empty names.
        return {
          name: name === '' ? `column${at + 1}` : name,
          type: fixed,
          open: fixed === undefined ? new OpenColumn(type as 'any') : undefined,
        };
      });
      isJson = names.map((_, at) => types[at] === 'json');
      child = start();
      const isRaw = columns.some(({ open }) => open !== undefined);
      // By their place: names that differ in case alone are one to DuckDB where it reads.
      const written = columns.map((column, at) => (isRaw ? `c${at}` : column.name));
      const source = linesSource(columns, lineBytes(types, maxCellBytes));
      const select = selected(source, written, (column, at) =>
        columns[at]?.type === 'BLOB' ? `from_base64(${column})` : column,
      );
      copying = ask(copied(select, isRaw ? rawPath : path));
      broken = copying.then(() => {
        throw notWritten('the process that writes it takes no more rows');
      });
      broken.catch(() => {});
    },
    write(rows) {
      const stdin = child?.stdin;
      const ended = broken;
      if (!stdin || ended === undefined) throw notWritten('it is closed');
      for (const [at, { open }] of columns.entries()) if (open !== undefined) for (const row of rows) open.add(row[at]);
      text += linesOf(rows, isJson);
      given += rows.length;
      if (text.length < PART_LENGTH) return undefined;
      stdin.write(text);
      text = '';
      if (stdin.writable && stdin.writableLength < MOST_AHEAD_BYTES) return undefined;
      // A pipe that breaks says less than the end of the process, which follows.
      const drained = once(stdin, 'drain').then(
        () => {},
        () => ended,
      );
      return Promise.race([drained, ended]);
    },
    async end() {
      child?.stdin?.end(text);
      await copying;
      if (columns.some(({ open }) => open !== undefined)) {
        const names = columns.map(({ name }) => name);
        const select = selected(`read_parquet(${quotedText(rawPath)})`, names, (column, at) => {
          const open = columns[at]?.open;
          return open === undefined ? column : `CAST(${column} AS ${open.type})`;
        });
        await ask(copied(select, path));
        await rm(rawPath, { force: true });
      }
      await stop();
    },
    async abort() {
      await stop();
      await rm(rawPath, { force: true });
    },
  };
}

/** Nothing else on the machine may read what it writes. */
function start(): ChildProcess {
  const names = ['PATH', 'TMPDIR', 'LD_LIBRARY_PATH'].filter((name) => process.env[name] !== undefined);
  const env = { ...Object.fromEntries(names.map((name) => [name, process.env[name]])), ...CACHED_SOURCES };
  // Node's pipes are sockets, which cannot be opened by a name as DuckDB does it; the shell's can.
  const script = 'umask 077; ulimit -d "$0" 2>/dev/null; cat | "$@"';
  const child = spawn('/bin/sh', ['-c', script, String(MEMORY_LIMIT_KIB), process.execPath, CHILD], {
    stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
    serialization: 'json',
    env,
    detached: true,
  });
  // What it could not take is told by its end.
  child.stdin?.on('error', () => {});
  child.on('error', () => {});
  return child;
}

function failureOf(message: string): AtlasError {
  if (/No space left|disk full/i.test(message)) return notWritten('the disk is full');
  if (/^Out of Memory/i.test(message)) return notWritten('its rows are too long for the memory that there is for them');
  if (/^(?:Conversion|Invalid Input|Out of Range)/i.test(message)) {
    return new AtlasError('A value has no place in a Parquet file, such as a date beyond all calendars.', {
      code: 'sql_failed',
      reason: 'E_EXPORT_VALUE',
      hint: 'Cast the column to text, or export as CSV.',
    });
  }
  return notWritten('DuckDB cannot write it', message);
}

export const notWritten = (why: string, cause?: string) =>
  new AtlasError(`The file could not be written: ${why}.`, {
    code: 'unavailable',
    reason: 'E_EXPORT_FILE',
    hint: 'Try again, or ask an administrator to look at the log.',
    cause: cause === undefined ? undefined : new Error(cause),
  });
