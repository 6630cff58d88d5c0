/** Parses dates and times of plans to half-open ranges: `2024`, `2024-Q2`, `2024-05`, `2024-05-31`, ISO timestamps. */
import { PlanError } from '../errors.ts';

/**
 * `from` inclusive, `to` exclusive. Days are `YYYY-MM-DD`; instants are `YYYY-MM-DD HH:MM:SS`, in UTC when a zone was
 * given.
 */
export interface Period {
  readonly from: string;
  readonly to: string;
  readonly precision: 'instant' | 'day' | 'longer';
}

const day = (date: Date) => date.toISOString().slice(0, 10);
const utc = (year: number, month: number, dayOfMonth = 1) => {
  const date = new Date(0);
  date.setUTCFullYear(year, month, dayOfMonth);
  return date;
};

function months(year: number, first: number, count: number): Period {
  return { from: day(utc(year, first)), to: day(utc(year, first + count)), precision: 'longer' };
}

/** The day after `YYYY-MM-DD…`. */
export function nextDay(text: string): string {
  return day(new Date(Date.parse(`${text.slice(0, 10)}T00:00:00Z`) + 86_400_000));
}

function instant(text: string): Period | undefined {
  const parts = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2})?(\.\d{1,9})?\s*(Z|[+-]\d{2}:?\d{2})?$/i.exec(text);
  if (parts === null) return undefined;
  const [, date = '', minutes = '', seconds = ':00', fraction = '', zone] = parts;
  const time = new Date(
    `${date}T${minutes}${seconds}${zone === undefined || /z/i.test(zone) ? 'Z' : zone.replace(/^(...)(\d\d)$/, '$1:$2')}`,
  );
  if (Number.isNaN(time.getTime()) || !isDay(date)) return undefined;
  const moment = `${time.toISOString().slice(0, 19).replace('T', ' ')}${/[1-9]/.test(fraction) ? fraction : ''}`;
  return { from: moment, to: moment, precision: 'instant' };
}

function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && day(new Date(time)) === text;
}

/** Throws `PlanError` for any other text; `what` names the dimension in the message. */
export function periodOf(value: string | number | boolean, what: string): Period {
  const text = String(value).trim();
  const parts = /^(\d{4})(?:-(?:Q([1-4])|(0[1-9]|1[0-2])))?$/i.exec(text);
  if (parts !== null) {
    const year = Number(parts[1]);
    if (parts[2] !== undefined) return months(year, (Number(parts[2]) - 1) * 3, 3);
    if (parts[3] !== undefined) return months(year, Number(parts[3]) - 1, 1);
    return months(year, 0, 12);
  }
  if (/^\d{4}-\d{2}-\d{2}$/.test(text) && isDay(text)) return { from: text, to: nextDay(text), precision: 'day' };
  const moment = instant(text);
  if (moment !== undefined) return moment;
  throw new PlanError(
    'invalid_plan',
    `${JSON.stringify(value)} is not a date for ${what}; write YYYY-MM-DD, YYYY-MM, YYYY-Qn, YYYY or an ISO timestamp.`,
  );
}
