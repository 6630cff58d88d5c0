/** A SQLite file in a thread of its own: a commit waits for the disk, and nothing else has to wait with it. */
import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import type { StatementReply, StatementRequest, ThreadData } from './sqlite-connection.ts';

/** Statements are prepared once; those of this plugin's users are few. */
const KEPT_STATEMENTS = 200;

const { path, waitMs } = workerData as ThreadData;
const db = new Sqlite(path, { fileMustExist: true, timeout: waitMs });
db.pragma('journal_mode = WAL');
// Rows of the audit log must survive a loss of power.
db.pragma('synchronous = FULL');
db.pragma('foreign_keys = ON');
const statements = new Map<string, Sqlite.Statement>();

function prepared(sql: string): Sqlite.Statement {
  const statement = statements.get(sql) ?? db.prepare(sql);
  statements.delete(sql);
  statements.set(sql, statement);
  if (statements.size > KEPT_STATEMENTS) statements.delete(statements.keys().next().value ?? '');
  return statement;
}

function answer({ sql, bindings }: StatementRequest): StatementReply {
  try {
    const statement = prepared(sql);
    if (statement.reader) return { rows: statement.all(bindings) };
    const { changes, lastInsertRowid } = statement.run(bindings);
    return { changes, lastInsertRowid };
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    return { error: { message, code } };
  }
}

parentPort?.on('message', (request: StatementRequest | 'close') => {
  if (request !== 'close') {
    parentPort?.postMessage(answer(request));
    return;
  }
  db.close();
  parentPort?.close();
});
parentPort?.postMessage({ rows: [] } satisfies StatementReply);
