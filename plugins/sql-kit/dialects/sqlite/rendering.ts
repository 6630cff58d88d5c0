/** Writes SQLite's SQL: dates are texts, cut by its date functions. */
import { type Grain, likePattern, nullsLast, type Rendering, standardRendering } from '../rendering.ts';

const buckets: Readonly<Record<Grain, (value: string) => string>> = {
  day: (x) => `date(${x})`,
  week: (x) => `date(${x}, '-6 days', 'weekday 1')`,
  month: (x) => `strftime('%Y-%m', ${x})`,
  quarter: (x) => `strftime('%Y', ${x}) || '-Q' || ((CAST(strftime('%m', ${x}) AS INTEGER) + 2) / 3)`,
  year: (x) => `strftime('%Y', ${x})`,
};

export const sqliteRendering: Rendering = {
  ...standardRendering,
  asText: (value) => `CAST(${value} AS TEXT)`,
  bucket: (grain, value) => buckets[grain](value),
  days: (from, to) => `julianday(${to}) - julianday(${from})`,
  // It holds texts, in which `T` and a space must not matter.
  instant: (value) => `datetime(${value})`,
  same: (left, right) => `${left} IS ${right}`,
  differs: (left, right) => `${left} IS NOT ${right}`,
  matches(value, kind, wanted) {
    const { pattern, suffix } = likePattern(kind, wanted);
    return `${value} LIKE ${standardRendering.text(pattern)}${suffix}`;
  },
  order: nullsLast('desc'),
  dividesIntegers: true,
};
