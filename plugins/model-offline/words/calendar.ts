/** Calendar days as `YYYY-MM-DD` in UTC. Ranges are half open: `from` is in, `to` is out. */
import type { Grain } from './layer.ts';

export type DayRange = { readonly from?: string; readonly to?: string };
export type ClosedRange = { readonly from: string; readonly to: string };

const NAMES = 'january february march april may june july august september october november december';
export const MONTHS = NAMES.split(' ');

export const dayOf = (date: Date): string => date.toISOString().slice(0, 10);
export const day = (year: number, month: number, date: number): string =>
  dayOf(new Date(Date.UTC(year, month - 1, date)));
export const isDay = (text: string): boolean => {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && dayOf(date) === text;
};

const parts = (text: string) => text.split('-').map(Number) as [number, number, number];

/** Moves by whole units; a month or year that lacks the day of the month ends on its last day. */
export function move(text: string, unit: Grain, count: number): string {
  const [year, month, date] = parts(text);
  if (unit === 'day' || unit === 'week') return day(year, month, date + count * (unit === 'week' ? 7 : 1));
  const months = count * { month: 1, quarter: 3, year: 12 }[unit];
  const lastDate = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return day(year, month + months, Math.min(date, lastDate));
}

/** First day of the unit that holds the day. Weeks begin on Monday. */
export function startOf(text: string, unit: Grain): string {
  const [year, month, date] = parts(text);
  if (unit === 'day') return text;
  if (unit === 'week') return day(year, month, date - ((new Date(`${text}T00:00:00Z`).getUTCDay() + 6) % 7));
  if (unit === 'month') return day(year, month, 1);
  return unit === 'quarter' ? day(year, month - ((month - 1) % 3), 1) : day(year, 1, 1);
}

/** The whole unit that holds the day, moved by `offset` units. */
export function unitRange(text: string, unit: Grain, offset = 0): ClosedRange {
  const from = move(startOf(text, unit), unit, offset);
  return { from, to: move(from, unit, 1) };
}

/** "March 2025", "2024", "1 to 15 March …" as dates: what an answer calls a range. */
export function rangeText(range: DayRange): string {
  const { from, to } = range;
  if (from === undefined) return to === undefined ? 'all time' : `before ${to}`;
  if (to === undefined) return `since ${from}`;
  const [year, month] = parts(from);
  const units: Grain[] = ['year', 'quarter', 'month', 'day'];
  const unit = units.find((one) => startOf(from, one) === from && move(from, one, 1) === to);
  if (unit === 'day') return from;
  if (unit === 'month') return `${MONTHS[month - 1]!.replace(/^./, (c) => c.toUpperCase())} ${year}`;
  if (unit === 'quarter') return `Q${(month + 2) / 3} ${year}`;
  if (unit === 'year') return `${year}`;
  return `${from} to ${move(to, 'day', -1)}`;
}
