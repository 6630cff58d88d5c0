/**
 * Compares the result of an answer with the expected one. Names of columns do not count, nor their order: every expected
 * column must be found among the answer's, by its values. Further columns of the answer are allowed, further rows not.
 */
import { truncate } from '../text-kit/index.ts';
import { alignedColumns, type Cell, cellOf } from './cells.ts';
import { type CellRow, firstUnmatched } from './match-rows.ts';

export interface ComparedResult {
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/** Rows that may come in any order; of a group that a LIMIT has cut, `take` of them are in the result. */
export interface RowGroup {
  readonly rows: ComparedResult['rows'];
  readonly take: number;
}

/** An expected result: its groups of rows must come one after the other. Without an order it is one group. */
export interface ExpectedResult {
  readonly columns: readonly string[];
  readonly groups: readonly RowGroup[];
}

/** Assignments of columns, whole and begun, that are tried. */
const MAX_TRIED = 2_000;
const MAX_SHOWN_CHARS = 160;

/** Any order of the rows. */
export const unordered = ({ columns, rows }: ComparedResult): ExpectedResult => ({
  columns,
  groups: [{ rows, take: rows.length }],
});

/** Why the result is not the expected one, in one sentence; `undefined` when it is. `maxTried`: fewer take less time. */
export function resultDifference(
  actual: ComparedResult,
  expected: ExpectedResult,
  maxTried = MAX_TRIED,
): string | undefined {
  const count = expected.groups.reduce((sum, { take }) => sum + take, 0);
  if (actual.rows.length !== count) return `Expected ${rowsText(count)}, got ${actual.rows.length}.`;
  if (count === 0) return undefined;
  const columns = new Columns(actual, expected, maxTried);
  if (columns.assignment(true) !== undefined) return undefined;
  const isRightSet = expected.groups.length > 1 && columns.assignment(false) !== undefined;
  return isRightSet ? columns.orderReason() : columns.rowReason();
}

class Columns {
  readonly #actual: ComparedResult;
  readonly #expected: ExpectedResult;
  readonly #wanted: readonly Cell[][];
  readonly #given: readonly Cell[][];
  readonly #maxTried: number;

  constructor(actual: ComparedResult, expected: ExpectedResult, maxTried: number) {
    this.#actual = actual;
    this.#maxTried = maxTried;
    this.#expected = expected;
    const rows = expected.groups.flatMap((group) => group.rows);
    this.#wanted = expected.columns.map((name) => rows.map((row) => cellOf(row[name])));
    this.#given = actual.columns.map((name) => actual.rows.map((row) => cellOf(row[name])));
  }

  /** For each expected column a column of the answer, so that all rows are equal. */
  assignment(isOrdered: boolean): readonly number[] | undefined {
    const candidates = this.#candidates(isOrdered);
    let tried = 0;
    const search = (chosen: readonly number[]): readonly number[] | undefined => {
      if (chosen.length === candidates.length) return chosen;
      for (const index of candidates[chosen.length] ?? []) {
        if (chosen.includes(index)) continue;
        if (tried >= this.#maxTried) return undefined;
        tried += 1;
        const next = [...chosen, index];
        // Columns whose rows do not fit together fit no better with a further one.
        const found = this.#unmatched(next, isOrdered) === undefined ? search(next) : undefined;
        if (found !== undefined) return found;
      }
      return undefined;
    };
    return search([]);
  }

  /** The rows are right, their order is not. */
  orderReason(): string {
    const chosen = this.#likely();
    const at = this.#unmatched(chosen, true) ?? { row: 0, expected: 0 };
    return `The rows are right, but not in the order of the expected statement: row ${at.row + 1} is ${this.#shown(chosen, at.row)}, expected ${this.#shownExpected(at.expected)}.`;
  }

  /** Which column is missing, or which row differs first. */
  rowReason(): string {
    const candidates = this.#candidates(false);
    const missing = this.#expected.columns.filter((_, index) => candidates[index]?.length === 0);
    const chosen = this.#likely();
    const at = this.#unmatched(chosen, false) ?? { row: 0, expected: 0 };
    const row = `no row of the answer is ${this.#shownExpected(at.expected)}`;
    if (missing.length === 0) return `The values are there, but in other rows: ${row}.`;
    const names = missing.map((name) => `"${truncate(name, MAX_SHOWN_CHARS)}"`).join(', ');
    return `No column of the answer has the values of ${names}: ${row}.`;
  }

  #candidates(isOrdered: boolean): number[][] {
    const { columns } = this.#actual;
    return this.#wanted.map((_, wanted) => {
      const name = this.#expected.columns[wanted];
      const found = columns.keys().filter((given) => this.#unmatched([given], isOrdered, [wanted]) === undefined);
      // The column in the same place first, before it one of the same name.
      const rank = (given: number) => (columns[given] === name ? 0 : given === wanted ? 1 : 2);
      return [...found].sort((a, b) => rank(a) - rank(b));
    });
  }

  /** The best guess where no assignment fits: by values, else by name, else by place. */
  #likely(): readonly number[] {
    const candidates = this.#candidates(false);
    return this.#expected.columns.map((name, index) => {
      const named = this.#actual.columns.indexOf(name);
      return candidates[index]?.[0] ?? (named >= 0 ? named : Math.min(index, this.#actual.columns.length - 1));
    });
  }

  /** The first row of the answer that is none of those expected at its place, and one that is expected there. */
  #unmatched(
    chosen: readonly number[],
    isOrdered: boolean,
    wanted: readonly number[] = chosen.map((_, index) => index),
  ): { readonly row: number; readonly expected: number } | undefined {
    const pairs = wanted.map((column, index) =>
      alignedColumns(this.#wanted[column] ?? [], this.#given[chosen[index] ?? 0] ?? []),
    );
    const expectedRow = (row: number): CellRow => pairs.map(([cells]) => cells[row] ?? null);
    const actualRow = (row: number): CellRow => pairs.map(([, cells]) => cells[row] ?? null);
    let [from, at] = [0, 0];
    for (const { rows, take } of isOrdered ? this.#expected.groups : [this.#whole()]) {
      const expected = rows.map((_, index) => expectedRow(from + index));
      const actual = Array.from({ length: take }, (_, index) => actualRow(at + index));
      const surplus = firstUnmatched(actual, expected);
      if (surplus !== undefined) {
        const lacking = firstUnmatched(expected, actual) ?? 0;
        return { row: at + surplus, expected: from + lacking };
      }
      from += rows.length;
      at += take;
    }
    return undefined;
  }

  #whole(): RowGroup {
    const { groups } = this.#expected;
    return { rows: groups.flatMap(({ rows }) => rows), take: groups.reduce((sum, { take }) => sum + take, 0) };
  }

  #shown(chosen: readonly number[], row: number): string {
    return this.#shownRow((index) => this.#actual.rows[row]?.[this.#actual.columns[chosen[index] ?? 0] ?? '']);
  }

  #shownExpected(row: number): string {
    const rows = this.#expected.groups.flatMap((group) => group.rows);
    return this.#shownRow((index) => rows[row]?.[this.#expected.columns[index] ?? '']);
  }

  #shownRow(valueAt: (index: number) => unknown): string {
    const values = this.#expected.columns.map((_, index) => shownValue(valueAt(index)));
    return truncate(`(${values.join(', ')})`, MAX_SHOWN_CHARS);
  }
}

const rowsText = (count: number) => (count === 1 ? '1 row' : `${count} rows`);

function shownValue(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'object') return JSON.stringify(value);
  return typeof value === 'string' ? `"${value}"` : String(value);
}
