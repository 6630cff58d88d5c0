/** Declares how an engine's SQL is written: names, texts, parts of dates, comparisons and orders. */
import { reservedWords } from './reserved-words.ts';

/** The period that a date is cut down to. */
export type Grain = 'day' | 'week' | 'month' | 'quarter' | 'year';

export interface Rendering {
  /** A name in quotes, whatever it is. */
  quoteName(name: string): string;
  /** A physical name or an alias, quoted only where it has to be. */
  identifier(name: string): string;
  text(value: string): string;
  asText(value: string): string;
  /** Start or name of the period: `2024-03-31`, Monday's date for weeks, `2024-03`, `2024-Q1`, `2024`. Always text. */
  bucket(grain: Grain, value: string): string;
  /** Days from one date or timestamp to another, with the part of a day between them. */
  days(from: string, to: string): string;
  /** A point in time as it compares with one that is written `2024-03-31 12:00:00`. */
  instant(value: string): string;
  /** Such a point or day, to be compared with a date or a timestamp; missing: a text. */
  point?(text: string): string;
  /** True where both are NULL too. */
  same(left: string, right: string): string;
  /** True where just one is NULL too. */
  differs(left: string, right: string): string;
  /** Case-insensitive match; `wanted` is taken literally. */
  matches(value: string, kind: MatchKind, wanted: string): string;
  /** Terms of ORDER BY that put NULLs last. `expression` is what `name` stands for. */
  order(name: string, expression: string, direction: 'asc' | 'desc', nullable: boolean): string;
  /** Words behind a table's name that read about this share of it, the same rows each time. Missing: it cannot be done. */
  sample?(percent: number): string;
  /** Whether the quotient of two integers is cut to an integer. */
  readonly dividesIntegers: boolean;
  /** Whether rows are made distinct by GROUP BY where a column of them is an expression, as ORDER BY could not name it. */
  readonly groupsExpressions: boolean;
}

export type MatchKind = 'contains' | 'starts_with' | 'ends_with';

/** Quotes a name with `quote`; `plain` names that mean nothing else stand as they are. */
export function quoting(quote: string, plain: RegExp): Pick<Rendering, 'quoteName' | 'identifier'> {
  const quoteName = (name: string) => quote + name.replaceAll(quote, quote + quote) + quote;
  return {
    quoteName,
    identifier: (name) => (plain.test(name) && !reservedWords.has(name.toLowerCase()) ? name : quoteName(name)),
  };
}

/** A pattern for LIKE that takes `wanted` literally, and the words that have to follow it. */
export function likePattern(kind: MatchKind, wanted: string): { readonly pattern: string; readonly suffix: string } {
  const special = /[%_!\\]/.test(wanted);
  const literal = special ? wanted.replace(/[%_!]/g, '!$&') : wanted;
  const pattern = `${kind === 'starts_with' ? '' : '%'}${literal}${kind === 'ends_with' ? '' : '%'}`;
  return { pattern, suffix: special ? " ESCAPE '!'" : '' };
}

/** ORDER BY with NULLS LAST, but for the direction in which the engine puts them last by itself. */
export function nullsLast(byItself?: 'asc' | 'desc'): Rendering['order'] {
  return (name, _expression, direction, nullable) => {
    const term = direction === 'desc' ? `${name} DESC` : name;
    return !nullable || direction === byItself ? term : `${term} NULLS LAST`;
  };
}

const text = (value: string) => `'${value.replaceAll("'", "''")}'`;

/** Standard SQL where there is a standard; the parts of dates have none. Dialects begin with it. */
export const standardRendering: Omit<Rendering, 'bucket'> = {
  ...quoting('"', /^[A-Za-z_][A-Za-z0-9_]*$/),
  text,
  asText: (value) => `CAST(${value} AS VARCHAR)`,
  days: (from, to) => `EXTRACT(EPOCH FROM (CAST(${to} AS TIMESTAMP) - CAST(${from} AS TIMESTAMP))) / 86400.0`,
  instant: (value) => value,
  same: (left, right) => `${left} IS NOT DISTINCT FROM ${right}`,
  differs: (left, right) => `${left} IS DISTINCT FROM ${right}`,
  matches(value, kind, wanted) {
    const { pattern, suffix } = likePattern(kind, wanted);
    return `${value} ILIKE ${text(pattern)}${suffix}`;
  },
  order: nullsLast(),
  dividesIntegers: false,
  groupsExpressions: false,
};
