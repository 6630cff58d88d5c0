/** Writes Snowflake's SQL. Monday begins a week, whatever the account says. */
import { type Grain, likePattern, nullsLast, type Rendering, standardRendering } from '../rendering.ts';
import { printName, printText, quoteName } from './names.ts';

const buckets: Readonly<Record<Grain, (value: string) => string>> = {
  day: (x) => `TO_CHAR(${x}, 'YYYY-MM-DD')`,
  week: (x) => `TO_CHAR(DATEADD('day', 1 - DAYOFWEEKISO(${x}), ${x}), 'YYYY-MM-DD')`,
  month: (x) => `TO_CHAR(${x}, 'YYYY-MM')`,
  quarter: (x) => `TO_CHAR(${x}, 'YYYY') || '-Q' || CAST(QUARTER(${x}) AS VARCHAR)`,
  year: (x) => `TO_CHAR(${x}, 'YYYY')`,
};

export const snowflakeRendering: Rendering = {
  ...standardRendering,
  quoteName,
  identifier: printName,
  text: printText,
  bucket: (grain, value) => buckets[grain](value),
  days: (from, to) => `DATEDIFF('second', CAST(${from} AS TIMESTAMP), CAST(${to} AS TIMESTAMP)) / 86400`,
  point: (text) => `${text.length > 10 ? 'TIMESTAMP' : 'DATE'} ${printText(text)}`,
  matches(value, kind, wanted) {
    const { pattern, suffix } = likePattern(kind, wanted);
    return `${value} ILIKE ${printText(pattern)}${suffix}`;
  },
  order: nullsLast('asc'),
};
