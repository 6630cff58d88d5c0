/** SQLite databases for tests, in a folder of their own that is removed with the test. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
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

/** Process ids of the database processes of `parent`. Linux only; elsewhere none are found. */
export function databaseProcesses(parent: number = process.pid, title = 'atlas-sqlite'): number[] {
  const ids = process.platform === 'linux' ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  return ids.map(Number).filter((id) => {
    try {
      const [, , ppid] = readFileSync(`/proc/${id}/stat`, 'latin1')
        .replace(/^.*\) /s, 'x ')
        .split(' ');
      return Number(ppid) === parent && readFileSync(`/proc/${id}/cmdline`, 'latin1').includes(title);
    } catch {
      return false;
    }
  });
}

/** Processor time that a process has used, in clock ticks; 0 when it is gone. */
function ticks(id: number): number {
  try {
    const fields = readFileSync(`/proc/${id}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return 0;
  }
}

/** Whether any database process of this test uses the processor for most of a tenth of a second. */
export async function databaseIsWorking(title?: string): Promise<boolean> {
  const before = databaseProcesses(process.pid, title).map((id) => ({ id, used: ticks(id) }));
  if (before.length === 0) return false;
  await sleep(150);
  return before.some(({ id, used }) => ticks(id) - used >= 4);
}
