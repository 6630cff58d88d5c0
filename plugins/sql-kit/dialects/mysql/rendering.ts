/** Writes the SQL of MySQL and MariaDB. */
import { type Grain, likePattern, quoting, type Rendering, standardRendering } from '../rendering.ts';

const buckets: Readonly<Record<Grain, (value: string) => string>> = {
  day: (x) => `DATE_FORMAT(${x}, '%Y-%m-%d')`,
  week: (x) => `DATE_FORMAT(DATE_SUB(${x}, INTERVAL WEEKDAY(${x}) DAY), '%Y-%m-%d')`,
  month: (x) => `DATE_FORMAT(${x}, '%Y-%m')`,
  quarter: (x) => `CONCAT(YEAR(${x}), '-Q', QUARTER(${x}))`,
  year: (x) => `DATE_FORMAT(${x}, '%Y')`,
};

const text = (value: string) => standardRendering.text(value.replaceAll('\\', '\\\\'));

export const mysqlRendering: Rendering = {
  ...standardRendering,
  ...quoting('`', /^[A-Za-z_][A-Za-z0-9_]*$/),
  text,
  asText: (value) => `CAST(${value} AS CHAR)`,
  bucket: (grain, value) => buckets[grain](value),
  days: (from, to) => `TIMESTAMPDIFF(SECOND, ${from}, ${to}) / 86400.0`,
  same: (left, right) => `${left} <=> ${right}`,
  differs: (left, right) => `NOT (${left} <=> ${right})`,
  matches(value, kind, wanted) {
    const { pattern, suffix } = likePattern(kind, wanted);
    return `LOWER(${value}) LIKE ${text(pattern.toLowerCase())}${suffix}`;
  },
  order(name, expression, direction, nullable) {
    const term = direction === 'desc' ? `${name} DESC` : name;
    if (!nullable || direction === 'desc') return term;
    const tested = /^[\w.`]+$|^\w+\([^()]*\)$|^MIN\(.*\)$/.test(expression) ? expression : `(${expression})`;
    return `${tested} IS NULL, ${term}`;
  },
  groupsExpressions: true,
};
