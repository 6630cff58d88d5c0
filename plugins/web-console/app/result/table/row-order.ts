/** Sorts rows: numbers by value, dates by instant, text as the reader's language orders it. */

import {
  instantOf,
  isDecimal,
  plainText,
  type ResultColumn,
  type ResultRow,
  valueAt,
} from '../../../../chart-kit/index.ts';

/** Digits after the point filled up, so that both are whole numbers of the same unit. */
function scaled(text: string, digits: number): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(digits, '0'));
}

/** Exact also where both are the same as floating-point numbers. */
export function compareDecimals(a: string, b: string): number {
  const difference = Number(a) - Number(b);
  if (difference !== 0 && !Number.isNaN(difference)) return difference;
  if (a === b) return 0;
  const digits = Math.max(...[a, b].map((text) => text.split('.')[1]?.length ?? 0));
  try {
    const [first, second] = [scaled(a, digits), scaled(b, digits)];
    return first < second ? -1 : Number(first > second);
  } catch {
    return a < b ? -1 : 1;
  }
}

const collator = new Intl.Collator();
const ASCII = /^[\0-\x7f]*$/;
/** Longer ones take long to become whole numbers. */
const MAX_DIGITS = 200;

type SortKey = number | bigint | string | undefined;

/** What the cells of a column are sorted by; `undefined` for nulls. Made once, since cells are compared many times. */
interface ColumnKeys {
  readonly keys: readonly SortKey[];
  readonly compare: (a: SortKey, b: SortKey) => number;
}

const byValue = (a: SortKey, b: SortKey) => (a === b ? 0 : (a as number) < (b as number) ? -1 : 1);

function exactKeys(texts: readonly (string | undefined)[]): ColumnKeys {
  const isShort = texts.every((text) => text === undefined || (isDecimal(text) && text.length <= MAX_DIGITS));
  if (!isShort) return { keys: texts, compare: (a, b) => compareDecimals(String(a), String(b)) };
  const digits = texts.reduce((most, text) => Math.max(most, text?.split('.')[1]?.length ?? 0), 0);
  return { keys: texts.map((text) => (text === undefined ? undefined : scaled(text, digits))), compare: byValue };
}

/** Comparing by the rules of languages takes ten times as long, and is the same without accents and letter case. */
function textKeys(texts: readonly (string | undefined)[]): ColumnKeys {
  if (texts.every((text) => text === undefined || ASCII.test(text))) {
    const keys = texts.map((text) => text?.toLowerCase());
    return { keys, compare: byValue };
  }
  return { keys: texts, compare: (a, b) => collator.compare(String(a), String(b)) };
}

function keysOf(column: ResultColumn, rows: readonly ResultRow[]): ColumnKeys {
  const values = rows.map((row) => valueAt(row, column) ?? undefined);
  const { kind } = column;
  if (kind === 'number' || kind === 'boolean') {
    return { keys: values.map((value) => (value === undefined ? undefined : Number(value))), compare: byValue };
  }
  const texts = values.map((value) => (value === undefined ? undefined : plainText(value)));
  if (kind === 'digits') return exactKeys(texts);
  if (kind !== 'date') return textKeys(texts);
  return { keys: texts.map((text) => (text === undefined ? undefined : instantOf(text))), compare: byValue };
}

export interface RowOrder {
  readonly column: ResultColumn;
  readonly desc: boolean;
}

/** Nulls last, rows that are the same in the order in which they came. */
export function sortedRows(rows: readonly ResultRow[], order: readonly RowOrder[]): readonly ResultRow[] {
  if (order.length === 0) return rows;
  const levels = order.map(({ column, desc }) => ({ sign: desc ? -1 : 1, ...keysOf(column, rows) }));
  const compareRows = (a: number, b: number): number => {
    for (const { sign, keys, compare } of levels) {
      const [first, second] = [keys[a], keys[b]];
      if (first === undefined || second === undefined) {
        if (first !== second) return first === undefined ? 1 : -1;
        continue;
      }
      const difference = compare(first, second);
      if (difference !== 0) return difference * sign;
    }
    return a - b;
  };
  return rows
    .map((_, index) => index)
    .sort(compareRows)
    .map((index) => rows[index] as ResultRow);
}
