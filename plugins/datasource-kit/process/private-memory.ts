/** Reads how much memory a process has to itself. */
import { readFileSync } from 'node:fs';

/** Bytes without what it shares with others, such as its program; 0 where the system does not tell. */
export function privateBytes(pid: number): number {
  try {
    return Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
