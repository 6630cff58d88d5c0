/** Writes Trino's SQL: texts are never taken for dates, integers are divided as such, and NULLs are last in any order. */
import { type Grain, likePattern, type Rendering, standardRendering } from '../rendering.ts';

const buckets: Readonly<Record<Grain, (value: string) => string>> = {
  day: (x) => `date_format(${x}, '%Y-%m-%d')`,
  week: (x) => `date_format(date_trunc('week', ${x}), '%Y-%m-%d')`,
  month: (x) => `date_format(${x}, '%Y-%m')`,
  quarter: (x) => `date_format(${x}, '%Y') || '-Q' || CAST(quarter(${x}) AS VARCHAR)`,
  year: (x) => `date_format(${x}, '%Y')`,
};

export const trinoRendering: Rendering = {
  ...standardRendering,
  bucket: (grain, value) => buckets[grain](value),
  days: (from, to) => `date_diff('second', CAST(${from} AS TIMESTAMP), CAST(${to} AS TIMESTAMP)) / 86400E0`,
  point: (text) => `${text.length > 10 ? 'TIMESTAMP' : 'DATE'} ${standardRendering.text(text)}`,
  matches(value, kind, wanted) {
    const { pattern, suffix } = likePattern(kind, wanted);
    return `lower(${value}) LIKE lower(${standardRendering.text(pattern)})${suffix}`;
  },
  order: (name, _expression, direction) => (direction === 'desc' ? `${name} DESC` : name),
  dividesIntegers: true,
};
