/** Writes DuckDB's SQL. */
import { type Grain, type Rendering, standardRendering } from '../rendering.ts';

const buckets: Readonly<Record<Grain, (value: string) => string>> = {
  day: (x) => `strftime(${x}, '%Y-%m-%d')`,
  week: (x) => `strftime(date_trunc('week', ${x}), '%Y-%m-%d')`,
  month: (x) => `strftime(${x}, '%Y-%m')`,
  quarter: (x) => `strftime(${x}, '%Y') || '-Q' || CAST(quarter(${x}) AS VARCHAR)`,
  year: (x) => `strftime(${x}, '%Y')`,
};

export const duckdbRendering: Rendering = {
  ...standardRendering,
  bucket: (grain, value) => buckets[grain](value),
};
