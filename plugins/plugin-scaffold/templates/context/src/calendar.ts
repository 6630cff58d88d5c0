/** Writes the calendar as text for the model. */
import { AtlasError } from 'atlas-query';
import type { Options } from './options.ts';

/** Holidays that are named: those around today matter, a long list only costs tokens. */
const SHOWN_HOLIDAYS = 12;

const pad = (number: number) => String(number).padStart(2, '0');

/** The date in a time zone, as `2026-01-15`. Throws `configuration_error` for a zone that does not exist. */
function dayIn(timeZone: string, now: Date): string {
  try {
    return new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(now);
  } catch {
    throw new AtlasError(`There is no time zone "${timeZone}".`, {
      code: 'configuration_error',
      hint: 'Write an IANA name such as "Europe/Vienna".',
    });
  }
}

/** First and last day of the months that begin with `start`; months count from 1 and may go beyond 12. */
function span(year: number, start: number, months: number): string {
  const first = new Date(Date.UTC(year, start - 1, 1));
  const last = new Date(Date.UTC(year, start - 1 + months, 0));
  const shown = (date: Date) => date.toISOString().slice(0, 10);
  return `${shown(first)} to ${shown(last)}`;
}

export function calendarText(now: Date, { fiscalYearStart, timeZone, holidays }: Options): string {
  const today = dayIn(timeZone, now);
  const [year = 0, month = 1] = today.split('-').map(Number);
  const beginsIn = month >= fiscalYearStart ? year : year - 1;
  const fiscalYear = fiscalYearStart === 1 ? beginsIn : beginsIn + 1;
  const quarter = Math.floor(((month - fiscalYearStart + 12) % 12) / 3) + 1;
  const next = holidays
    .filter(({ date }) => date >= `${year}-${pad(month)}-01`)
    .sort((a, b) => a.date.localeCompare(b.date))
    .slice(0, SHOWN_HOLIDAYS);
  return [
    `Today is ${today} (${timeZone}).`,
    `Fiscal year ${fiscalYear}: ${span(beginsIn, fiscalYearStart, 12)}.`,
    ...[1, 2, 3, 4].map((number) => {
      const isNow = number === quarter ? ', the current quarter' : '';
      return `Quarter ${number}: ${span(beginsIn, fiscalYearStart + 3 * (number - 1), 3)}${isNow}.`;
    }),
    ...(next.length > 0 ? [`Holidays: ${next.map(({ date, name }) => `${date} ${name}`).join(', ')}.`] : []),
    '"This year", "this quarter" and "last quarter" mean those of the fiscal year unless the user says otherwise.',
  ].join('\n');
}
