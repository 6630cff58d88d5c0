/** Reads a time expression at a place in the question: "in Q1 2025", "past 6 months", "between … and …". */
import type { Grain } from '../semantic-query/index.ts';
import { type ClosedRange, type DayRange, day, dayOf, isDay, MONTHS, move, startOf, unitRange } from './calendar.ts';
import type { Token } from './tokenize.ts';

export type TimePhrase =
  | { readonly kind: 'range'; readonly range: DayRange; readonly ends?: readonly [ClosedRange, ClosedRange] }
  /** More than one reading; the reader asks. */
  | { readonly kind: 'choice'; readonly options: readonly DayRange[] }
  /** Relative to another range: "previous period", "the month before", "same period last year". */
  | { readonly kind: 'relative'; readonly unit: Grain | 'period' };

export interface TimeMatch {
  readonly phrase: TimePhrase;
  /** Index of the first token after it. */
  readonly next: number;
}

const UNIT: Readonly<Record<string, Grain>> = {
  day: 'day',
  week: 'week',
  month: 'month',
  quarter: 'quarter',
  year: 'year',
};
const ORDINALS = ['first', 'second', 'third', 'fourth'];
const IN = new Set(['in', 'during', 'on', 'for', 'from', 'of', 'at', 'over', 'within', 'throughout']);
const BACK = new Set(['last', 'past', 'previous', 'prior', 'trailing', 'recent', 'preceding']);
const BOUNDS: Readonly<Record<string, 'from' | 'after' | 'to' | 'end'>> = {
  since: 'from',
  starting: 'from',
  after: 'after',
  before: 'to',
  until: 'end',
  till: 'end',
  through: 'end',
};
const AND = new Set(['and', 'to', 'until', 'till', 'through', '&']);

interface Period {
  readonly options: readonly ClosedRange[];
  readonly next: number;
  /** The first and the last part of a span: "from 2024 to 2025". */
  readonly ends?: readonly [ClosedRange, ClosedRange];
}

export const timeUnit = (stem: string | undefined): Grain | undefined => (stem === undefined ? undefined : UNIT[stem]);

/** The longest time expression that starts at token `at`, prepositions included; `undefined` when there is none. */
export function readTime(tokens: readonly Token[], at: number, now: Date): TimeMatch | undefined {
  const word = (i: number): string => tokens[i]?.word ?? '';
  const today = dayOf(now);
  const period = (i: number, anchored: boolean): Period | undefined => readPeriod(tokens, i, today, anchored);
  const found = (options: readonly DayRange[], next: number, ends?: Period['ends']): TimeMatch => ({
    phrase:
      options.length === 1 ? { kind: 'range', range: options[0]!, ...(ends && { ends }) } : { kind: 'choice', options },
    next,
  });

  const relative = readRelative(tokens, at);
  if (relative) return relative;
  let i = at;
  if (word(i) === 'between' || word(i) === 'from') {
    const span = readSpan(tokens, i + 1, today);
    if (span) return found(span.options, span.next, span.ends);
  }
  // "over 2000" is an amount.
  if (word(i) === 'over' && tokens[i + 1]?.kind === 'number') return undefined;
  const isUpTo = word(i) === 'up' && ['to', 'until', 'till'].includes(word(i + 1));
  if (isUpTo) i++;
  const bound = isUpTo ? 'end' : BOUNDS[word(i)];
  if (bound !== undefined) {
    const start = period(i + 1 + (bound === 'from' && ['from', 'in', 'on'].includes(word(i + 1)) ? 1 : 0), true);
    if (!start) return undefined;
    return found(
      start.options.map((range) =>
        bound === 'from'
          ? { from: range.from }
          : bound === 'after'
            ? { from: range.to }
            : { to: bound === 'to' ? range.from : range.to },
      ),
      start.next,
    );
  }
  while (IN.has(word(i))) i++;
  const anchored = i > at;
  const first = period(i, anchored);
  if (!first) return undefined;
  // "March to May 2025" without "from"
  const span =
    AND.has(word(first.next)) && word(first.next) !== 'and' && word(first.next) !== '&'
      ? readSpan(tokens, i, today)
      : undefined;
  return span ? found(span.options, span.next, span.ends) : found(first.options, first.next);
}

function readSpan(tokens: readonly Token[], at: number, today: string): Period | undefined {
  const first = readPeriod(tokens, at, today, true);
  if (!first || !AND.has(tokens[first.next]?.word ?? '')) return undefined;
  const second = readPeriod(tokens, first.next + 1, today, true);
  if (second?.options.length !== 1) return undefined;
  const end = second.options[0]!;
  // A first part without a year takes the year of the second: "January to March 2025".
  const start = first.options.length === 1 ? first.options[0]! : sameYear(first.options, end);
  return start && start.from < end.to
    ? { options: [{ from: start.from, to: end.to }], next: second.next, ends: [start, end] }
    : undefined;
}

const sameYear = (options: readonly ClosedRange[], end: ClosedRange): ClosedRange | undefined => {
  const shift = Number(end.from.slice(0, 4)) - Number(options[0]!.from.slice(0, 4));
  const moved = { from: move(options[0]!.from, 'year', shift), to: move(options[0]!.to, 'year', shift) };
  return moved.from < end.to ? moved : undefined;
};

function readRelative(tokens: readonly Token[], at: number): TimeMatch | undefined {
  let i = at;
  while (IN.has(tokens[i]?.word ?? '') || tokens[i]?.word === 'the') i++;
  const word = (k: number): string => tokens[k]?.stem ?? '';
  const unit = timeUnit(word(i + 1)) ?? (word(i + 1) === 'period' ? 'period' : undefined);
  if (word(i) === 'same' && unit !== undefined) {
    let next = i + 2;
    if (['a', 'of', 'in', 'the'].includes(word(next))) next++;
    if (BACK.has(word(next)) && word(next + 1) === 'year')
      return { phrase: { kind: 'relative', unit: 'year' }, next: next + 2 };
    if (word(next) === 'year' && word(next + 1) === 'ago')
      return { phrase: { kind: 'relative', unit: 'year' }, next: next + 2 };
    return undefined;
  }
  if (word(i) === 'previou' || word(i) === 'previous' || word(i) === 'prior' || word(i) === 'preceding') {
    if (unit === 'period') return { phrase: { kind: 'relative', unit }, next: i + 2 };
    return undefined;
  }
  const here = timeUnit(word(i)) ?? (word(i) === 'period' ? 'period' : undefined);
  if (
    here !== undefined &&
    (word(i + 1) === 'before' || word(i + 1) === 'earlier') &&
    !readPeriod(tokens, i + 2, '2000-01-01', false)
  )
    return { phrase: { kind: 'relative', unit: here }, next: i + 2 };
  return undefined;
}

/** One period: a date, month, quarter, year, or a stretch named from today. `anchored`: a preposition stands before. */
function readPeriod(tokens: readonly Token[], at: number, today: string, anchored: boolean): Period | undefined {
  const word = (i: number): string => tokens[i]?.word ?? '';
  const one = (range: ClosedRange, next: number): Period => ({ options: [range], next });
  let i = at;
  while (word(i) === 'the') i++;
  const token = tokens[i];
  if (token === undefined) return undefined;

  if (token.kind === 'date') {
    if (token.word.length === 7)
      return isDay(`${token.word}-01`) ? one(unitRange(`${token.word}-01`, 'month'), i + 1) : undefined;
    return isDay(token.word) ? one(unitRange(token.word, 'day'), i + 1) : undefined;
  }
  if (token.word === 'today') return one(unitRange(today, 'day'), i + 1);
  if (token.word === 'yesterday') return one(unitRange(today, 'day', -1), i + 1);
  return (
    readNamedDay(tokens, i) ??
    readMonth(tokens, i, today, anchored) ??
    readYearPart(tokens, i, today) ??
    readFromToday(tokens, i, today, i > at)
  );
}

const yearAt = (tokens: readonly Token[], i: number): number | undefined => {
  const token = tokens[i];
  if (token?.kind !== 'number' || !/^(19|20)\d\d$/.test(token.text)) return undefined;
  return token.value;
};

/** The year that follows, after an optional "of", "in" or comma. */
function yearAfter(tokens: readonly Token[], i: number): { year: number; next: number } | undefined {
  const skip = ['of', 'in', ','].includes(tokens[i]?.word ?? '') ? 1 : 0;
  const year = yearAt(tokens, i + skip);
  return year === undefined ? undefined : { year, next: i + skip + 1 };
}

const monthAt = (tokens: readonly Token[], i: number): number | undefined => {
  const word = tokens[i]?.kind === 'word' ? tokens[i]!.word : '';
  if (word.length < 3) return undefined;
  const index = MONTHS.findIndex(
    (name) => name === word || (word.length <= 4 && name.startsWith(word) && word !== 'augu' && word !== 'marc'),
  );
  return index < 0 ? undefined : index + 1;
};

const dateNumber = (token: Token | undefined): number | undefined => {
  const value = Number(/^(\d{1,2})(st|nd|rd|th)?$/.exec(token?.word ?? '')?.[1]);
  return value >= 1 && value <= 31 ? value : undefined;
};

/** "5 March 2025", "5th of March, 2025", "March 5, 2025". */
function readNamedDay(tokens: readonly Token[], i: number): Period | undefined {
  let date = dateNumber(tokens[i]);
  let month = date === undefined ? monthAt(tokens, i) : undefined;
  let next = i + 1;
  if (date !== undefined) {
    if (tokens[next]?.word === 'of') next++;
    month = monthAt(tokens, next);
  } else if (month !== undefined) date = dateNumber(tokens[next]);
  if (date === undefined || month === undefined) return undefined;
  const year = yearAfter(tokens, next + 1);
  const text = year && day(year.year, month, date);
  return year && text && Number(text.slice(8)) === date
    ? { options: [unitRange(text, 'day')], next: year.next }
    : undefined;
}

function readMonth(tokens: readonly Token[], i: number, today: string, anchored: boolean): Period | undefined {
  const month = monthAt(tokens, i);
  if (month === undefined) return undefined;
  const year = yearAfter(tokens, i + 1);
  if (year) return { options: [unitRange(day(year.year, month, 1), 'month')], next: year.next };
  // "may" and "march" are words too: without a year they need a preposition or a capital letter.
  if (!anchored && !tokens[i]!.capitalised) return undefined;
  return { options: recentYears(unitRange(day(Number(today.slice(0, 4)), month, 1), 'month'), today), next: i + 1 };
}

/** The last two years' editions of a range that names no year, latest first. */
function recentYears(range: ClosedRange, today: string): ClosedRange[] {
  const latest = range.from > today ? -1 : 0;
  return [latest, latest - 1].map((offset) => ({
    from: move(range.from, 'year', offset),
    to: move(range.to, 'year', offset),
  }));
}

/** "2024", "the year 2024", "Q1 2025", "2025 Q1", "first quarter of 2025", "H2 2024". */
function readYearPart(tokens: readonly Token[], i: number, today: string): Period | undefined {
  const at = tokens[i]?.stem === 'year' && yearAt(tokens, i + 1) !== undefined ? i + 1 : i;
  const year = yearAt(tokens, at);
  const part = (k: number): { months: number; index: number; next: number } | undefined => {
    const short = /^([qh])([1-4])$/.exec(tokens[k]?.word ?? '');
    if (short && !(short[1] === 'h' && Number(short[2]) > 2))
      return { months: short[1] === 'q' ? 3 : 6, index: Number(short[2]), next: k + 1 };
    const ordinal = ORDINALS.findIndex(
      (name, n) => name === tokens[k]?.word || tokens[k]?.word === `${n + 1}${['st', 'nd', 'rd', 'th'][n]}`,
    );
    const unit = tokens[k + 1]?.stem;
    if (ordinal < 0 || (unit !== 'quarter' && !(unit === 'half' && ordinal < 2))) return undefined;
    return { months: unit === 'quarter' ? 3 : 6, index: ordinal + 1, next: k + 2 };
  };
  const rangeIn = (y: number, p: { months: number; index: number }): ClosedRange => {
    const from = day(y, (p.index - 1) * p.months + 1, 1);
    return { from, to: move(from, 'month', p.months) };
  };
  if (year !== undefined) {
    const after = part(at + 1);
    return after
      ? { options: [rangeIn(year, after)], next: after.next }
      : { options: [unitRange(day(year, 1, 1), 'year')], next: at + 1 };
  }
  const named = part(i);
  if (!named) return undefined;
  const of = yearAfter(tokens, named.next);
  if (of) return { options: [rangeIn(of.year, named)], next: of.next };
  const ofThis = ['of', 'in'].includes(tokens[named.next]?.word ?? '') ? named.next + 1 : named.next;
  if (
    tokens[ofThis + 1]?.stem === 'year' &&
    (tokens[ofThis]?.word === 'this' || BACK.has(tokens[ofThis]?.word ?? ''))
  ) {
    const shift = tokens[ofThis]?.word === 'this' ? 0 : -1;
    return { options: [rangeIn(Number(today.slice(0, 4)) + shift, named)], next: ofThis + 2 };
  }
  return { options: recentYears(rangeIn(Number(today.slice(0, 4)), named), today), next: named.next };
}

/** "this month", "last week", "past 6 months", "year to date". */
function readFromToday(tokens: readonly Token[], i: number, today: string, the: boolean): Period | undefined {
  const word = (k: number): string => tokens[k]?.word ?? '';
  const unit = timeUnit(tokens[i + 1]?.stem);
  const tomorrow = move(today, 'day', 1);
  const toDate = { ytd: 'year', mtd: 'month', qtd: 'quarter', wtd: 'week' }[word(i)] as Grain | undefined;
  if (toDate) return { options: [{ from: startOf(today, toDate), to: tomorrow }], next: i + 1 };
  const first = timeUnit(tokens[i]?.stem);
  if (first && word(i + 1) === 'to' && word(i + 2) === 'date')
    return { options: [{ from: startOf(today, first), to: tomorrow }], next: i + 3 };
  if (word(i) === 'so' && word(i + 1) === 'far' && word(i + 2) === 'this') {
    const so = timeUnit(tokens[i + 3]?.stem);
    return so && { options: [{ from: startOf(today, so), to: tomorrow }], next: i + 4 };
  }
  if (['this', 'current'].includes(word(i)) && unit) {
    if (word(i + 2) === 'so' && word(i + 3) === 'far')
      return { options: [{ from: startOf(today, unit), to: tomorrow }], next: i + 4 };
    if (word(i + 2) === 'to' && word(i + 3) === 'date')
      return { options: [{ from: startOf(today, unit), to: tomorrow }], next: i + 4 };
    return { options: [unitRange(today, unit)], next: i + 2 };
  }
  if (!BACK.has(word(i))) return undefined;
  const count = tokens[i + 1]?.kind === 'number' ? tokens[i + 1]!.value! : undefined;
  const counted =
    count !== undefined && Number.isInteger(count) && count > 0 ? timeUnit(tokens[i + 2]?.stem) : undefined;
  if (counted) return { options: [{ from: move(today, counted, -count!), to: tomorrow }], next: i + 3 };
  if (!unit || tokens[i + 1]!.word !== tokens[i + 1]!.stem) return undefined;
  const calendar = unitRange(today, unit, -1);
  const rolling = { from: move(today, unit, -1), to: tomorrow };
  if (word(i) === 'past' || word(i) === 'trailing') return { options: [rolling], next: i + 2 };
  // "in the last month" is said of both the calendar month and the last 30 days.
  return { options: the && word(i) === 'last' && unit !== 'day' ? [calendar, rolling] : [calendar], next: i + 2 };
}
