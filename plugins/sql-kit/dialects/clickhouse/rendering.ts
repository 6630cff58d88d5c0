/** Writes ClickHouse's SQL. */
import { type Grain, type Rendering, standardRendering } from '../rendering.ts';
import { backticked, printName, printText } from './names.ts';

const buckets: Readonly<Record<Grain, (value: string) => string>> = {
  day: (x) => `formatDateTime(${x}, '%Y-%m-%d')`,
  week: (x) => `toString(toMonday(${x}))`,
  month: (x) => `formatDateTime(${x}, '%Y-%m')`,
  quarter: (x) => `concat(toString(toYear(${x})), '-Q', toString(toQuarter(${x})))`,
  year: (x) => `toString(toYear(${x}))`,
};

export const clickhouseRendering: Rendering = {
  ...standardRendering,
  quoteName: backticked,
  identifier: printName,
  text: printText,
  asText: (value) => `toString(${value})`,
  bucket: (grain, value) => buckets[grain](value),
  days: (from, to) => `dateDiff('second', ${from}, ${to}) / 86400`,
  same: (left, right) => `${left} <=> ${right}`,
  differs: (left, right) => `NOT (${left} <=> ${right})`,
  // A backslash escapes in a pattern, and there is no ESCAPE.
  matches(value, kind, wanted) {
    const literal = wanted.replace(/[%_\\]/g, '\\$&');
    return `${value} ILIKE ${printText(`${kind === 'starts_with' ? '' : '%'}${literal}${kind === 'ends_with' ? '' : '%'}`)}`;
  },
};
