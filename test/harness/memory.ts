/** Measures the memory of this process and of the database processes that it has started. */
import { readFileSync } from 'node:fs';
import { databaseProcesses } from './database-processes.ts';

const PAGE_BYTES = 4_096;
const EVERY_MS = 20;

/** Resident memory of another process; 0 when it is gone. Linux only. */
function residentBytes(id: number): number {
  try {
    return Number(readFileSync(`/proc/${id}/statm`, 'latin1').split(' ')[1]) * PAGE_BYTES;
  } catch {
    return 0;
  }
}

export interface MemoryPeak {
  /** By how much this process grew at most. */
  readonly ownBytes: number;
  /** The same with its database processes. */
  readonly treeBytes: number;
}

/** What `work` takes at its peak beyond what was there before. */
export async function memoryPeak(work: () => Promise<unknown>): Promise<MemoryPeak> {
  const now = () => {
    const own = process.memoryUsage.rss();
    return { own, tree: databaseProcesses(process.pid, 'atlas-').reduce((sum, id) => sum + residentBytes(id), own) };
  };
  const before = now();
  let peak = before;
  const look = () => {
    const { own, tree } = now();
    peak = { own: Math.max(peak.own, own), tree: Math.max(peak.tree, tree) };
  };
  const watching = setInterval(look, EVERY_MS);
  try {
    await work();
    look();
  } finally {
    clearInterval(watching);
  }
  return { ownBytes: peak.own - before.own, treeBytes: peak.tree - before.tree };
}
