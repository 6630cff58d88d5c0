/** Writes PostgreSQL's SQL. */
import { type Grain, nullsLast, quoting, type Rendering, standardRendering } from '../rendering.ts';

const buckets: Readonly<Record<Grain, (value: string) => string>> = {
  day: (x) => `to_char(${x}, 'YYYY-MM-DD')`,
  week: (x) => `to_char(date_trunc('week', ${x}), 'YYYY-MM-DD')`,
  month: (x) => `to_char(${x}, 'YYYY-MM')`,
  quarter: (x) => `to_char(${x}, 'YYYY"-Q"Q')`,
  year: (x) => `to_char(${x}, 'YYYY')`,
};

export const postgresRendering: Rendering = {
  ...standardRendering,
  // Names without quotes are folded to lower case, so a capital needs quotes.
  ...quoting('"', /^[a-z_][a-z0-9_]*$/),
  asText: (value) => `CAST(${value} AS TEXT)`,
  bucket: (grain, value) => buckets[grain](value),
  order: nullsLast('asc'),
  sample: (percent) => `TABLESAMPLE SYSTEM (${percent}) REPEATABLE (1)`,
  dividesIntegers: true,
};
