/** Reads a time expression at a place in the question: "in Q1 2025", "past 6 months", "between … and …". */
import { type ClosedRange, type DayRange, day, dayOf, isDay, MONTHS, move, startOf, unitRange } from './calendar.ts';
import type { Grain } from './layer.ts';
import type { Token } from './tokenize.ts';

/** With several ranges the reader asks. `next`: index of the first token after it. */
type Match = { readonly ranges: readonly DayRange[]; readonly next: number };
type Period = { readonly ranges: readonly ClosedRange[]; readonly next: number };

const DAYS = ['yesterday', 'today', 'tomorrow'];
const UNITS = 'day|week|month|quarter|year';
const BACK = 'last|past|trailing|recent|previous|prior|preceding';
const AHEAD = 'next|coming|upcoming|following';
const MONTH = MONTHS.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)}${name === 'september' ? '|t' : ''})?`).join(
  '|',
);
const YEAR = '((?:19|20)\\d\\d)';
const OF = '(?: of| in| ,)?';
const ORDINALS = 'first|second|third|fourth|1st|2nd|3rd|4th';
const wordOf = ({ kind, word, value }: Token): string =>
  kind === 'quoted' ? '"' : kind === 'number' && Number.isInteger(value) && !/\d/.test(word) ? String(value) : word;
const textAt = (tokens: readonly Token[], at: number): string => Array.from(tokens.slice(at, at + 9), wordOf).join(' ');

const pattern = (source: string): RegExp =>
  new RegExp(`^${source.replaceAll('MONTH', `(${MONTH})`).replaceAll('YEAR', YEAR)}(?= |$)`);
const DATE = pattern(
  `(?:(?<d>\\d{1,2})(?:st|nd|rd|th)?(?: of)? (?<m>${MONTH})|(?<m2>${MONTH}) (?<d2>\\d{1,2})(?:st|nd|rd|th)?)(?:${OF} YEAR)?`,
);
const MONTH_YEAR = pattern(`MONTH(?:${OF} YEAR)?`);
const PART = pattern(
  `(?:([qh])([1-4])|(${ORDINALS}) (quarter|half))(?:${OF} YEAR|(?: of| in)? (this|last|previous) year)?`,
);
const YEAR_ONLY = pattern('(?:year )?YEAR');
const TO_DATE = pattern(`(?:([ymqw])td|(${UNITS}) to date|so far this (${UNITS}))`);
const COUNTED = pattern(`(${BACK}|${AHEAD}) (\\d+) (${UNITS})s?`);
const LAST = pattern(`(${BACK}|${AHEAD}|this|current) (${UNITS})`);

const monthOf = (name: string): number => MONTHS.findIndex((month) => month.startsWith(name.slice(0, 3))) + 1;
const wordsIn = (text: string): number => text.split(' ').length;

/** One period: a date, month, quarter, year, or a stretch named from today. `anchored`: a preposition stands before. */
function readPeriod(tokens: readonly Token[], start: number, today: string, anchored: boolean): Period | undefined {
  let at = start;
  while (tokens[at]?.word === 'the') at++;
  const first = tokens[at];
  if (first === undefined || first.kind === 'quoted' || first.percent) return undefined;
  const text = textAt(tokens, at);
  const found = (ranges: readonly ClosedRange[], [said]: readonly string[]) => ({ ranges, next: at + wordsIn(said!) });
  const thisYear = Number(today.slice(0, 4));
  const tomorrow = move(today, 'day', 1);
  if (first.kind === 'date') {
    const unit = first.word.length === 7 ? 'month' : 'day';
    const date = unit === 'month' ? `${first.word}-01` : first.word;
    return isDay(date) ? found([unitRange(date, unit)], [first.word]) : undefined;
  }
  const near = DAYS.indexOf(first.word);
  if (near >= 0) return found([unitRange(today, 'day', near - 1)], [first.word]);
  const date = DATE.exec(text);
  if (date) {
    const { d, d2, m, m2 } = date.groups!;
    const year = date.at(-1);
    const said = day(Number(year ?? thisYear), monthOf((m ?? m2)!), Number(d ?? d2));
    if (Number(said.slice(8)) !== Number(d ?? d2) || !(year || anchored)) return undefined;
    const range = unitRange(said, 'day');
    return found(year ? [range] : recentYears(range, today), date);
  }
  const month = MONTH_YEAR.exec(text);
  if (month) {
    const range = unitRange(day(Number(month[2] ?? thisYear), monthOf(month[1]!), 1), 'month');
    if (month[2]) return found([range], month);
    // "may" and "march" are words too: without a year they need a preposition or a capital letter.
    return anchored || first.capitalised ? found(recentYears(range, today), month) : undefined;
  }
  const part = PART.exec(text);
  if (part) {
    const index = part[2] ? Number(part[2]) : (ORDINALS.split('|').indexOf(part[3]!) % 4) + 1;
    const unit = part[1] ?? part[4]!;
    if (unit.startsWith('h') && index > 2) return undefined;
    const year = part[5] ? Number(part[5]) : thisYear - (part[6] && part[6] !== 'this' ? 1 : 0);
    const months = unit.startsWith('q') ? 3 : 6;
    const from = day(year, (index - 1) * months + 1, 1);
    const range = { from, to: move(from, 'month', months) };
    return found((part[5] ?? part[6]) ? [range] : recentYears(range, today), part);
  }
  const year = YEAR_ONLY.exec(text);
  if (year) return found([unitRange(day(Number(year[1]), 1, 1), 'year')], year);
  const toDate = TO_DATE.exec(text);
  if (toDate) {
    const short = toDate[1] && UNITS.split('|').find((unit) => unit.startsWith(toDate[1]!));
    const unit = (short ?? toDate[2] ?? toDate[3]) as Grain;
    return found([{ from: startOf(today, unit), to: tomorrow }], toDate);
  }
  const counted = COUNTED.exec(text);
  if (counted && Number(counted[2]) > 0) {
    const isAhead = AHEAD.includes(counted[1]!);
    const other = move(today, counted[3] as Grain, Number(counted[2]) * (isAhead ? 1 : -1));
    return found([isAhead ? { from: today, to: move(other, 'day', 1) } : { from: other, to: tomorrow }], counted);
  }
  const last = LAST.exec(text);
  if (!last) return undefined;
  const unit = last[2] as Grain;
  const rolling = { from: move(today, unit, -1), to: tomorrow };
  if (last[1] === 'past' || last[1] === 'trailing') return found([rolling], last);
  const calendar = unitRange(today, unit, /this|current/.test(last[1]!) ? 0 : AHEAD.includes(last[1]!) ? 1 : -1);
  // "in the last month" is said of both the calendar month and the last 30 days.
  const isOpen = at > start && last[1] === 'last' && unit !== 'day';
  return found(isOpen ? [calendar, rolling] : [calendar], last);
}

/** The last two years' editions of a range that names no year, latest first. */
function recentYears({ from, to }: ClosedRange, today: string): ClosedRange[] {
  const latest = from > today ? -1 : 0;
  return [latest, latest - 1].map((offset) => ({ from: move(from, 'year', offset), to: move(to, 'year', offset) }));
}

const PREPOSITION = /^(?:(?:in|between|during|on|for|from|of|at|over|within|throughout) )+/;
const BOUND =
  /^(?:(since(?: from| in| on)?|starting from)|(after)|(before)|(?:up )?(?:to|until|till|through)(?= )|until|till|through) /;

/** The longest time expression that starts at token `at`, with its prepositions. `isApart`: two periods are compared. */
export function readTime(tokens: readonly Token[], at: number, now: Date, isApart = false): Match | undefined {
  const today = dayOf(now);
  const text = textAt(tokens, at);
  const span = !isApart && /^(between|from) /.test(text) ? readSpan(tokens, at + 1, today) : undefined;
  if (span) return span;
  if (/^(upcoming|future) /.test(text)) return { ranges: [{ from: today }], next: at + 1 };
  // "over 2000" is an amount.
  if (/^over \d/.test(text)) return undefined;
  const bound = /^to /.test(text) ? null : BOUND.exec(text);
  if (bound) {
    const start = readPeriod(tokens, at + wordsIn(bound[0].trim()), today, true);
    if (!start) return undefined;
    // "since March" is since the last one.
    const ranges = start.ranges
      .slice(0, 1)
      .map(({ from, to }) => (bound[1] ? { from } : bound[2] ? { from: to } : { to: bound[3] ? from : to }));
    return { ranges, next: start.next };
  }
  const preposition = PREPOSITION.exec(text)?.[0] ?? '';
  const start = at + (preposition === '' ? 0 : wordsIn(preposition.trim()));
  const first = readPeriod(tokens, start, today, preposition !== '');
  return first && ((isApart ? undefined : readSpan(tokens, start, today, true)) ?? first);
}

function readSpan(tokens: readonly Token[], at: number, today: string, isBare = false): Match | undefined {
  const first = readPeriod(tokens, at, today, true);
  const joint = tokens[first?.next ?? tokens.length]?.word ?? '';
  const [start] = first?.ranges ?? [];
  if (!first || !start || !(isBare ? /^(to|until|till|through)$/ : /^(and|to|until|till|through|&)$/).test(joint))
    return undefined;
  const second = readPeriod(tokens, first.next + 1, today, true);
  const [end, more] = second?.ranges ?? [];
  if (!second || !end || more) return undefined;
  // A first part without a year takes the year of the second: "January to March 2025".
  const shift = first.ranges.length === 1 ? 0 : Number(end.from.slice(0, 4)) - Number(start.from.slice(0, 4));
  const from = move(start.from, 'year', shift);
  return from < end.to ? { ranges: [{ from, to: end.to }], next: second.next } : undefined;
}
