/** Shows what a cron expression means: in words, and the next times when it is due. */
import { Cron } from 'croner';
import type { ReactNode } from 'react';
import { cronInWords } from './cron-words.ts';
import { ADMIN } from './texts.ts';

const TIMES = 5;

/** `undefined` while the expression or the time zone is not one. */
export function dueTimes(expression: string, timezone: string): readonly Date[] | undefined {
  try {
    return new Cron(expression.trim(), { mode: '5-part', timezone }).nextRuns(TIMES);
  } catch {
    return undefined;
  }
}

export interface DueTimesProps {
  readonly expression: string;
  readonly timezone: string;
}

export function DueTimes({ expression, timezone }: DueTimesProps): ReactNode {
  if (expression.trim() === '') return null;
  const times = dueTimes(expression, timezone);
  if (times === undefined) return <p>{ADMIN.schedules.notDue}</p>;
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'short', timeZone: timezone });
  return (
    <>
      <p>{cronInWords(expression) ?? expression}</p>
      <p>{ADMIN.schedules.nextTimes}</p>
      <ol aria-label={ADMIN.schedules.nextTimes}>
        {times.map((time) => (
          <li key={time.getTime()}>
            <time dateTime={time.toISOString()}>{format.format(time)}</time>
          </li>
        ))}
      </ol>
    </>
  );
}
