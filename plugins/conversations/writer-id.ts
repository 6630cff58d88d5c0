/** Tells whether the process that was writing an answer still can. */
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Longest silence of a writer: it says every ten seconds that it is there. */
const SILENCE_MS = 30_000;

/** Containers of one host name number their processes each by itself. Only Linux names where it does. */
function numbersOf(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** As it is stored beside what this process writes: host, process, and when it began, as numbers are used again. */
export const writerId = () => JSON.stringify([hostname(), process.pid, performance.timeOrigin, numbersOf()]);

/** Whether the writer may still be at work, given when it last wrote. */
export function isAtWork(writer: string, lastWroteMs: number, nowMs: number): boolean {
  if (nowMs - lastWroteMs > SILENCE_MS) return false;
  const [host, pid, began, numbers = numbersOf()] = JSON.parse(writer) as [string, number, number, string?];
  if (host !== hostname() || numbers !== numbersOf()) return true;
  return pid === process.pid ? began === performance.timeOrigin : exists(pid);
}

/** Signal 0 reaches a process without doing anything; one of another user answers that it may not be reached. */
function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
