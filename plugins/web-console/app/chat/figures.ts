/** Finds the cell that a number of an answer stands for, among the rows that the answer is about. */
import type { ResultTable } from '../api/query-result.ts';

export interface CellMark {
  readonly row: number;
  readonly column: string;
}

/** Cells that are looked through; an answer names numbers of the first rows. */
const MAX_CELLS = 50_000;
/** A number as people write it, neither within a word nor a part of a date or a version. */
export const FIGURE = /(?<![\p{L}\d_.,:/-])-?\d+(?:,\d{3})*(?:\.\d+)?(?![\p{L}\d_:/-]|[.,]\d)/gu;

/** `1,234.50` as its value and its decimals. */
export function figureOf(text: string): { readonly value: number; readonly decimals: number } {
  const plain = text.replaceAll(',', '');
  return { value: Number(plain), decimals: plain.split('.')[1]?.length ?? 0 };
}

const keyOf = (value: number, decimals: number) =>
  value.toFixed(Math.min(decimals, 20)).replace(/^-(0(?:\.0*)?)$/, '$1');

/** Looks numbers up in the rows: exactly, or as the text rounds them, or as a percentage of a share. */
export class FigureIndex {
  readonly #numbers: { readonly value: number; readonly mark: CellMark }[] = [];
  readonly #byDecimals = new Map<number, Map<string, CellMark>>();

  constructor({ columns, rows }: ResultTable) {
    let left = MAX_CELLS;
    for (const [row, cells] of rows.entries()) {
      left -= columns.length;
      if (left < 0) break;
      for (const column of columns) this.#add(cells[column], { row, column });
    }
  }

  find(text: string): CellMark | undefined {
    const { value, decimals } = figureOf(text);
    return this.#rounded(decimals).get(keyOf(value, decimals));
  }

  #add(cell: unknown, mark: CellMark): void {
    const isNumber = typeof cell === 'number' || (typeof cell === 'string' && /^-?\d+(?:\.\d+)?$/.test(cell));
    if (isNumber && Number.isFinite(Number(cell))) this.#numbers.push({ value: Number(cell), mark });
  }

  /** The numbers as they look with so many decimals; a number itself comes before a share of it, and the first row wins. */
  #rounded(decimals: number): ReadonlyMap<string, CellMark> {
    const known = this.#byDecimals.get(decimals);
    if (known !== undefined) return known;
    const marks = new Map<string, CellMark>();
    for (const scale of [1, 100]) {
      for (const { value, mark } of this.#numbers) {
        const key = keyOf(value * scale, decimals);
        if (!marks.has(key)) marks.set(key, mark);
      }
    }
    this.#byDecimals.set(decimals, marks);
    return marks;
  }
}
