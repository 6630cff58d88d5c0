/** Runs the statements of a SQLite file in a worker thread, so that a commit does not block the event loop. */
import { flushCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import type { BatchStatement } from './row-types.ts';
import type { BatchRequest, StatementReply, StatementRequest, ThreadData } from './sqlite-connection.ts';

/** Statements are prepared once; those of this plugin's users are few. */
const KEPT_STATEMENTS = 200;

const CACHE_KIB = 2_048;

const { path, waitMs } = workerData as ThreadData;
const db = new Sqlite(path, { fileMustExist: true, timeout: waitMs });
db.pragma('journal_mode = WAL');
// Rows of the audit log must survive a loss of power.
db.pragma('synchronous = FULL');
db.pragma('foreign_keys = ON');
// Commits change the newest pages; older ones come from the system's own cache. By default it is 16 MB.
db.pragma(`cache_size = -${CACHE_KIB}`);
// Pages that many commits change are then copied into the file once: 16 MiB of log.
db.pragma('wal_autocheckpoint = 4000');
const statements = new Map<string, Sqlite.Statement>();

function prepared(sql: string): Sqlite.Statement {
  const statement = statements.get(sql) ?? db.prepare(sql);
  statements.delete(sql);
  statements.set(sql, statement);
  if (statements.size > KEPT_STATEMENTS) statements.delete(statements.keys().next().value ?? '');
  return statement;
}

type Row = Record<string, unknown>;

function runEach({ sql, json }: BatchStatement): void {
  const statement = prepared(sql);
  for (const row of JSON.parse(json) as Row[]) {
    // SQLite has no truth values.
    for (const name in row) if (typeof row[name] === 'boolean') row[name] = Number(row[name]);
    statement.run(row);
  }
}

function runAll(batch: readonly BatchStatement[]): void {
  prepared('BEGIN IMMEDIATE').run();
  try {
    for (const statement of batch) runEach(statement);
    prepared('COMMIT').run();
  } catch (error) {
    if (db.inTransaction) prepared('ROLLBACK').run();
    throw error;
  }
}

function answer(request: StatementRequest | BatchRequest): StatementReply {
  try {
    if ('batch' in request) {
      runAll(request.batch);
      return {};
    }
    const { sql, bindings } = request;
    const statement = prepared(sql);
    if (statement.reader) return { rows: statement.all(bindings) };
    const { changes, lastInsertRowid } = statement.run(bindings);
    return { changes, lastInsertRowid };
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    return { error: { message, code } };
  }
}

parentPort?.on('message', (request: StatementRequest | BatchRequest | 'close') => {
  if (request !== 'close') {
    parentPort?.postMessage(answer(request));
    return;
  }
  db.close();
  parentPort?.close();
});
parentPort?.postMessage({ rows: [] } satisfies StatementReply);
flushCompileCache();
