/** Creates DuckDB databases for tests, in a folder that is removed with the test. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { databaseProcesses, processIsWorking } from './database-processes.ts';

export class DuckdbFolder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'duckdb-test-'));

  /** Makes a database of the script's tables, whole and closed; returns its path. */
  async create(name: string, script: string): Promise<string> {
    const path = join(this.path, name);
    const instance = await DuckDBInstance.create(path);
    const connection = await instance.connect();
    await connection.run(script);
    connection.closeSync();
    instance.closeSync();
    return path;
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

const TITLE = 'atlas-duckdb';

export const duckdbProcesses = (parent?: number): number[] => databaseProcesses(parent, TITLE);

/** Whether any database process of this test uses the processor for most of a tenth of a second. */
export const duckdbIsWorking = (): Promise<boolean> => processIsWorking(TITLE);
