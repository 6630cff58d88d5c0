/** Creates SQLite databases for tests, in a folder that is removed with the test. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';

export class SqliteFolder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'atlas-sqlite-'));

  /** Makes a database of the script's tables; returns its path. */
  create(name: string, script: string): string {
    const path = join(this.path, name);
    const db = new Sqlite(path);
    db.exec(script);
    db.close();
    return path;
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
