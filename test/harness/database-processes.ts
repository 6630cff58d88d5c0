/** Looks at the processes that file databases run their statements in. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** What is read of a process or a thread; `gone` where it has ended meanwhile. */
function unlessGone<T>(read: () => T, gone: T): T {
  try {
    return read();
  } catch {
    return gone;
  }
}

const text = (path: string) => unlessGone(() => readFileSync(path, 'latin1'), '');

/** Process ids of what `parent` has started. Linux only; elsewhere none are found. */
function childrenOf(parent: number): number[] {
  // The kernel keeps them by the thread that started them: much less to read than every process of the machine.
  const threads = unlessGone(() => readdirSync(`/proc/${parent}/task`), []);
  const ids = threads.flatMap((thread) => text(`/proc/${parent}/task/${thread}/children`).split(' '));
  return ids.filter(Boolean).map(Number);
}

/** Process ids of the database processes of `parent`. Linux only; elsewhere none are found. */
export function databaseProcesses(parent: number = process.pid, title = 'atlas-sqlite'): number[] {
  return childrenOf(parent).filter((id) => text(`/proc/${id}/cmdline`).includes(title));
}

/** Processor time that a process has used, in clock ticks; 0 when it is gone. */
function ticks(id: number): number {
  const fields = text(`/proc/${id}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ');
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}

/** Whether a database process with this title, started by this process, is using the processor. Linux only. */
export async function processIsWorking(title: string): Promise<boolean> {
  const before = databaseProcesses(process.pid, title).map((id) => ({ id, used: ticks(id) }));
  if (before.length === 0) return false;
  await sleep(150);
  return before.some(({ id, used }) => ticks(id) - used >= 2);
}
