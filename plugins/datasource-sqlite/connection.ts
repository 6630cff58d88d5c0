/** Makes the database of one SQLite connection, asked through its pool of processes. */
import { basename } from 'node:path';
import { FileDatabase, moduleBeside, type ProcessWatcher } from '../datasource-kit/index.ts';
import { fromFailure, sqliteErrors } from './errors.ts';
import type { SqliteConnectionOptions } from './options.ts';
import { maskSqliteUrl, parseSqliteUrl } from './url.ts';

/** Limit for what one process takes at once, at which SQLite fails cleanly. */
const MEMORY_LIMIT_KIB = 1024 * 1024;

/** Throws `configuration_error` for a URL that names no file. */
export function sqliteConnection(options: SqliteConnectionOptions, cwd: string, watcher: ProcessWatcher): FileDatabase {
  const path = parseSqliteUrl(options.url, cwd);
  const file = basename(path);
  return new FileDatabase(
    {
      dbType: 'sqlite',
      path,
      maskedUrl: maskSqliteUrl(path),
      program: {
        engine: moduleBeside('engine', import.meta.url),
        title: 'atlas-sqlite',
        memoryLimitKib: MEMORY_LIMIT_KIB,
        sharedMemoryMib: options.memoryLimitMb,
        isInterruptible: false,
        hasScratchFolder: false,
        args: [path],
      },
      // An empty file is an empty database.
      header: { bytes: 'SQLite format 3\0', at: 0, mayBeEmpty: true },
      errors: sqliteErrors(file),
      fromFailure: (failure) => fromFailure(failure, file),
    },
    options,
    watcher,
  );
}
