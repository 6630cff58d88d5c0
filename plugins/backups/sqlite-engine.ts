/** Backs up a SQLite file as a whole with the database's online backup. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { AtlasError } from '../../kernel/index.ts';
import { moduleBeside } from '../datasource-kit/index.ts';
import type { BackupEngine } from './api.ts';
import type { SqliteAnswer, SqliteTask } from './sqlite-task.ts';

const THREAD = moduleBeside('sqlite-thread', import.meta.url);

async function run(task: SqliteTask, signal: AbortSignal) {
  signal.throwIfAborted();
  const worker = new Worker(THREAD, { workerData: task, execArgv: [] });
  const stop = () => void worker.terminate();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const answered = once(worker, 'message') as Promise<[SqliteAnswer]>;
    const ended = once(worker, 'exit').then(() => {
      throw signal.reason ?? new AtlasError('The thread that copies the database ended.');
    });
    ended.catch(() => {});
    const [answer] = await Promise.race([answered, ended]);
    if ('states' in answer) return answer.states;
    throw Object.assign(new Error(answer.error.message), { code: answer.error.code });
  } finally {
    signal.removeEventListener('abort', stop);
    await worker.terminate();
  }
}

export function sqliteEngine(database: string): BackupEngine {
  const task = (kind: SqliteTask['kind']) => (file: string, tables: readonly string[], signal: AbortSignal) =>
    run({ kind, database, file, tables }, signal);
  const restore = task('restore');
  return {
    extension: '.db',
    async check() {},
    dump: task('dump'),
    inspect: task('inspect'),
    restore: async (...args) => void (await restore(...args)),
  };
}
