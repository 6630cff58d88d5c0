/** Reads how long a process has waited for a processor. */
import { readFileSync } from 'node:fs';

/** Milliseconds since its start; 0 where the system does not tell. */
export function processorWaitMs(pid: number): number {
  try {
    // Nanoseconds on a processor, nanoseconds of waiting for one, and how often it has had one.
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}
