/** Memory of a process and all its descendants, from /proc; Linux only. */
import { readdirSync, readFileSync } from 'node:fs';

export interface TreeMemory {
  /** Resident memory, summed: pages that processes share count once for each. */
  readonly rssMb: number;
  /** The same with each shared page divided among its users. */
  readonly pssMb: number;
}

export function treeMemory(root: number): TreeMemory {
  return memoryOf([root, ...descendantsOf(root)]);
}

/** Of the process without its descendants. */
export function processMemory(id: number): TreeMemory {
  return memoryOf([id]);
}

function memoryOf(ids: readonly number[]): TreeMemory {
  const sum = (file: string, field: RegExp) =>
    ids.reduce((total, id) => total + Number(field.exec(readProc(id, file))?.[1] ?? 0) / 1024, 0);
  return { rssMb: sum('status', /^VmRSS:\s+(\d+)/m), pssMb: sum('smaps_rollup', /^Pss:\s+(\d+)/m) };
}

function descendantsOf(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    // The command's name, which may hold spaces and parentheses, stands before the last parenthesis.
    const parent = Number(/\) \S (\d+) [^)]*$/.exec(readProc(Number(name), 'stat'))?.[1]);
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
