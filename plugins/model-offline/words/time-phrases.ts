/** Reads a time expression at a place in the question: "in Q1 2025", "past 6 months", "between … and …". */
import { type ClosedRange, type DayRange, day, dayOf, isDay, MONTHS, move, startOf, unitRange } from './calendar.ts';
import type { Grain } from './layer.ts';
import type { Token } from './tokenize.ts';

export type TimePhrase =
  | { readonly kind: 'range'; readonly range: DayRange; readonly ends?: readonly [ClosedRange, ClosedRange] }
  /** More than one reading; the reader asks. */
  | { readonly kind: 'choice'; readonly options: readonly DayRange[] }
  /** Relative to another range: "previous period", "the month before", "same period last year". */
  | { readonly kind: 'relative'; readonly unit: Grain | 'period' };

interface Match {
  readonly phrase: TimePhrase;
  /** Index of the first token after it. */
  readonly next: number;
}

interface Period {
  readonly options: readonly ClosedRange[];
  readonly next: number;
}

const UNITS = 'day|week|month|quarter|year';
const BACK = 'last|past|previous|prior|trailing|recent|preceding';
const MONTH = MONTHS.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)}${name === 'september' ? '|t' : ''})?`).join(
  '|',
);
const YEAR = '((?:19|20)\\d\\d)';
const OF = '(?: of| in| ,)?';
const ORDINALS = 'first|second|third|fourth|1st|2nd|3rd|4th';
/** Words of time, as stems: never a misspelt name. */
export const TIME_WORDS = new Set(
  `today yesterday this current since before after until till between next ago ${BACK.replaceAll('|', ' ')} ${UNITS.replaceAll('|', ' ')} ${ORDINALS.replaceAll('|', ' ')} half ${MONTHS.join(' ')}`.split(
    ' ',
  ),
);

/** How many tokens a time expression may have. */
const LONGEST = 9;
/** The words from a place on, numbers as digits. */
const textAt = (tokens: readonly Token[], at: number): string =>
  tokens
    .slice(at, at + LONGEST)
    .map((token) =>
      token.kind === 'quoted'
        ? '"'
        : token.kind === 'number' && Number.isInteger(token.value) && !/\d/.test(token.word)
          ? String(token.value)
          : token.word,
    )
    .join(' ');

const pattern = (source: string): RegExp =>
  new RegExp(`^${source.replace('MONTH', `(${MONTH})`).replace('YEAR', YEAR)}(?= |$)`);
const DAY_FIRST = pattern(`(\\d{1,2})(?:st|nd|rd|th)?(?: of)? MONTH${OF} YEAR`);
const MONTH_FIRST = pattern(`MONTH (\\d{1,2})(?:st|nd|rd|th)?${OF} YEAR`);
const MONTH_YEAR = pattern(`MONTH${OF} YEAR`);
const MONTH_ONLY = pattern('MONTH');
const PART = pattern(
  `(?:([qh])([1-4])|(${ORDINALS}) (quarter|half))(?:${OF} YEAR|(?: of| in)? (this|last|previous) year)?`,
);
const YEAR_PART = pattern('YEAR ([qh])([1-4])');
const YEAR_ONLY = pattern('(?:year )?YEAR');
const TO_DATE = pattern(
  `(?:(ytd|mtd|qtd|wtd)|(${UNITS}) to date|(?:so far )?(?:this|current) (${UNITS})(?: so far| to date)|so far this (${UNITS}))`,
);
const THIS = pattern(`(?:this|current) (${UNITS})`);
const COUNTED = pattern(`(?:${BACK}) (\\d+) (${UNITS})s?`);
const LAST = pattern(`(${BACK}) (${UNITS})`);

const monthOf = (name: string): number => MONTHS.findIndex((month) => month.startsWith(name.slice(0, 3))) + 1;
const wordsIn = (text: string): number => text.split(' ').length;

/** One period: a date, month, quarter, year, or a stretch named from today. `anchored`: a preposition stands before. */
function readPeriod(tokens: readonly Token[], start: number, today: string, anchored: boolean): Period | undefined {
  let at = start;
  while (tokens[at]?.word === 'the') at++;
  const first = tokens[at];
  if (first === undefined || first.kind === 'quoted' || first.percent) return undefined;
  const text = textAt(tokens, at);
  const found = (options: readonly ClosedRange[], matched: string): Period => ({
    options,
    next: at + wordsIn(matched),
  });
  const thisYear = Number(today.slice(0, 4));
  if (first.kind === 'date') {
    const isMonth = first.word.length === 7;
    const date = isMonth ? `${first.word}-01` : first.word;
    return isDay(date) ? found([unitRange(date, isMonth ? 'month' : 'day')], first.word) : undefined;
  }
  if (first.word === 'today' || first.word === 'yesterday')
    return found([unitRange(today, 'day', first.word === 'today' ? 0 : -1)], first.word);
  const named = DAY_FIRST.exec(text) ?? MONTH_FIRST.exec(text);
  if (named) {
    const [month, date] = /^\d/.test(named[1]!) ? [named[2]!, named[1]!] : [named[1]!, named[2]!];
    const said = day(Number(named[3]), monthOf(month), Number(date));
    return Number(said.slice(8)) === Number(date) ? found([unitRange(said, 'day')], named[0]) : undefined;
  }
  const month = MONTH_YEAR.exec(text) ?? MONTH_ONLY.exec(text);
  if (month) {
    const range = unitRange(day(Number(month[2] ?? thisYear), monthOf(month[1]!), 1), 'month');
    if (month[2]) return found([range], month[0]);
    // "may" and "march" are words too: without a year they need a preposition or a capital letter.
    return anchored || first.capitalised ? found(recentYears(range, today), month[0]) : undefined;
  }
  const yearPart = YEAR_PART.exec(text);
  if (yearPart) return found([partOf(Number(yearPart[1]), yearPart[2]!, Number(yearPart[3]))], yearPart[0]);
  const part = PART.exec(text);
  if (part && !(part[1] === 'h' && Number(part[2]) > 2)) {
    const index = part[2] ? Number(part[2]) : (ORDINALS.split('|').indexOf(part[3]!) % 4) + 1;
    const unit = part[1] ?? part[4]!;
    if (unit === 'half' && index > 2) return undefined;
    const year = part[5] ? Number(part[5]) : thisYear - (part[6] && part[6] !== 'this' ? 1 : 0);
    const range = partOf(year, unit, index);
    return found((part[5] ?? part[6]) ? [range] : recentYears(range, today), part[0]);
  }
  const year = YEAR_ONLY.exec(text);
  if (year) return found([unitRange(day(Number(year[1]), 1, 1), 'year')], year[0]);
  return fromToday(text, today, at > start, found);
}

function partOf(year: number, unit: string, index: number): ClosedRange {
  const months = unit.startsWith('q') ? 3 : 6;
  const from = day(year, (index - 1) * months + 1, 1);
  return { from, to: move(from, 'month', months) };
}

/** The last two years' editions of a range that names no year, latest first. */
function recentYears({ from, to }: ClosedRange, today: string): ClosedRange[] {
  const latest = from > today ? -1 : 0;
  return [latest, latest - 1].map((offset) => ({ from: move(from, 'year', offset), to: move(to, 'year', offset) }));
}

/** "this month", "last week", "past 6 months", "year to date". */
function fromToday(
  text: string,
  today: string,
  the: boolean,
  found: (options: readonly ClosedRange[], matched: string) => Period,
): Period | undefined {
  const tomorrow = move(today, 'day', 1);
  const toDate = TO_DATE.exec(text);
  if (toDate) {
    const unit = (
      toDate[1]
        ? { y: 'year', m: 'month', q: 'quarter', w: 'week' }[toDate[1][0]!]
        : (toDate[2] ?? toDate[3] ?? toDate[4])
    ) as Grain;
    return found([{ from: startOf(today, unit), to: tomorrow }], toDate[0]);
  }
  const current = THIS.exec(text);
  if (current) return found([unitRange(today, current[1] as Grain)], current[0]);
  const counted = COUNTED.exec(text);
  if (counted && Number(counted[1]) > 0)
    return found([{ from: move(today, counted[2] as Grain, -Number(counted[1])), to: tomorrow }], counted[0]);
  const last = LAST.exec(text);
  if (!last) return undefined;
  const unit = last[2] as Grain;
  const rolling = { from: move(today, unit, -1), to: tomorrow };
  if (last[1] === 'past' || last[1] === 'trailing') return found([rolling], last[0]);
  const calendar = unitRange(today, unit, -1);
  // "in the last month" is said of both the calendar month and the last 30 days.
  return found(the && last[1] === 'last' && unit !== 'day' ? [calendar, rolling] : [calendar], last[0]);
}

const RELATIVE = new RegExp(
  `^(?:(?:in|during|for|from|of|at|over|the) )*(?:same (?:${UNITS}|period)(?: a| of| in| the)* (?:(?:${BACK}) (year)|(year) ago)|(?:previous|prior|preceding) (period)|(${UNITS}|period) (?:before|earlier))(?= |$)`,
);
const PREPOSITION = /^(?:(?:in|during|on|for|from|of|at|over|within|throughout) )+/;
const BOUND =
  /^(?:(since|starting)(?: from| in| on)?|(after)|(before)|(?:up )?(?:to|until|till|through)(?= )|until|till|through) /;

/** The longest time expression that starts at token `at`, prepositions included; `undefined` when there is none. */
export function readTime(tokens: readonly Token[], at: number, now: Date): Match | undefined {
  const today = dayOf(now);
  const text = textAt(tokens, at);
  const span = /^(between|from) /.test(text) ? readSpan(tokens, at + 1, today) : undefined;
  if (span) return span;
  const relative = RELATIVE.exec(text);
  if (relative && !readPeriod(tokens, at + wordsIn(relative[0]), today, false)) {
    const unit = (relative[1] ?? relative[2] ?? relative[3] ?? relative[4]) as Grain | 'period';
    return { phrase: { kind: 'relative', unit }, next: at + wordsIn(relative[0]) };
  }
  // "over 2000" is an amount.
  if (/^over \d/.test(text)) return undefined;
  const bound = /^to /.test(text) ? null : BOUND.exec(text);
  if (bound) {
    const start = readPeriod(tokens, at + wordsIn(bound[0].trim()), today, true);
    if (!start) return undefined;
    const ranges = start.options.map(({ from, to }) =>
      bound[1] ? { from } : bound[2] ? { from: to } : { to: bound[3] ? from : to },
    );
    return { phrase: phraseOf(ranges), next: start.next };
  }
  const preposition = PREPOSITION.exec(text)?.[0] ?? '';
  const start = at + (preposition === '' ? 0 : wordsIn(preposition.trim()));
  const first = readPeriod(tokens, start, today, preposition !== '');
  // "March to May 2025" without "from"
  return first && (readSpan(tokens, start, today, true) ?? { phrase: phraseOf(first.options), next: first.next });
}

const phraseOf = (options: readonly DayRange[]): TimePhrase =>
  options.length === 1 ? { kind: 'range', range: options[0]! } : { kind: 'choice', options };

function readSpan(tokens: readonly Token[], at: number, today: string, isBare = false): Match | undefined {
  const first = readPeriod(tokens, at, today, true);
  const joint = tokens[first?.next ?? tokens.length]?.word ?? '';
  if (!first || !(isBare ? /^(to|until|till|through)$/ : /^(and|to|until|till|through|&)$/).test(joint))
    return undefined;
  const second = readPeriod(tokens, first.next + 1, today, true);
  if (second?.options.length !== 1) return undefined;
  const [end] = second.options as [ClosedRange];
  // A first part without a year takes the year of the second: "January to March 2025".
  const shift = Number(end.from.slice(0, 4)) - Number(first.options[0]!.from.slice(0, 4));
  const { from, to } = first.options[0]!;
  const start =
    first.options.length === 1 ? first.options[0]! : { from: move(from, 'year', shift), to: move(to, 'year', shift) };
  if (start.from >= end.to) return undefined;
  return { phrase: { kind: 'range', range: { from: start.from, to: end.to }, ends: [start, end] }, next: second.next };
}

/** The part of the calendar that a word names. */
export const timeUnit = (stem: string | undefined): Grain | undefined =>
  new RegExp(`^(${UNITS})$`).test(stem ?? '') ? (stem as Grain) : undefined;
