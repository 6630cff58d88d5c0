/** One DuckDB database, asked through its pool of processes. */
import { basename } from 'node:path';
import type { Program } from '../datasource/database-process.ts';
import { FileDatabase } from '../datasource/file-database.ts';
import type { ProcessWatcher } from '../datasource/process-watcher.ts';
import { crashed, foreignFile, fromFailure, missingFile, notStarted, outOfMemory, unreadableFile } from './errors.ts';
import type { DuckdbConnectionOptions } from './options.ts';
import { encodeParam } from './params.ts';
import type { EngineLimits } from './settings.ts';
import { maskDuckdbUrl, parseDuckdbUrl } from './url.ts';

/** What Node, the library's code and its threads take besides the data, in MiB. */
const OVERHEAD_MB = 1024;

function program(path: string, options: DuckdbConnectionOptions): Program {
  const { threads, memoryLimitMb, tempLimitMb } = options;
  const limits: EngineLimits = { threads, memoryLimitMb, tempLimitMb };
  return {
    child: new URL('./child', import.meta.url),
    title: 'atlas-duckdb',
    memoryLimitKib: (2 * memoryLimitMb + OVERHEAD_MB) * 1024,
    isInterruptible: true,
    hasScratchFolder: true,
    args: [path, JSON.stringify(limits)],
    crashed,
    outOfMemory,
    notStarted,
  };
}

export class DuckdbConnection extends FileDatabase {
  /** Throws `configuration_error` for a URL that names no file. */
  constructor(options: DuckdbConnectionOptions, cwd: string, watcher: ProcessWatcher) {
    const path = parseDuckdbUrl(options.url, cwd);
    const file = basename(path);
    super(
      {
        dbType: 'duckdb',
        path,
        maskedUrl: maskDuckdbUrl(path),
        program: program(path, options),
        header: { bytes: 'DUCK', at: 8, mayBeEmpty: false },
        encodeParam,
        fromFailure: (failure) => fromFailure(failure, file),
        missingFile: () => missingFile(file),
        unreadableFile: (mayNotBeRead) => unreadableFile(file, mayNotBeRead),
        foreignFile: () => foreignFile(file),
      },
      options,
      watcher,
    );
  }
}
