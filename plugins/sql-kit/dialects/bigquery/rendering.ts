/** Writes GoogleSQL: the parts of dates as texts, patterns with backslashes, and NULLs last. */
import { type Grain, nullsLast, type Rendering, standardRendering } from '../rendering.ts';
import { backticked, printName, printText } from './names.ts';

const dateOf = (x: string) => `CAST(${x} AS DATE)`;

const buckets: Readonly<Record<Grain, (value: string) => string>> = {
  day: (x) => `FORMAT_DATE('%Y-%m-%d', ${dateOf(x)})`,
  week: (x) => `FORMAT_DATE('%Y-%m-%d', DATE_TRUNC(${dateOf(x)}, ISOWEEK))`,
  month: (x) => `FORMAT_DATE('%Y-%m', ${dateOf(x)})`,
  quarter: (x) => `FORMAT_DATE('%Y-Q%Q', ${dateOf(x)})`,
  year: (x) => `FORMAT_DATE('%Y', ${dateOf(x)})`,
};

export const bigqueryRendering: Rendering = {
  ...standardRendering,
  quoteName: backticked,
  identifier: printName,
  text: printText,
  asText: (value) => `CAST(${value} AS STRING)`,
  bucket: (grain, value) => buckets[grain](value),
  days: (from, to) => `DATETIME_DIFF(CAST(${to} AS DATETIME), CAST(${from} AS DATETIME), SECOND) / 86400`,
  // A backslash escapes in a pattern, and there is no ESCAPE.
  matches(value, kind, wanted) {
    const literal = wanted.replace(/[%_\\]/g, '\\$&');
    const pattern = `${kind === 'starts_with' ? '' : '%'}${literal}${kind === 'ends_with' ? '' : '%'}`;
    return `LOWER(${value}) LIKE LOWER(${printText(pattern)})`;
  },
  order: nullsLast('desc'),
};
