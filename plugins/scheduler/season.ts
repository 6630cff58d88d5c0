/** Names the position of a run in its season: its weekday, and its hour where a schedule is due several times a day. */
import { nextTime } from './cron.ts';
import type { TaskRow } from './rows.ts';

const HOUR_MS = 3_600_000;
/** Enough to meet the shortest distance of a schedule. */
const LOOKED_AT = 10;
/** A day and a week, also where the clocks change. */
const DAY_MS = 23 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;

/** The shortest distance between times at which the schedule is due. */
function shortestMs(expression: string, timezone: string, afterMs: number): number {
  let shortest = Infinity;
  let before = nextTime(expression, timezone, afterMs);
  for (let count = 1; count < LOOKED_AT && before !== undefined; count += 1) {
    const next = nextTime(expression, timezone, before);
    if (next !== undefined) shortest = Math.min(shortest, next - before);
    before = next;
  }
  return shortest;
}

/** Positions are words such as `Monday 08`; all are '' of a schedule that is due once a week or less often. */
export function seasonOf(
  { cron_expression, timezone }: Pick<TaskRow, 'cron_expression' | 'timezone'>,
  now: number,
): (time: string) => string {
  const distance = shortestMs(cron_expression, timezone, now);
  if (distance >= WEEK_MS) return () => '';
  const format = new Intl.DateTimeFormat('en', {
    weekday: 'long',
    ...(distance < DAY_MS && { hour: '2-digit', hourCycle: 'h23' }),
    timeZone: timezone,
  });
  return (time) =>
    format
      .formatToParts(new Date(time))
      .filter(({ type }) => type !== 'literal')
      .map(({ value }) => value)
      .join(' ');
}
