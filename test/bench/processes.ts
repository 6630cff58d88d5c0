/** Memory and processor time of a process and all its descendants, from /proc; Linux only. */
import { readdirSync, readFileSync } from 'node:fs';

/** The unit of /proc/<pid>/stat: 100 a second on every Linux that Node runs on. */
const TICK_MS = 10;

export interface TreeMemory {
  /** Resident memory, summed: pages that processes share count once for each. */
  readonly rssMb: number;
  /** The same with each shared page divided among its users. */
  readonly pssMb: number;
}

export function treeMemory(root: number): TreeMemory {
  return memoryOf([root, ...descendantsOf(root)]);
}

/** Memory of the process without its descendants. */
export function processMemory(id: number): TreeMemory {
  return memoryOf([id]);
}

/** User and system time so far, including that of children that have ended. */
export function treeProcessorMs(root: number): number {
  const ticks = [root, ...descendantsOf(root)].map((id) => {
    const [utime = 0, stime = 0, cutime = 0, cstime = 0] = statOf(id).slice(11, 15).map(Number);
    return utime + stime + cutime + cstime;
  });
  return ticks.reduce((sum, one) => sum + one, 0) * TICK_MS;
}

export function parentOf(id: number): number {
  return Number(statOf(id)[1]);
}

function memoryOf(ids: readonly number[]): TreeMemory {
  const sum = (file: string, field: RegExp) =>
    ids.reduce((total, id) => total + Number(field.exec(readProc(id, file))?.[1] ?? 0) / 1024, 0);
  return { rssMb: sum('status', /^VmRSS:\s+(\d+)/m), pssMb: sum('smaps_rollup', /^Pss:\s+(\d+)/m) };
}

/** Fields from the state on: the command's name, which may hold spaces and parentheses, stands before them. */
function statOf(id: number): string[] {
  return readProc(id, 'stat')
    .replace(/^.*\) /s, '')
    .split(' ');
}

function descendantsOf(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = parentOf(Number(name));
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found: number[] = [];
  const visit = (id: number) => {
    for (const child of children.get(id) ?? []) {
      found.push(child);
      visit(child);
    }
  };
  visit(root);
  return found;
}

/** Empty for a process that has ended. */
function readProc(id: number, file: string): string {
  try {
    return readFileSync(`/proc/${id}/${file}`, 'latin1');
  } catch {
    return '';
  }
}
