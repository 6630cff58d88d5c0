/** Finds for every row a row of its own that is equal, numbers within their tolerance. */
import { type Cell, sameNumber } from './cells.ts';

/** A row as cells. */
export type CellRow = readonly Cell[];

/** Numbers are no part of it: two that are equal within their tolerance are not the same. */
const keyOf = (row: CellRow): string => JSON.stringify(row.map((cell) => (typeof cell === 'number' ? 0 : [cell])));
const numbersOf = (row: CellRow): number[] => row.filter((cell) => typeof cell === 'number');

function compareNumbers(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const other = b[index] ?? 0;
    if (value !== other) return value < other ? -1 : 1;
  }
  return 0;
}

const sameNumbers = (a: readonly number[], b: readonly number[]) =>
  a.every((value, index) => sameNumber(value, b[index] ?? Number.NaN));

interface Group {
  readonly numbers: readonly number[];
  readonly index: number;
}

function groupsOf(rows: readonly CellRow[]): Map<string, Group[]> {
  const groups = new Map<string, Group[]>();
  for (const [index, row] of rows.entries()) {
    const key = keyOf(row);
    const group = groups.get(key) ?? [];
    group.push({ numbers: numbersOf(row), index });
    groups.set(key, group);
  }
  for (const group of groups.values()) group.sort((a, b) => compareNumbers(a.numbers, b.numbers));
  return groups;
}

/** The index of the first of `rows` without a row of its own among `available`; `undefined`: each has one. */
export function firstUnmatched(rows: readonly CellRow[], available: readonly CellRow[]): number | undefined {
  const offered = groupsOf(available);
  let first: number | undefined;
  for (const [key, wanted] of groupsOf(rows)) {
    const index = unmatchedIn(wanted, offered.get(key) ?? []);
    if (index !== undefined && (first === undefined || index < first)) first = index;
  }
  return first;
}

/** Both are sorted, so those that may be equal stand close together. */
function unmatchedIn(wanted: readonly Group[], offered: readonly Group[]): number | undefined {
  const used = new Set<number>();
  let start = 0;
  let first: number | undefined;
  for (const { numbers, index } of wanted) {
    const [leading = 0] = numbers;
    const isBelow = (at: number) => {
      const [value = 0] = offered[at]?.numbers ?? [];
      return value < leading && !sameNumber(value, leading);
    };
    while (start < offered.length && (used.has(start) || isBelow(start))) start += 1;
    let found: number | undefined;
    for (let at = start; at < offered.length && found === undefined; at += 1) {
      const candidate = offered[at]?.numbers ?? [];
      const [value = 0] = candidate;
      if (value > leading && !sameNumber(value, leading)) break;
      if (!used.has(at) && sameNumbers(numbers, candidate)) found = at;
    }
    if (found !== undefined) used.add(found);
    else if (first === undefined || index < first) first = index;
  }
  return first;
}
