/** One SQLite database, asked through its pool of processes. */
import { basename } from 'node:path';
import type { Program } from '../datasource/database-process.ts';
import { FileDatabase } from '../datasource/file-database.ts';
import type { ProcessWatcher } from '../datasource/process-watcher.ts';
import { crashed, fromFailure, missingFile, notStarted, outOfMemory } from './errors.ts';
import type { SqliteConnectionOptions } from './options.ts';
import { encodeParam } from './params.ts';
import { maskSqliteUrl, parseSqliteUrl } from './url.ts';

/** SQLite then fails cleanly. */
const MEMORY_LIMIT_KIB = 1024 * 1024;

const program = (path: string): Program => ({
  child: new URL('./child', import.meta.url),
  title: 'atlas-sqlite',
  memoryLimitKib: MEMORY_LIMIT_KIB,
  isInterruptible: false,
  hasScratchFolder: false,
  args: [path],
  crashed,
  outOfMemory,
  notStarted,
});

export class SqliteConnection extends FileDatabase {
  /** Throws `configuration_error` for a URL that names no file. */
  constructor(options: SqliteConnectionOptions, cwd: string, watcher: ProcessWatcher) {
    const path = parseSqliteUrl(options.url, cwd);
    const file = basename(path);
    const fault = (code: string) => fromFailure({ kind: 'engine', code, message: '' }, file);
    super(
      {
        dbType: 'sqlite',
        path,
        maskedUrl: maskSqliteUrl(path),
        program: program(path),
        // An empty file is an empty database.
        header: { bytes: 'SQLite format 3\0', at: 0, mayBeEmpty: true },
        encodeParam,
        fromFailure: (failure) => fromFailure(failure, file),
        missingFile: () => missingFile(file),
        unreadableFile: (mayNotBeRead) => fault(mayNotBeRead ? 'SQLITE_PERM' : 'SQLITE_IOERR'),
        foreignFile: () => fault('SQLITE_NOTADB'),
      },
      options,
      watcher,
    );
  }
}
