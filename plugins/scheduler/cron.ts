/** Computes when a task is due, by croner. */
import { Cron } from 'croner';
import { didYouMean, messageOf } from '../../kernel/index.ts';

const FIELDS = 'five fields: minute, hour, day of month, month, day of week, such as "0 8 * * 1-5"';
/** Names such as `Europe/Berlin` and `UTC`; offsets such as `+01:00` know no daylight saving time. */
const ZONE = /^[A-Za-z][A-Za-z0-9_+/-]*$/;
/** `?` and `+` mean something else in other crons. */
const FIELD = /^[0-9A-Za-z*,/#-]+$/;

/** The expression with one space between its fields. */
export const normalizedCron = (expression: string): string => expression.trim().split(/\s+/).join(' ');

/** What is wrong with the expression, to follow its name: `must have five fields: …`. `undefined`: nothing. */
export function cronProblem(expression: string, nowMs: number): string | undefined {
  const fields = normalizedCron(expression).split(' ');
  if (expression.trim().startsWith('@')) return `must not be a nickname such as @daily; write ${FIELDS}`;
  if (fields.length === 6 || fields.length === 7) return `must not have seconds or years; write ${FIELDS}`;
  if (fields.length !== 5) return `must have ${FIELDS}`;
  if (!fields.every((field) => FIELD.test(field))) return `has characters that no field may have; write ${FIELDS}`;
  try {
    const cron = new Cron(fields.join(' '), { mode: '5-part', timezone: 'UTC' });
    return cron.nextRun(new Date(nowMs)) === null ? 'never fires, as no month that it names has that day' : undefined;
  } catch (error) {
    return `is not valid (${messageOf(error).replace(/^CronPattern: /, '')}); write ${FIELDS}`;
  }
}

/** What is wrong with the name of a time zone. */
export function timezoneProblem(timezone: string): string | undefined {
  try {
    if (ZONE.test(timezone) && new Intl.DateTimeFormat('en', { timeZone: timezone })) return undefined;
  } catch {
    // Node does not know the name.
  }
  const known = Intl.supportedValuesOf('timeZone');
  return `must be an IANA time zone such as "Europe/Berlin" or "UTC"${didYouMean(timezone, known)}`;
}

/** The first due time after `afterMs`, in milliseconds; `undefined`: there is none. */
export function nextTime(expression: string, timezone: string, afterMs: number): number | undefined {
  return new Cron(expression, { mode: '5-part', timezone }).nextRun(new Date(afterMs))?.getTime();
}
