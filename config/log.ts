/** The log: JSON lines on standard error. */
import { pino } from 'pino';
import type { Logger } from '../kernel/index.ts';

export function createLog(level: 'debug' | 'info' | 'warn' | 'error'): Logger {
  // Written at once: a line about a crash must not be lost with the process.
  return pino({ level, base: null }, pino.destination({ dest: 2, sync: true }));
}
