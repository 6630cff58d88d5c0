/** Makes the database of one DuckDB connection, asked through its pool of processes. */
import { basename } from 'node:path';
import { FileDatabase, moduleBeside, type ProcessWatcher } from '../datasource-kit/index.ts';
import { requirePackages } from '../package-kit/index.ts';
import { duckdbErrors, fromFailure } from './errors.ts';
import type { DuckdbConnectionOptions } from './options.ts';
import type { EngineLimits } from './settings.ts';
import { maskDuckdbUrl, parseDuckdbUrl } from './url.ts';

/** What Node, the library's code and its threads take besides the data, in MiB. */
const OVERHEAD_MB = 1024;

/** Throws `configuration_error` for a URL that names no file. */
export function duckdbConnection(options: DuckdbConnectionOptions, cwd: string, watcher: ProcessWatcher): FileDatabase {
  requirePackages(['@duckdb/node-api'], import.meta.url);
  const { threads, memoryLimitMb, tempLimitMb } = options;
  const limits: EngineLimits = { threads, memoryLimitMb, tempLimitMb };
  const path = parseDuckdbUrl(options.url, cwd);
  const file = basename(path);
  return new FileDatabase(
    {
      dbType: 'duckdb',
      path,
      maskedUrl: maskDuckdbUrl(path),
      program: {
        engine: moduleBeside('engine', import.meta.url),
        title: 'atlas-duckdb',
        memoryLimitKib: (2 * memoryLimitMb + OVERHEAD_MB) * 1024,
        isInterruptible: true,
        hasScratchFolder: true,
        args: [path, JSON.stringify(limits)],
      },
      header: { bytes: 'DUCK', at: 8, mayBeEmpty: false },
      errors: duckdbErrors(file),
      fromFailure: (failure) => fromFailure(failure, file),
    },
    options,
    watcher,
  );
}
