/** Writes selected cells as tab-separated text, which spreadsheets take from the clipboard. */
import { plainText } from '../cell-text.ts';
import { formulaSafe } from '../export/formula-safe.ts';

/** A corner each, both inside. */
export interface CellRange {
  readonly from: { readonly row: number; readonly column: number };
  readonly to: { readonly row: number; readonly column: number };
}

/** The range as its first and last rows and columns. */
export function boundsOf({ from, to }: CellRange) {
  return {
    firstRow: Math.min(from.row, to.row),
    lastRow: Math.max(from.row, to.row),
    firstColumn: Math.min(from.column, to.column),
    lastColumn: Math.max(from.column, to.column),
  };
}

const quoted = (text: string) => (/[\t\r\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** One cell is copied as it is; several go to a spreadsheet, which must not run them. */
export function copiedText(cells: readonly (readonly unknown[])[]): string {
  if (cells.length === 1 && cells[0]?.length === 1) return plainText(cells[0][0]);
  return cells.map((row) => row.map((value) => quoted(formulaSafe(value))).join('\t')).join('\n');
}
