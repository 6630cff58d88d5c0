/** Reads periods, and counts in days, weeks, months, quarters and years. All dates are UTC days, `YYYY-MM-DD`. */
import { AtlasError } from '../../kernel/index.ts';
import type { Grain } from '../semantic-query/index.ts';

/** `from` inclusive, `to` exclusive. */
export interface Period {
  readonly text: string;
  readonly from: string;
  readonly to: string;
}

const DAY_MS = 86_400_000;
const MONTHS = { month: 1, quarter: 3, year: 12 } as const;
const DAYS = { day: 1, week: 7 } as const;
/** A Monday. */
const FIRST_MONDAY = Date.parse('1970-01-05T00:00:00Z');

export const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);
const timeOf = (day: string) => Date.parse(`${day}T00:00:00Z`);
const monthIndex = (day: string) => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;
const monthStart = (index: number) => dayOf(Date.UTC(Math.floor(index / 12), ((index % 12) + 12) % 12, 1));

/** The number of the unit that the day is in. */
export function unitIndex(day: string, grain: Grain): number {
  if (grain === 'day' || grain === 'week') {
    return Math.floor((timeOf(day) - FIRST_MONDAY) / DAY_MS / DAYS[grain]);
  }
  return Math.floor(monthIndex(day) / MONTHS[grain]);
}

/** The first day of a unit. */
export function unitStart(index: number, grain: Grain): string {
  if (grain === 'day' || grain === 'week') return dayOf(FIRST_MONDAY + index * DAYS[grain] * DAY_MS);
  return monthStart(index * MONTHS[grain]);
}

/** The first day of a period as a statement writes it: `2024`, `2024-Q1`, `2024-03`, or a day. */
export function startOf(label: unknown): string {
  const text = String(label);
  const [, year = '', quarter] = /^(\d{4})-Q([1-4])$/.exec(text) ?? [];
  if (quarter !== undefined) return monthStart(Number(year) * 12 + (Number(quarter) - 1) * 3);
  return `${text}${'-01-01'.slice(Math.max(0, text.length - 4))}`.slice(0, 10);
}

/** A period as it is written in a plan. */
export function labelOf(index: number, grain: Grain): string {
  const day = unitStart(index, grain);
  if (grain === 'year') return day.slice(0, 4);
  if (grain === 'month') return day.slice(0, 7);
  return grain === 'quarter' ? `${day.slice(0, 4)}-Q${(Number(day.slice(5, 7)) + 2) / 3}` : day;
}

const grainOf = (text: string): Grain | undefined =>
  /^\d{4}$/.test(text)
    ? 'year'
    : /^\d{4}-Q[1-4]$/.test(text)
      ? 'quarter'
      : /^\d{4}-(?:0[1-9]|1[0-2])$/.test(text)
        ? 'month'
        : /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(timeOf(text)) && dayOf(timeOf(text)) === text
          ? 'day'
          : undefined;

/** `2025`, `2025-Q1`, `2025-03`, `2025-03-14`, or two of them, `2025-01..2025-06`, of which the last is in the period. */
export function periodOf(text: string): Period {
  const [first = '', last = first, more] = text.trim().toUpperCase().split('..');
  const grains = [grainOf(first), grainOf(last)];
  const [start, end] = grains;
  if (start !== undefined && end !== undefined && more === undefined) {
    const from = startOf(first);
    const to = unitStart(unitIndex(startOf(last), end) + 1, end);
    if (from < to) return { text: text.trim(), from, to };
  }
  throw new AtlasError(`${JSON.stringify(text)} is no period.`, {
    code: 'invalid_request',
    hint: 'Write 2025, 2025-Q1, 2025-03, 2025-03-14, or two of them as 2025-01..2025-06.',
  });
}

const GRAINS: readonly Grain[] = ['year', 'quarter', 'month', 'week', 'day'];

/** The longest unit that all periods are whole numbers of. */
export function commonGrain(...periods: readonly Period[]): Grain {
  const isWhole = (day: string, grain: Grain) => unitStart(unitIndex(day, grain), grain) === day;
  return GRAINS.find((grain) => periods.every(({ from, to }) => isWhole(from, grain) && isWhole(to, grain))) ?? 'day';
}

/** The period of the same length just before. */
export function periodBefore(period: Period): Period {
  const grain = commonGrain(period);
  const [start, end] = [unitIndex(period.from, grain), unitIndex(period.to, grain)];
  const from = unitStart(start - (end - start), grain);
  return { text: periodText(from, period.from), from, to: period.from };
}

/** As `periodOf` reads it. */
export function periodText(from: string, to: string): string {
  const grain = commonGrain({ text: '', from, to });
  const [first, last] = [unitIndex(from, grain), unitIndex(to, grain) - 1];
  if (grain === 'week') return `${from}..${unitStart(unitIndex(to, 'day') - 1, 'day')}`;
  return first === last ? labelOf(first, grain) : `${labelOf(first, grain)}..${labelOf(last, grain)}`;
}
