/** What differs between the dialects: quoting, literals, time buckets, null-safe comparison, LIKE and the place of NULLs. */
import { PlanError } from './errors.ts';
import type { Dialect, Grain } from './plan.ts';
import { reservedWords } from './reserved-words.ts';

export interface Syntax {
  readonly dialect: Dialect;
  /** A physical name or an alias, quoted only where it has to be. */
  identifier(name: string): string;
  text(value: string): string;
  /** Start or name of the period: `2024-03-31`, Monday's date for weeks, `2024-03`, `2024-Q1`, `2024`. Always text. */
  bucket(grain: Grain, value: string): string;
  /** True where both are NULL too. */
  same(left: string, right: string): string;
  /** True where just one is NULL too. */
  differs(left: string, right: string): string;
  /** Case-insensitive match; `value` is taken literally. */
  matches(value: string, kind: 'contains' | 'starts_with' | 'ends_with', wanted: string): string;
  asText(value: string): string;
  /** Terms of ORDER BY that put NULLs last. `expression` is what `name` stands for. */
  order(name: string, expression: string, direction: 'asc' | 'desc', nullable: boolean): string;
}

const plainName = /^[A-Za-z_][A-Za-z0-9_]*$/;
const plainLowerName = /^[a-z_][a-z0-9_]*$/;

/** Postgres folds unquoted names to lower case, so there a capital needs quotes. */
function identifierFor(dialect: Dialect): Syntax['identifier'] {
  const quote = dialect === 'mysql' ? '`' : '"';
  const plain = dialect === 'postgres' ? plainLowerName : plainName;
  return (name) =>
    plain.test(name) && !reservedWords.has(name.toLowerCase())
      ? name
      : quote + name.replaceAll(quote, quote + quote) + quote;
}

function textFor(dialect: Dialect): Syntax['text'] {
  return (value) => {
    if (value.includes('\0')) throw new PlanError('invalid_plan', 'A value contains a NUL character; remove it.');
    const escaped = dialect === 'mysql' ? value.replaceAll('\\', '\\\\') : value;
    return `'${escaped.replaceAll("'", "''")}'`;
  };
}

function matchesFor(dialect: Dialect, text: Syntax['text']): Syntax['matches'] {
  return (value, kind, wanted) => {
    const special = /[%_!\\]/.test(wanted);
    const literal = special ? wanted.replace(/[%_!]/g, '!$&') : wanted;
    const folded = dialect === 'mysql' ? literal.toLowerCase() : literal;
    const pattern = text(`${kind === 'starts_with' ? '' : '%'}${folded}${kind === 'ends_with' ? '' : '%'}`);
    const escaping = special ? " ESCAPE '!'" : '';
    if (dialect === 'mysql') return `LOWER(${value}) LIKE ${pattern}${escaping}`;
    return `${value} ${dialect === 'sqlite' ? 'LIKE' : 'ILIKE'} ${pattern}${escaping}`;
  };
}

const buckets: Record<Dialect, Record<Grain, (value: string) => string>> = {
  sqlite: {
    day: (x) => `date(${x})`,
    week: (x) => `date(${x}, '-6 days', 'weekday 1')`,
    month: (x) => `strftime('%Y-%m', ${x})`,
    quarter: (x) => `strftime('%Y', ${x}) || '-Q' || ((CAST(strftime('%m', ${x}) AS INTEGER) + 2) / 3)`,
    year: (x) => `strftime('%Y', ${x})`,
  },
  postgres: {
    day: (x) => `to_char(${x}, 'YYYY-MM-DD')`,
    week: (x) => `to_char(date_trunc('week', ${x}), 'YYYY-MM-DD')`,
    month: (x) => `to_char(${x}, 'YYYY-MM')`,
    quarter: (x) => `to_char(${x}, 'YYYY"-Q"Q')`,
    year: (x) => `to_char(${x}, 'YYYY')`,
  },
  mysql: {
    day: (x) => `DATE_FORMAT(${x}, '%Y-%m-%d')`,
    week: (x) => `DATE_FORMAT(DATE_SUB(${x}, INTERVAL WEEKDAY(${x}) DAY), '%Y-%m-%d')`,
    month: (x) => `DATE_FORMAT(${x}, '%Y-%m')`,
    quarter: (x) => `CONCAT(YEAR(${x}), '-Q', QUARTER(${x}))`,
    year: (x) => `DATE_FORMAT(${x}, '%Y')`,
  },
  duckdb: {
    day: (x) => `strftime(${x}, '%Y-%m-%d')`,
    week: (x) => `strftime(date_trunc('week', ${x}), '%Y-%m-%d')`,
    month: (x) => `strftime(${x}, '%Y-%m')`,
    quarter: (x) => `strftime(${x}, '%Y') || '-Q' || CAST(quarter(${x}) AS VARCHAR)`,
    year: (x) => `strftime(${x}, '%Y')`,
  },
};

/** Dialects that already put NULLs last in a direction get no extra words. */
function orderFor(dialect: Dialect): Syntax['order'] {
  return (name, expression, direction, nullable) => {
    const term = direction === 'desc' ? `${name} DESC` : name;
    if (!nullable) return term;
    if (dialect === 'mysql') {
      const tested = /^[\w.`]+$|^\w+\([^()]*\)$|^MIN\(.*\)$/.test(expression) ? expression : `(${expression})`;
      return direction === 'asc' ? `${tested} IS NULL, ${term}` : term;
    }
    const alreadyLast =
      (dialect === 'postgres' && direction === 'asc') || (dialect === 'sqlite' && direction === 'desc');
    return alreadyLast ? term : `${term} NULLS LAST`;
  };
}

const sameAs: Record<Dialect, (left: string, right: string) => string> = {
  sqlite: (left, right) => `${left} IS ${right}`,
  postgres: (left, right) => `${left} IS NOT DISTINCT FROM ${right}`,
  mysql: (left, right) => `${left} <=> ${right}`,
  duckdb: (left, right) => `${left} IS NOT DISTINCT FROM ${right}`,
};

const differsFrom: Record<Dialect, (left: string, right: string) => string> = {
  sqlite: (left, right) => `${left} IS NOT ${right}`,
  postgres: (left, right) => `${left} IS DISTINCT FROM ${right}`,
  mysql: (left, right) => `NOT (${left} <=> ${right})`,
  duckdb: (left, right) => `${left} IS DISTINCT FROM ${right}`,
};

const textTypes: Record<Dialect, string> = { sqlite: 'TEXT', postgres: 'TEXT', mysql: 'CHAR', duckdb: 'VARCHAR' };

export function syntaxOf(dialect: Dialect): Syntax {
  const text = textFor(dialect);
  return {
    dialect,
    identifier: identifierFor(dialect),
    text,
    bucket: (grain, value) => buckets[dialect][grain](value),
    same: sameAs[dialect],
    differs: differsFrom[dialect],
    matches: matchesFor(dialect, text),
    asText: (value) => `CAST(${value} AS ${textTypes[dialect]})`,
    order: orderFor(dialect),
  };
}
