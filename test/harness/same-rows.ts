/** Compares a result with the expected one, whatever its columns are called and however its dates are written. */

export type Row = Readonly<Record<string, unknown>>;

export interface RowsComparison {
  /** Rows must come in the expected order. Default: any order. */
  readonly ordered?: boolean;
  /** The rows are things rather than aggregates: any further column is a description. */
  readonly listing?: boolean;
}

/** How results must be compared with those of a hand-written statement. */
export function comparisonOf(sql: string): RowsComparison {
  let outer = sql;
  // An ORDER BY in a subquery or window says nothing about the order of the result.
  for (let before = ''; before !== outer; ) {
    before = outer;
    outer = outer.replace(/\([^()]*\)/g, ' ');
  }
  return {
    ordered: /\border\s+by\b/i.test(outer),
    listing: !/\b(count|sum|avg|min|max)\s*\(|\bgroup\s+by\b/i.test(sql),
  };
}

/**
 * True if each expected column is found among the actual ones, with the same rows. Names do not matter, but an expected
 * column whose name starts with `_` may be missing. Further actual columns may only describe (texts, ids) or compare
 * (change, percent, share, rank), unless the rows are a listing.
 */
export function sameRows(actual: readonly Row[], expected: readonly Row[], comparison: RowsComparison = {}): boolean {
  return rowsDifference(actual, expected, comparison) === undefined;
}

/** Why the rows are not the expected ones, or `undefined` if they are. */
export function rowsDifference(
  actual: readonly Row[],
  expected: readonly Row[],
  { ordered = false, listing = false }: RowsComparison = {},
): string | undefined {
  if (actual.length !== expected.length) return `${actual.length} rows instead of ${expected.length}`;
  if (expected.length === 0) return undefined;
  const names = Object.keys(actual[0] as Row);
  const wanted = Object.keys(expected[0] as Row);
  const candidates = wanted.map((column) => {
    const values = expected.map((row) => row[column]);
    const found = names.filter((name) =>
      sameColumn(
        actual.map((row) => row[name]),
        values,
      ),
    );
    return column.startsWith('_') ? [...found, undefined] : found;
  });
  const missing = wanted.filter((_, index) => candidates[index]?.length === 0);
  if (missing.length > 0) return `no column has the values of ${missing.join(', ')}`;

  let reason = 'the columns hold the expected values, but in other rows or in another order';
  for (const assignment of assignments(candidates)) {
    const pairs = wanted.flatMap((column, index) => {
      const name = assignment[index];
      return name === undefined ? [] : [[name, column] as const];
    });
    const sameRow = (a: Row, e: Row) => pairs.every(([name, column]) => sameValue(a[name], e[column]));
    const same = ordered
      ? actual.every((row, index) => sameRow(row, expected[index] as Row))
      : sameSet(actual, expected, sameRow);
    if (!same) continue;
    const extra = names.filter((name) => !assignment.includes(name) && !isHarmless(name, actual));
    if (listing || extra.length === 0) return undefined;
    reason = `unexpected columns: ${extra.join(', ')}`;
  }
  return reason;
}

const isHarmless = (name: string, rows: readonly Row[]) =>
  /(^|_|\b)(id|key|code|rank|no|number)$|change|percent|pct|share|diff|delta|growth/i.test(name) ||
  rows.every((row) => numberOf(row[name]) === undefined);

/** Every choice of one actual column per expected column, none used twice; the fullest choices first. */
function* assignments(
  candidates: readonly (readonly (string | undefined)[])[],
  chosen: readonly (string | undefined)[] = [],
): Generator<readonly (string | undefined)[]> {
  if (chosen.length === candidates.length) return yield chosen;
  for (const name of candidates[chosen.length] ?? []) {
    if (name === undefined || !chosen.includes(name)) yield* assignments(candidates, [...chosen, name]);
  }
}

/** The same values, each as often, in any order. */
function sameColumn(actual: readonly unknown[], expected: readonly unknown[]): boolean {
  return sameSet(actual, expected, sameValue);
}

function sameSet<T>(actual: readonly T[], expected: readonly T[], same: (a: T, e: T) => boolean): boolean {
  const left = [...actual];
  return expected.every((e, index) => {
    // Results often come in the same order, so the row in the same place is tried first.
    const at =
      index < actual.length && left[0] !== undefined && same(left[0], e) ? 0 : left.findIndex((a) => same(a, e));
    if (at < 0) return false;
    left.splice(at, 1);
    return true;
  });
}

function sameValue(actual: unknown, expected: unknown): boolean {
  if (actual === null || actual === undefined) return expected === null || expected === undefined;
  const date = typeof expected === 'string' ? dateOf(expected) : undefined;
  if (date !== undefined) return dateOf(actual) === date;
  const number = numberOf(expected);
  if (number === undefined) return String(actual) === String(expected);
  const other = numberOf(actual);
  return other !== undefined && Math.abs(other - number) <= 1e-6 * Math.max(1e-3, Math.abs(number), Math.abs(other));
}

/** A number, also one that a driver sent as text, as a big integer or as a boolean. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint' || typeof value === 'boolean') return Number(value);
  return typeof value === 'string' && /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value) ? Number(value) : undefined;
}

/** A date, month, quarter, year or time, written as `YYYY-MM-DD` with the time of day if there is one. */
function dateOf(value: unknown): string | undefined {
  if (value instanceof Date) return dateOf(value.toISOString());
  if (typeof value === 'number')
    return Number.isInteger(value) && value >= 1900 && value < 2100 ? `${value}-01-01` : undefined;
  if (typeof value !== 'string') return undefined;
  const quarter = /^(\d{4})[- ]?Q([1-4])$/i.exec(value);
  if (quarter) return `${quarter[1]}-${String(Number(quarter[2]) * 3 - 2).padStart(2, '0')}-01`;
  const parts = /^(\d{4})(?:-(\d\d))?(?:-(\d\d))?(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?(?:Z|\+00(?::?00)?)?)?$/.exec(
    value,
  );
  if (!parts) return undefined;
  const [, year, month = '01', day = '01', time = '00:00:00'] = parts;
  const seconds = time.length === 5 ? `${time}:00` : time;
  return `${year}-${month}-${day}${seconds === '00:00:00' ? '' : ` ${seconds}`}`;
}
