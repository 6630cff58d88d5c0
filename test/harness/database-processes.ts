/** Looks at the processes that file databases run their statements in. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

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

/** Whether a database process with this title, started by this process, is using the processor. Linux only. */
export async function processIsWorking(title: string): Promise<boolean> {
  const before = databaseProcesses(process.pid, title).map((id) => ({ id, used: ticks(id) }));
  if (before.length === 0) return false;
  await sleep(150);
  return before.some(({ id, used }) => ticks(id) - used >= 2);
}
